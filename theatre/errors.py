"""Refusals about scenarios and replays, each with its stable code."""

from core.errors import ServiceError

_WAIT_SECONDS = 2
"""A worker plays what waits every second."""


class TooManyReplays(ServiceError):
    """So many of a merchant wait already."""

    code = "too_many_replays"
    http_status = 429

    def __init__(self, most: int) -> None:
        super().__init__(
            f"{most} replays of yours wait to be played. Read how they ended, then ask again.",
            details={"most": most, "retry_after_seconds": _WAIT_SECONDS},
            headers={"Retry-After": str(_WAIT_SECONDS)},
        )


class ScenarioTooLarge(ServiceError):
    """A longer file than a scenario can be."""

    code = "scenario_too_large"
    http_status = 413

    def __init__(self, most: int) -> None:
        super().__init__(f"A scenario file has at most {most} bytes.", details={"limit_bytes": most})


class ReplayTooLong(ServiceError):
    """It took more of a worker than one replay may."""

    code = "replay_too_long"
    http_status = 409

    def __init__(self, seconds: int) -> None:
        super().__init__(f"The replay took longer than {seconds} seconds and was stopped.")
