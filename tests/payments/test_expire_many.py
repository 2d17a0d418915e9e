"""Many intents that end at once leave the rows that each of them would leave by itself."""

from datetime import datetime
from typing import Any
from uuid import UUID

import pytest

from core.clock import now
from payments.models import PaymentIntent
from payments.services import expire
from payments.services.advance import advance_intent, sweep_due
from payments.services.expire import expire_untouched
from payments.services.schedule import schedule_next_look
from payments.services.transition import WORKER, apply_trigger, apply_trigger_to_many
from payments.states import INTENT_MACHINE
from tests.conftest import ApiClient
from tests.factories.queue import due_at, queue
from tests.payments.payer import Payer
from tests.payments.statuses import intent_in
from tests.payments.world import World, create, events
from webhooks.models import Event

OVER = 1_801
"""Seconds until an intent's time is over."""
NAMES = frozenset(
    {
        "id",
        "subject_id",
        "intent_id",
        "resource_id",
        "request_id",
        "kept_until",
        "expires_at",
        "expires_due_at",
        "rate_until",
    }
)
"""Columns that tell two intents with the same story apart."""


def left_by(intent: dict[str, Any]) -> list[dict[str, Any]]:
    """All rows of an intent that ending it writes or removes, without what tells it from another one.

    What was written now is compared to the moment, what was before is not: of two stories one is told first.
    """
    row = PaymentIntent.objects.get(pk=intent["id"])
    told = Event.objects.filter(resource_id=row.pk).order_by("sequence")
    tables = [[row], row.history.order_by("id"), told, row.payer_wallets.all()]
    return [_nameless(one, str(row.pk)) for table in tables for one in table]


def _nameless(row: Any, intent_id: str) -> dict[str, Any]:
    columns = {column.attname: getattr(row, column.attname) for column in row._meta.concrete_fields}
    kept = {name: value for name, value in columns.items() if name not in NAMES and not _is_before(value)}
    if isinstance(row, Event):
        kept["kept_for"] = row.kept_until - row.occurred_at
        kept["payload"] = "" if _is_before(row.occurred_at) else row.payload.replace(row.pk, "").replace(intent_id, "")
    return kept


def _is_before(value: object) -> bool:
    return isinstance(value, datetime) and value < now()


def visited(world: World, api: ApiClient) -> dict[str, Any]:
    """An intent whose payer connected a wallet and left."""
    intent = create(api)
    Payer.of(intent).connect()
    return intent


def tried(world: World, api: ApiClient) -> dict[str, Any]:
    """An intent whose payer had a quote and chose none."""
    intent = create(api)
    payer = Payer.of(intent)
    payer.act("rejected", {"attempt_id": payer.quote(world)["id"], "reason": "payer_rejected"})
    return intent


@pytest.mark.parametrize("status", INTENT_MACHINE.sources_of("expire"))
def test_both_ways_write_the_same(world: World, api: ApiClient, status: str) -> None:
    single, *many = [intent_in(world, api, status) for _ in range(4)]
    one = PaymentIntent.objects.get(pk=single["id"])
    apply_trigger(one, "expire", actor=WORKER)
    rows = PaymentIntent.objects.filter(pk__in=[intent["id"] for intent in many])
    apply_trigger_to_many(list(rows), "expire", actor=WORKER)
    assert events(single)[-1] == "expired"
    assert [left_by(intent) for intent in many] == [left_by(single)] * 3


def test_what_nobody_began_to_pay_ends_at_once_as_it_would_alone(world: World, api: ApiClient) -> None:
    stories = (lambda *_: create(api), visited, tried)
    pairs = [(story(world, api), story(world, api)) for story in stories]
    world.wait(OVER)
    for alone, _ in pairs:
        advance_intent(UUID(alone["id"]))
    assert expire_untouched(lambda: False) == len(pairs)
    for alone, together in pairs:
        row = PaymentIntent.objects.get(pk=together["id"])
        assert (row.status, due_at(row.pk)) == ("expired", None)
        assert left_by(together) == left_by(alone)
        assert schedule_next_look(row) is None


@pytest.mark.parametrize("status", ["quoted", "awaiting_signature", "partially_filled", "settled", "executing"])
def test_what_somebody_began_to_pay_ends_by_itself(world: World, api: ApiClient, status: str) -> None:
    intent = intent_in(world, api, status)
    world.wait(OVER)
    before = left_by(intent)
    assert expire_untouched(lambda: False) == 0
    assert left_by(intent) == before


def test_what_is_not_over_or_not_due_stays(world: World, api: ApiClient) -> None:
    leased, young = create(api), create(api, expires_in_seconds=3_600)
    world.wait(OVER)
    queue(datetime.fromisoformat(young["expires_at"]), pk=leased["id"])
    assert expire_untouched(lambda: False) == 0
    assert (events(leased), events(young)) == (["created"], ["created"])


def test_where_many_at_once_fail_each_ends_by_itself(
    world: World, api: ApiClient, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    intents = [create(api) for _ in range(3)]
    world.wait(OVER)

    def break_down(*_: object, **__: object) -> None:
        raise ArithmeticError

    monkeypatch.setattr(expire, "apply_trigger_to_many", break_down)
    assert sweep_due() == 3
    assert [events(intent) for intent in intents] == [["created", "expired"]] * 3
    assert "could not end many intents at once" in caplog.text


def test_no_more_end_in_one_transaction_than_others_can_wait_for(
    world: World, api: ApiClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(expire, "MOST_AT_ONCE", 2)
    intents = [create(api) for _ in range(5)]
    world.wait(OVER)
    turns = iter([False, False, True])
    assert expire_untouched(lambda: next(turns)) == 4
    assert sorted(events(intent)[-1] for intent in intents) == ["created", *["expired"] * 4]
    assert sweep_due() == 1
