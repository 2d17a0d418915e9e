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


class ReplayTooLong(Exception):
    """It took more of a worker than one replay may. Why no refusal: no door answers it, it stands in the replay."""

    def __init__(self, seconds: int) -> None:
        self.message = f"The replay took longer than {seconds} seconds and was stopped."
        super().__init__(self.message)
