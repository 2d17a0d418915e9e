"""Workers whose clocks are ahead, and are put right while they run: nothing is lost, and readiness says whose it is."""

import re
from pathlib import Path
from typing import Any

import pytest

from tests.journeys.http_caller import Caller, soon
from tests.journeys.production import Production, production
from tests.journeys.programs import clean_environment, run_to_end
from tests.journeys.recipe import receiving
from tests.journeys.stories import is_settled, paid, register
from tests.machine import PATIENCE_SECONDS, own_port

pytestmark = [pytest.mark.postgres, pytest.mark.exhaustive]

AHEAD = ("worker delivery", "worker money")
RIGHT, FAR = "+0", "+45"


def clock(service: Production) -> dict[str, Any]:
    """What readiness says of clocks."""
    checks = Caller(base_url=service.base_url).get("/api/public/health/ready").body["checks"]
    found: dict[str, Any] = checks["clock"]
    return found


def set_clock(folder: Path, to: str) -> None:
    """By a file that is there whole or not at all."""
    written = folder / "written"
    written.write_text(f"{to}\n")
    written.rename(folder / "clock")


def start_with_own_clock(service: Production, folder: Path) -> None:
    """Start workers again under a clock that a file sets, also while they run.

    Why not by the program ``faketime`` itself: what it says in the environment goes before the file.
    """
    given = {
        "LD_PRELOAD": run_to_end(
            ("faketime", "-m", "-f", RIGHT, "printenv", "LD_PRELOAD"), clean_environment()
        ).strip(),
        "FAKETIME_TIMESTAMP_FILE": str(folder / "clock"),
        "FAKETIME_NO_CACHE": "1",
        "FAKETIME_DONT_FAKE_MONOTONIC": "1",
    }
    for name in AHEAD:
        program = service.programs[name]
        program.stop()
        program.environment = {**program.environment, **given}
        program.start()


def pay(merchant: Caller) -> str:
    """Somebody pays, and nobody waits for what comes of it."""
    created = merchant.post("/payment-intents", {"amount": 25})
    assert created.status == 201, created.raw
    intent_id: str = created.body["id"]
    assert merchant.post(f"/test-helpers/payment-intents/{intent_id}/pay").status == 200
    return intent_id


def named(service: Production, so_far: set[str]) -> set[str]:
    """Those whose clocks readiness has named until now. Why kept: each is named after its sign of life, for a while."""
    detail = clock(service).get("detail", "")
    so_far |= {name for name in AHEAD if re.search(rf"The clock of {name} is \d+ s ahead of the database's\.", detail)}
    return so_far


def test_workers_ahead_and_put_right_lose_nothing_and_are_named(tmp_path: Path) -> None:
    """Ahead, they take the messages that wake them for old; put right, they do what waited, once."""
    with production(tmp_path, own_port(), RATE_LIMIT_SCALE="1000") as service, receiving() as receiver:
        merchant = service.merchant()
        register(merchant, receiver)
        intents = [paid(merchant)]
        assert clock(service) == {"status": "ok"}
        set_clock(tmp_path, FAR)
        start_with_own_clock(service, tmp_path)
        seen: set[str] = set()
        soon(lambda: named(service, seen) == set(AHEAD), "both named")
        intents += [pay(merchant) for _ in range(3)]
        set_clock(tmp_path, RIGHT)
        intents += [pay(merchant) for _ in range(3)]
        soon(lambda: all(is_settled(merchant, one) for one in intents), "all settled")
        receiver.wait_for(lambda got: all(got.sequences(one) == [1, 2, 3, 4] for one in intents), PATIENCE_SECONDS)
        soon(lambda: clock(service) == {"status": "ok"}, "clocks that are right")
        assert {delivery.genuine for delivery in receiver.deliveries} == {True}
        came = {event["id"]: (event["resource"]["id"], event["sequence"]) for event in receiver.accepted()}
        assert len(set(came.values())) == len(came), "what came twice came under one id"
        assert "All invariants hold." in service.manage("check_invariants")
