"""Clocks that are apart are named before a lease means nothing, and so is what one of them left behind."""

import re
from collections.abc import Iterator
from datetime import datetime, timedelta

import pytest
import time_machine

from core.clock import now
from core.dispatch import BEAT, WORKERS
from core.heartbeats import note_alive
from core.models import Heartbeat
from operations import clocks
from operations.clocks import clocks_apart
from payments.models import QueuedIntent
from payments.selectors import intent_id_from
from tests.conftest import ApiClient
from tests.payments.world import World, create

READY = "/api/public/health/ready"
SECOND = timedelta(seconds=1)

pytestmark = pytest.mark.django_db


def clock(anonymous: ApiClient) -> tuple[str, str]:
    """What readiness says of it."""
    check = anonymous.get(READY).body["checks"]["clock"]
    return check["status"], check.get("detail", "")


@pytest.mark.parametrize(
    ("name", "who"), [("delivery", "worker delivery"), ("money", "worker money"), ("beat", "beat")]
)
def test_a_sign_of_life_from_the_future_names_who_gave_it(name: str, who: str, anonymous: ApiClient) -> None:
    for kind in (*WORKERS, BEAT):
        note_alive(kind)
    assert clock(anonymous) == ("ok", "")
    Heartbeat.objects.filter(name=name).update(at=now() + 0.5 * SECOND)
    assert clock(anonymous) == ("ok", ""), "as far apart clocks may be"
    Heartbeat.objects.filter(name=name).update(at=now() + 3600 * SECOND)
    status, detail = clock(anonymous)
    assert status == "unavailable"
    assert re.fullmatch(rf"The clock of {who} is 3[56]\d\d s ahead of the database's\.", detail)
    note_alive(name)
    assert clock(anonymous) == ("ok", ""), "its clock was put right"


@pytest.mark.postgres
@pytest.mark.parametrize(("seconds", "word"), [(45, "ahead of"), (-45, "behind")])
def test_the_clock_of_who_answers_is_held_against_the_databases(seconds: int, word: str, anonymous: ApiClient) -> None:
    assert clock(anonymous) == ("ok", "")
    with time_machine.travel(now() + seconds * SECOND, tick=False):
        status, detail = clock(anonymous)
    said = re.fullmatch(rf"The clock of who answers this is \d+ s {word} the database's\..*", detail)
    assert (status, said is not None) == ("unavailable", True)


@pytest.mark.postgres
def test_a_slow_answer_of_the_database_is_no_clock_that_is_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    moments: Iterator[datetime] = iter([now() - 3600 * SECOND, now() + 3600 * SECOND])
    monkeypatch.setattr(clocks, "now", lambda: next(moments))
    assert clocks_apart() == ()


@pytest.mark.parametrize(
    ("listed", "due", "is_named"),
    [(-1, 100, False), (-1, 600, True), (600, 600, False), (-1, -1, False)],
    ids=["claimed", "claimed by a clock ahead", "waits for its time", "due"],
)
def test_a_payment_that_a_clock_ahead_claimed_is_named(
    listed: int, due: int, is_named: bool, world: World, api: ApiClient
) -> None:
    """The clock was put right since, so nothing but the row tells."""
    intent_id, moment = intent_id_from(create(api)["id"]), now()
    places = {"listed_at": moment + listed * SECOND, "due_at": moment + due * SECOND}
    QueuedIntent.objects.create(intent_id=intent_id, **places)
    said = "Payments are claimed until a moment that is too far ahead: they wait for it."
    assert clocks_apart() == ((said,) if is_named else ())
