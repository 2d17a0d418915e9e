"""Each hour what changed, daily the whole: nothing is passed over by who dies, who is late, or what is old."""

import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from uuid import uuid4

import pytest
from django.core.management import CommandError, call_command
from django.db import connections, router, transaction

from core.clock import now
from core.models import InvariantCheck, InvariantWalk
from core.replica import REPLICA, ReadsAsChosen, chosen_database, reading_from
from core.snapshot import one_moment
from merchants.models import Merchant
from merchants.services import NewMerchant
from operations import readiness
from operations.invariants import hourly, schedule, walk, watermark
from operations.invariants.hourly import look_since
from operations.invariants.reading import BY_ROW, tables_read
from operations.invariants.schedule import GIVEN_UP_AFTER, last_check, run_due_check, walk_on
from operations.invariants.watermark import LONGEST_WAIT, MARGIN, held_back
from payments.models import Credit, PaymentIntent
from tests.conftest import ApiClient
from tests.factories.refunds import paid_intent
from tests.machine import PATIENCE_SECONDS
from tests.operations.test_health import all_alive, invariants
from tests.payments.world import World
from webhooks.models import Event

pytestmark = pytest.mark.django_db
READY = "/api/public/health/ready"
LONG_AGO = timedelta(days=400)


def wrong_intent(merchant: Merchant, age: timedelta = timedelta(0)) -> PaymentIntent:
    """One that is settled and has no history: every check that reads it says so."""
    intent, moment = paid_intent(merchant, mode="test"), now() - age
    Credit.objects.filter(intent=intent).update(observed_at=moment, final_at=moment)
    PaymentIntent.objects.filter(pk=intent.pk).update(created_at=moment)
    return intent


def checked() -> InvariantCheck:
    check = run_due_check()
    assert check is not None
    return check


def names(check: InvariantCheck, intent: PaymentIntent) -> bool:
    return any(f"I4 intent {intent.pk}" in sentence for sentence in check.violations)


def repair(intent: PaymentIntent) -> None:
    Credit.objects.filter(intent=intent).delete()
    PaymentIntent.objects.filter(pk=intent.pk).delete()


def walk_to_the_end() -> InvariantWalk:
    for _ in range(200):
        walk_on()
        newest = InvariantWalk.objects.order_by("-pk")[0]
        if newest.finished_at is not None:
            return newest
    raise AssertionError("the walk has no end")


def test_what_changed_is_found_within_the_hour_and_named_until_it_is_repaired(
    world: World, account: NewMerchant
) -> None:
    """Once it was found it changes no more, and stays wrong."""
    first = checked()
    assert (first.violations, first.covered_until) == ([], now())
    world.wait(3600)
    intent = wrong_intent(account.merchant)
    for pause in (0, 600, 86_400):
        world.wait(pause)
        check = checked()
        assert (names(check, intent), check.covered_until) == (True, now())
    assert look_since(now() - timedelta(hours=1), []).sentences == []
    repair(intent)
    world.wait(600)
    assert checked().violations == []


def test_what_is_old_is_found_by_the_walk_which_calls_for_a_check(
    world: World, account: NewMerchant, anonymous: ApiClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And readiness says it, until it is repaired. A walk of one piece a turn comes to its end, too."""
    monkeypatch.setattr(walk, "A_WHILE_SECONDS", -1)
    intent = wrong_intent(account.merchant, LONG_AGO)
    all_alive()
    assert (checked().violations, anonymous.get(READY).status) == ([], 200)
    walk_on()
    assert (InvariantWalk.objects.get().table, InvariantWalk.objects.get().after) == ("payments.PaymentIntent", "")
    ended = walk_to_the_end()
    assert (ended.finished_at, ended.covered_until, ended.found > 0) == (now(), now(), True)
    check = checked()
    assert (names(check, intent), anonymous.get(READY).status) == (True, 503)
    assert InvariantWalk.objects.get().suspects == []
    repair(intent)
    world.wait(600)
    assert checked().violations == []
    all_alive()
    assert anonymous.get(READY).status == 200
    walk_on()
    assert InvariantWalk.objects.count() == 1
    world.wait(86_400)
    walk_on()
    assert InvariantWalk.objects.count() == 2


def test_every_table_that_is_gone_through_is_walked() -> None:
    """Also before the books are complete, when nothing is said of them yet: a worker keeps what it learns here."""
    tables_read.cache_clear()
    read = set().union(*(tables_read(invariant) for invariant in BY_ROW))
    assert read == set(walk.tables())
    assert [invariant.__name__ for invariant in BY_ROW if not tables_read(invariant)] == []


def test_a_check_that_dies_moves_no_watermark(
    world: World, account: NewMerchant, monkeypatch: pytest.MonkeyPatch
) -> None:
    began = checked().covered_until
    world.wait(3600)
    intent = wrong_intent(account.merchant)
    with monkeypatch.context() as patch:
        patch.setattr(hourly, "violations_in", lambda _: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            run_due_check()
    last = last_check()
    assert last is not None
    assert last.covered_until == began
    world.wait(GIVEN_UP_AFTER.total_seconds() + MARGIN.total_seconds())
    assert names(checked(), intent)


def test_a_check_without_time_ends_nothing_and_says_so(
    world: World, account: NewMerchant, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What it found before is said; then it ends, and the watermark stays all the same."""
    first = checked()
    caplog.clear()
    world.wait(3600)
    intent = wrong_intent(account.merchant)
    monkeypatch.setattr(hourly, "MOST_SECONDS", -1)
    assert (checked().finished_at, last_check()) == (None, first)
    assert [line.getMessage().split()[0] for line in caplog.records] == ["invariants_unfinished"]
    world.wait(GIVEN_UP_AFTER.total_seconds())
    monkeypatch.setattr(hourly, "violations_by_now", lambda: ["I7 planted"])
    late = checked()
    assert (late.violations, late.is_cut, late.covered_until) == (["I7 planted"], True, first.covered_until)
    monkeypatch.undo()
    world.wait(600)
    assert names(checked(), intent)


def test_where_more_is_wrong_than_is_written_down_the_watermark_stays(
    world: World, account: NewMerchant, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = checked()
    monkeypatch.setattr(hourly, "MOST_SENTENCES", 1)
    world.wait(3600)
    wrong_intent(account.merchant)
    cut = checked()
    assert (len(cut.violations), cut.is_cut, cut.covered_until) == (1, True, first.covered_until)
    monkeypatch.setattr(hourly, "violations_by_now", lambda: ["I7 planted", "I7 planted, too"])
    world.wait(600)
    assert checked().suspects == cut.suspects != []


def test_the_watermark_waits_for_events_that_nobody_fanned_out(account: NewMerchant) -> None:
    """Whom they went to is written when it is done. A day at most, for one that never is."""
    moment = now()
    assert held_back(moment) == moment
    waiting = {"merchant": account.merchant, "mode": "test", "type": "x", "payload": "{}", "kept_until": moment}
    event = Event.objects.create(
        **waiting, id="evt_1", resource_type="x", resource_id=uuid4(), sequence=1,
        occurred_at=moment - timedelta(hours=3),
    )  # fmt: skip
    assert held_back(moment) == moment - timedelta(hours=3)
    Event.objects.filter(pk=event.pk).update(occurred_at=moment - LONG_AGO)
    assert held_back(moment) == moment - LONGEST_WAIT


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
def test_what_is_committed_late_is_not_passed_over(account: NewMerchant, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two connections: one writes, a check runs and ends, then the first commits. The next check finds it."""
    monkeypatch.setattr(watermark, "PAUSE_SECONDS", 0)
    before = InvariantCheck.objects.create(
        asked_at=now(), started_at=now(), finished_at=now() - timedelta(hours=1), covered_until=now() - LONG_AGO
    )
    written, end = threading.Event(), threading.Event()

    def write() -> PaymentIntent:
        with transaction.atomic():
            intent = wrong_intent(account.merchant, timedelta(hours=2))
            written.set()
            end.wait(PATIENCE_SECONDS)
        connections.close_all()
        return intent

    with ThreadPoolExecutor(1) as pool:
        writing = pool.submit(write)
        assert written.wait(PATIENCE_SECONDS)
        passed = checked()
        assert (passed.violations, passed.covered_until) == ([], before.covered_until)
        end.set()
        intent = writing.result()
    InvariantCheck.objects.filter(pk=passed.pk).update(finished_at=now() - timedelta(hours=1))
    found = checked()
    assert names(found, intent)
    assert found.covered_until is not None
    assert found.covered_until > now() - timedelta(minutes=1)


def test_a_check_of_an_older_version_counts_as_one_that_read_everything(world: World) -> None:
    moment = now() - timedelta(hours=1)
    old = InvariantCheck.objects.create(asked_at=moment, started_at=moment, finished_at=moment)
    assert schedule._watermark(old) == moment
    InvariantWalk.objects.create(started_at=now(), held_until=now(), finished_at=now(), covered_until=now())
    assert schedule._watermark(old) == now()


def test_only_one_walks_and_a_command_goes_on_where_one_was_left(
    world: World, account: NewMerchant, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(walk, "A_WHILE_SECONDS", -1)
    for _ in range(2):
        walk_on()
    left = InvariantWalk.objects.get()
    assert (left.after != "", left.finished_at) == (True, None)
    InvariantWalk.objects.update(held_until=now() + walk.HELD)
    with pytest.raises(CommandError, match="somebody is at it"):
        call_command("check_invariants", "--resume")
    walk_on()
    assert InvariantWalk.objects.get().after == left.after
    world.wait(walk.HELD.total_seconds())
    call_command("check_invariants", "--resume")
    assert InvariantWalk.objects.get().finished_at == now()
    with pytest.raises(CommandError, match="No walk was left half-way"):
        call_command("check_invariants", "--resume")
    with pytest.raises(CommandError, match="Only a walk over everything"):
        call_command("check_invariants", "--resume", "--merchant", "1")
    wrong_intent(account.merchant, LONG_AGO)
    with pytest.raises(CommandError, match="violations"):
        call_command("check_invariants")
    assert InvariantWalk.objects.exclude(suspects=[]).count() == 1


@pytest.mark.parametrize(
    ("ended", "begun", "status"), [(71, 400, 200), (73, 400, 503), (None, 71, 200), (None, 73, 503)]
)
def test_walks_must_come_to_an_end(
    ended: int | None, begun: int, status: int, anonymous: ApiClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    all_alive()
    monkeypatch.setattr(readiness, "_UP_SINCE", now())
    moment = now() - timedelta(hours=begun)
    walked = InvariantWalk.objects.create(started_at=moment, held_until=moment)
    if ended is not None:
        InvariantWalk.objects.filter(pk=walked.pk).update(finished_at=now() - timedelta(hours=ended))
    reply = anonymous.get(READY)
    assert reply.status == status
    late = "No walk of the invariants over the whole history has ended for three days."
    assert (invariants(reply)["detail"] == late) == (status == 503)


def test_a_replica_is_read_where_one_is_chosen_and_never_written(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(CommandError, match="There is no replica"):
        call_command("check_invariants", "--replica")
    monkeypatch.setattr(router, "routers", [ReadsAsChosen()])
    assert (router.db_for_read(PaymentIntent), chosen_database()) == ("default", "default")
    with reading_from(REPLICA):
        assert router.db_for_read(PaymentIntent) == "replica"
        assert router.db_for_write(InvariantWalk) == "default"
        assert walk._walks().db == "default"
        with pytest.raises(Exception, match="replica"), one_moment():
            pass
    assert router.db_for_read(PaymentIntent) == "default"
