"""Paying out at settle: every intent that settles from then on, once, by the same door as the agent's tool."""

from datetime import datetime
from importlib import import_module
from io import StringIO
from types import SimpleNamespace
from uuid import UUID

import pytest
from django.apps import apps
from django.core.management import CommandError, call_command
from django.db import connection, transaction

from core.clock import now
from core.modes import Mode
from merchants.principal import Principal
from merchants.services import NewMerchant
from payments.models import PaymentIntent
from payments.services.transition import apply_trigger, locked_intent
from payouts.models import Payout, PayoutPolicy, PayoutTransition
from payouts.selectors import policy_of
from payouts.services import CreatedPayout, create_payout, set_payout_at_settle, sweep_due
from payouts.services.at_settle import AFTERWARDS, LEASE, RESTING, SWEEP
from tests.conftest import ApiClient
from tests.factories.rows import all_rows
from tests.payments.world import World, create, pay
from tests.payouts.stories import asked, run, settled, shown, told


def paid_out() -> list[str]:
    rows = Payout.objects.order_by("created_at", "pk").values_list("intent_id", flat=True)
    return [str(intent_id) for intent_id in rows]


@pytest.fixture
def policy(world: World, principal: Principal) -> PayoutPolicy:
    return set_payout_at_settle(principal, enabled=True)


@pytest.mark.spec("Rulings B8.1; Contract 4.1")
def test_what_settles_is_paid_out_once_it_is_wanted(world: World, api: ApiClient, principal: Principal) -> None:
    """It is off by default, and what settled before is left to the merchant."""
    settled(world, api)
    run(world, 120)
    assert (paid_out(), policy_of(principal)) == ([], None)
    set_payout_at_settle(principal, enabled=True)
    run(world, 120)
    assert paid_out() == []
    intent = settled(world, api)
    run(world)
    payout = Payout.objects.get()
    assert shown(api, payout)["status"] == "paid"
    assert (str(payout.intent_id), payout.idempotency_key) == (intent["id"], "")
    assert payout.history.values_list("actor", flat=True)[0] == "policy:at_settle"
    assert told(payout) == ["created", "processing", "paid"]


def test_off_again(world: World, api: ApiClient, principal: Principal, policy: PayoutPolicy) -> None:
    """What somebody asked for is left alone, and saying it twice changes nothing."""

    def say(*, enabled: bool) -> None:
        set_payout_at_settle(principal, enabled=enabled)
        before = all_rows()
        world.wait(60)
        set_payout_at_settle(principal, enabled=enabled)
        assert all_rows() == before

    payout = asked(principal, settled(world, api), "mine")
    run(world, 5)
    assert Payout.objects.get().idempotency_key == "mine"
    assert told(payout) == ["created", "processing", "paid"]
    first = settled(world, api)
    run(world, 5)
    say(enabled=False)
    settled(world, api)
    run(world, 120)
    assert paid_out()[1:] == [first["id"]]
    say(enabled=True)
    third = settled(world, api)
    run(world, 5)
    assert paid_out()[1:] == [first["id"], third["id"]]


def test_other_merchants_and_the_other_mode_are_not_meant(
    world: World, api: ApiClient, other_api: ApiClient, principal: Principal, other_account: NewMerchant
) -> None:
    set_payout_at_settle(Principal(merchant_id=other_account.merchant.pk, mode=Mode.TEST, actor="x"), enabled=True)
    set_payout_at_settle(Principal(merchant_id=principal.merchant_id, mode=Mode.LIVE, actor="x"), enabled=True)
    settled(world, api)
    theirs = settled(world, other_api)
    run(world, 5)
    assert paid_out() == [theirs["id"]]


def test_what_did_not_settle_is_not_paid_out(world: World, api: ApiClient, policy: PayoutPolicy) -> None:
    for ending in ("partial", "late", "fail", "in_doubt"):
        assert pay(api, create(api), ending).status == 200
    run(world, 10)
    assert not PaymentIntent.objects.filter(status="settled").exists()
    assert paid_out() == []


def test_many_are_paid_out_page_by_page_and_a_sweep_whose_time_is_up_goes_on_later(
    world: World, api: ApiClient, policy: PayoutPolicy, monkeypatch: pytest.MonkeyPatch
) -> None:
    intents = [create(api) for _ in range(5)]
    for intent in intents:
        pay(api, intent)
    world.run(4)
    monkeypatch.setattr("payouts.services.at_settle.BATCH", 1)
    for count in (1, 2):
        sweep_due(0)
        assert len(paid_out()) == count
    monkeypatch.setattr("payouts.services.at_settle.BATCH", 2)
    sweep_due(60)
    assert sorted(paid_out()) == sorted(intent["id"] for intent in intents)
    sweep_due(0)
    assert len(paid_out()) == 5


def test_one_that_commits_late_is_found_by_the_cursor(world: World, api: ApiClient, policy: PayoutPolicy) -> None:
    """A transaction that took long says an earlier moment than the cursor has reached."""
    for _ in range(3):
        world.wait(200)
        sweep_due()
    policy.refresh_from_db()
    assert policy.swept_until is not None
    assert 0 <= (now() - policy.swept_until).total_seconds() <= 300
    first, second = settled(world, api), settled(world, api)
    rows = PaymentIntent.objects.filter(pk=second["id"])
    said = rows.get().settled_at
    rows.update(settled_at=None)
    run(world, 5)
    PayoutPolicy.objects.update(swept_until=now())
    rows.update(settled_at=said)
    run(world, AFTERWARDS.total_seconds())
    assert paid_out() == [first["id"], second["id"]]


def looks() -> list[datetime | None]:
    return list(PayoutPolicy.objects.order_by("merchant_id", "pk").values_list("look_at", flat=True))


def policy_for_other(other_account: NewMerchant) -> PayoutPolicy:
    return set_payout_at_settle(
        Principal(merchant_id=other_account.merchant.pk, mode=Mode.TEST, actor="x"), enabled=True
    )


def test_a_settlement_makes_its_merchant_due_and_nobody_else(
    world: World, api: ApiClient, other_account: NewMerchant, policy: PayoutPolicy
) -> None:
    policy_for_other(other_account)
    run(world, 1)
    assert looks() == [None, None]
    pay(api, create(api))
    world.run(4)
    [mine, others] = looks()
    assert (mine is not None and mine <= now(), others) == (True, None)
    run(world, 1)
    assert looks() == [None, None]


def test_a_settlement_that_is_undone_makes_nobody_due(
    world: World, api: ApiClient, policy: PayoutPolicy, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both are one transaction."""
    run(world, 1)

    def fail(*_: object) -> None:
        raise RuntimeError

    with monkeypatch.context() as patch:
        patch.setattr("payments.services.outcome.end_open_attempts", fail)
        pay(api, create(api))
        world.run(4)
    assert looks() == [None]


def test_a_merchant_is_one_workers_at_a_time_and_everybodys_when_that_one_died(
    world: World, api: ApiClient, policy: PayoutPolicy
) -> None:
    run(world, 1)
    first = settled(world, api)
    [claim] = SWEEP.claim()
    second = settled(world, api)
    assert (looks(), SWEEP.claim()) == ([claim.until], [])
    world.wait(LEASE.total_seconds())
    run(world, 1)
    assert sorted(paid_out()) == sorted([first["id"], second["id"]])
    settled(world, api)
    [another] = SWEEP.claim()
    SWEEP.advance(claim)
    assert (looks(), len(paid_out())) == ([another.until], 2), "a late worker leaves it to who has it now"
    SWEEP.advance(another)
    assert (looks(), len(paid_out())) == ([None], 3)


def test_after_a_batch_it_is_the_next_merchants_turn(
    world: World,
    api: ApiClient,
    other_api: ApiClient,
    other_account: NewMerchant,
    policy: PayoutPolicy,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("payouts.services.at_settle.BATCH", 2)
    policy_for_other(other_account)
    run(world, 1)
    many = [settled(world, api)["id"] for _ in range(5)]
    one = settled(world, other_api)["id"]
    sweep_due(60)
    made = PayoutTransition.objects.filter(from_status="").order_by("pk").values_list("subject__intent_id", flat=True)
    assert list(map(str, made)) == [*many[:2], one, *many[2:]]


def test_what_settles_while_its_merchant_is_looked_at_is_paid_out_by_the_next_look(
    world: World, api: ApiClient, policy: PayoutPolicy, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where it says an earlier moment. And what is refused keeps nobody looking."""
    run(world, 1)
    refused, second, first = settled(world, api), settled(world, api), settled(world, api)
    PaymentIntent.objects.get(pk=refused["id"]).credits.update(final_at=None)
    rows = PaymentIntent.objects.filter(pk=second["id"])
    said = rows.get().settled_at
    rows.update(status="executing", settled_at=None)

    def settle_meanwhile(principal: Principal, intent_id: UUID, key: str) -> CreatedPayout:
        made = create_payout(principal, intent_id, key)
        rows.update(status="settled", settled_at=said)
        return made

    monkeypatch.setattr("payouts.services.at_settle.create_payout", settle_meanwhile)
    [claim] = SWEEP.claim()
    SWEEP.advance(claim)
    assert (paid_out(), [moment is not None for moment in looks()]) == ([first["id"]], [True])
    [claim] = SWEEP.claim()
    SWEEP.advance(claim)
    assert (sorted(paid_out()), looks()) == (sorted([first["id"], second["id"]]), [None])


def test_what_settled_under_a_worker_of_before_is_found_after_the_migration_and_beside_it(
    world: World, api: ApiClient, policy: PayoutPolicy
) -> None:
    """Such a worker makes nobody due."""
    run(world, 1)
    before = settled(world, api)
    PayoutPolicy.objects.update(look_at=None, again_at=None)
    run(world, 600)
    assert paid_out() == []
    import_module("payouts.migrations.0002_looks_at_settle").look_at_all(apps, SimpleNamespace(connection=connection))
    run(world, 1)
    assert paid_out() == [before["id"]]
    world.wait(100)
    run(world, AFTERWARDS.total_seconds())
    beside = settled(world, api)
    PayoutPolicy.objects.update(look_at=None)
    run(world, RESTING.total_seconds())
    assert paid_out() == [before["id"], beside["id"]]


def test_one_switched_off_by_a_worker_of_before_rests(world: World, api: ApiClient, policy: PayoutPolicy) -> None:
    settled(world, api)
    PayoutPolicy.objects.update(at_settle_since=None, swept_until=None)
    run(world, 1)
    assert (paid_out(), PayoutPolicy.objects.values_list("look_at", "again_at").get()) == ([], (None, None))


def test_a_refused_one_is_left_and_the_next_is_paid_out(world: World, api: ApiClient, policy: PayoutPolicy) -> None:
    refused, fine = settled(world, api), settled(world, api)
    PaymentIntent.objects.get(pk=refused["id"]).credits.update(final_at=None)
    run(world, 120)
    assert paid_out() == [fine["id"]]
    world.wait(120)
    before = all_rows()
    sweep_due()
    assert all_rows()["payouts.Payout"] == before["payouts.Payout"]


def test_one_that_breaks_is_tried_again_for_an_hour_and_holds_up_nobody(
    world: World, api: ApiClient, policy: PayoutPolicy, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken, fine = settled(world, api), settled(world, api)

    def stumble(principal: Principal, intent_id: UUID, key: str) -> CreatedPayout:
        if str(intent_id) == broken["id"]:
            raise RuntimeError
        return create_payout(principal, intent_id, key)

    monkeypatch.setattr("payouts.services.at_settle.create_payout", stumble)
    run(world, 5)
    assert paid_out() == [fine["id"]]
    world.wait(1800)
    monkeypatch.undo()
    run(world, 5)
    assert paid_out() == [fine["id"], broken["id"]]


def test_one_that_is_settled_again_is_paid_out_once(world: World, api: ApiClient, policy: PayoutPolicy) -> None:
    intent = settled(world, api)
    run(world, 5)
    with transaction.atomic():
        apply_trigger(locked_intent(intent["id"]), "reverse", actor="test", settled_at=None)
    run(world, 5)
    with transaction.atomic():
        apply_trigger(locked_intent(intent["id"]), "restore", actor="test", settled_at=now())
    run(world, 5)
    assert paid_out() == [intent["id"]]


def command(*words: str) -> str:
    said = StringIO()
    call_command("set_payout_at_settle", *words, stdout=said)
    return said.getvalue()


def test_an_operator_can_say_it(world: World, api: ApiClient, principal: Principal) -> None:
    merchant, sentence = ["--merchant", str(principal.merchant_id)], "Corner Shop, test: payout at settle is {}.\n"
    before = all_rows()
    for refused in (
        *(["--merchant", "99", "--mode", "test", "--on"], [*merchant, "--mode", "both", "--on"]),
        *([*merchant, "--mode", "test"], [*merchant, "--mode", "test", "--on", "--off"], ["--mode", "test", "--on"]),
    ):
        with pytest.raises(CommandError):
            command(*refused)
        assert all_rows() == before, refused
    assert command(*merchant, "--mode", "test", "--on") == sentence.format("on")
    intent = settled(world, api)
    run(world, 5)
    assert paid_out() == [intent["id"]]
    assert command(*merchant, "--mode", "test", "--off") == sentence.format("off")
    assert PayoutPolicy.objects.get().at_settle_since is None
