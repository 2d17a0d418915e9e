"""A failed payout is sent again and nothing else is; what a merchant paused goes on when it is resumed."""

from typing import Any
from uuid import uuid4

import pytest
from django.db import transaction

from chains import ledger
from chains.models import Transfer
from chains.states import TRANSFER_MACHINE, TransferStatus
from chains.transfers import RailName, TransferOrder, request_transfer
from core.errors import NotFound, ServiceError
from core.modes import Mode
from core.money import BaseUnits, usd
from merchants.principal import Principal
from merchants.services import NewMerchant
from payments.services.transition import apply_trigger, locked_intent
from payouts.errors import PayoutNotResumable
from payouts.models import Payout
from payouts.selectors import policy_of
from payouts.services import pause_payouts, resume_payout, resume_payouts
from tests.conftest import ApiClient
from tests.core.error_form import assert_refused
from tests.factories.rows import all_rows
from tests.payments.world import World, advance
from tests.payouts.stories import asked, run, sent, settled, shown, told, transfers

NOWHERE = "00000000-0000-4000-8000-000000000000"
UNFINISHED = ["reserved", "signed", "broadcast", "mined"]
WAYS = {"reserved": ["reserve"], "signed": ["sign"], "broadcast": ["sign", "broadcast"], "mined": ["sign", "include"]}


def failed(world: World, api: ApiClient, principal: Principal) -> Payout:
    payout = asked(principal, settled(world, api, metadata={"simulate": "payout_fail"}))
    run(world, 0)
    assert shown(api, payout)["status"] == "failed"
    return payout


def replay(api: ApiClient, payout: Payout, **headers: str) -> Any:
    return api.post(f"/payouts/{payout.pk}/replay", **headers)


@pytest.mark.spec("Contract 4.8; Errors: 409 and 422 of refunds and payouts")
@pytest.mark.parametrize("status", ["queued", "pending_provider", "retry_scheduled", "paid", "paused"])
def test_one_that_did_not_fail(world: World, api: ApiClient, principal: Principal, status: str) -> None:
    """Only a paused one may be resumed."""
    scenario = {"retry_scheduled": "payout_retry", "pending_provider": "payout_unknown"}.get(status, "settle")
    payout = asked(principal, settled(world, api, metadata={"simulate": scenario}))
    if status == "paused":
        pause_payouts(principal)
    if status != "queued":
        run(world, 3)
    assert shown(api, payout)["status"] == status
    before, moved = all_rows(), len(sent(payout))
    reply = replay(api, payout)
    assert_refused(reply, 409, "payout_not_replayable")
    assert reply.body["details"] == {"status": status, "replayable_from": ["failed"]}
    assert (all_rows(), len(sent(payout))) == (before, moved)
    if status != "paused":
        error = refusal(principal, payout)
        assert (error.http_status, error.code, error.details) == (409, "payout_not_resumable", {"status": status})


@pytest.mark.spec("Contract 4.9")
@pytest.mark.parametrize("status", UNFINISHED)
@pytest.mark.parametrize("newest", [True, False], ids=["newest round", "earlier round"])
def test_one_that_may_still_land(world: World, api: ApiClient, principal: Principal, status: str, newest: bool) -> None:
    payout = failed(world, api, principal)
    unfinished = another_round(payout)
    for trigger in WAYS[status]:
        with transaction.atomic():
            ledger.advance(ledger.locked_transfer(unfinished.pk), trigger, nonce=7, tx_hash="0xabc")
    if newest:
        Payout.objects.filter(pk=payout.pk).update(transfer=unfinished)
    before = all_rows()
    reply = replay(api, payout)
    assert_refused(reply, 409, "payout_not_replayable")
    assert reply.body["details"] == {"status": "failed", "replayable_from": ["failed"], "reason": "outcome_unknown"}
    assert (all_rows(), sent(payout)) == (before, [])


def another_round(payout: Payout) -> Transfer:
    """A transfer that a failed payout should not have: as left by a fault, or by a person's hand."""
    facts = {name: getattr(payout, name) for name in ("merchant_id", "mode", "chain", "token_address")}
    order = TransferOrder(
        **facts, network="simulated", purpose="payout", purpose_id=payout.pk, rail=RailName.SIMULATED,
        token_decimals=6, recipient=payout.destination, base_units=BaseUnits(25_000_000), value_usd=usd("25"),
    )  # fmt: skip
    with transaction.atomic():
        return request_transfer(order)


def test_the_statuses_of_transfers_are_all_thought_of() -> None:
    assert set(TRANSFER_MACHINE.statuses) - {*UNFINISHED, "new", "paid", "reverted", "failed"} == set()
    assert {status.value for status in TransferStatus} == set(TRANSFER_MACHINE.statuses)


def test_a_transfer_paid_after_all_is_not_made_again(world: World, api: ApiClient, principal: Principal) -> None:
    payout = failed(world, api, principal)
    paid = another_round(payout)
    for trigger in ("sign", "include", "pay"):
        with transaction.atomic():
            ledger.advance(ledger.locked_transfer(paid.pk), trigger, tx_hash="0xabc")
    assert replay(api, payout).status == 200
    run(world)
    done = shown(api, payout)
    assert (done["status"], done["tx_hash"]) == ("paid", "0xabc")
    assert (transfers(payout), sent(payout)) == (["failed", "paid"], [])


def test_one_whose_intent_was_refunded_meanwhile(world: World, api: ApiClient, principal: Principal) -> None:
    payout = failed(world, api, principal)
    with transaction.atomic():
        apply_trigger(locked_intent(payout.intent_id), "refund", actor="test")
    before = all_rows()
    reply = replay(api, payout)
    assert_refused(reply, 409, "intent_not_settled")
    assert reply.body["details"] == {"status": "refunded"}
    assert (all_rows(), sent(payout)) == (before, [])


def test_neither_an_unknown_id_nor_time_wakes_what_failed(world: World, api: ApiClient, principal: Principal) -> None:
    payout = failed(world, api, principal)
    before = all_rows()
    for written in (NOWHERE, "nonsense", "pi_nonsense"):
        reply = api.post(f"/payouts/{written}/replay")
        assert_refused(reply, 404, "not_found")
        assert reply.body["details"] == {"resource": "payout"}
    assert (all_rows(), sent(payout)) == (before, [])
    as_it_was = shown(api, payout)
    advance(api, 31_536_000)
    run(world)
    assert shown(api, payout) == as_it_was


def test_a_repeat_under_one_key_gets_the_first_answer(world: World, api: ApiClient, principal: Principal) -> None:
    payout = failed(world, api, principal)
    first = api.post(f"/payouts/{payout.pk}/replay", {}, Idempotency_Key="r")
    run(world)
    again = api.post(f"/payouts/{payout.pk}/replay", {}, Idempotency_Key="r")
    assert (again.status, again.raw, again.headers["Idempotent-Replayed"]) == (200, first.raw, "true")
    assert (transfers(payout), len(sent(payout))) == (["failed", "paid"], 1)


def refusal(principal: Principal, payout: Payout) -> ServiceError:
    before = all_rows()
    with pytest.raises(ServiceError) as refused:
        resume_payout(principal, payout.pk)
    assert all_rows() == before
    return refused.value


def test_a_pause_is_told_and_lifted_for_all_of_one_merchant(
    world: World, api: ApiClient, other_api: ApiClient, principal: Principal, other_account: NewMerchant
) -> None:
    stranger = Principal(merchant_id=other_account.merchant.pk, mode=Mode.TEST, actor="user:9")
    payouts = [asked(principal, settled(world, api), key) for key in ("a", "b")]
    theirs = asked(stranger, settled(world, other_api))
    since = pause_payouts(principal).paused_at
    world.wait(60)
    assert pause_payouts(principal).paused_at == since
    run(world, 60)
    assert {shown(api, payout)["status"] for payout in payouts} == {"paused"}
    assert shown(other_api, theirs)["status"] == "paid"
    resume_payouts(principal)
    assert (policy := policy_of(principal)) is not None
    assert policy.paused_at is None
    run(world)
    for payout in payouts:
        assert (shown(api, payout)["status"], shown(api, payout)["attempts"]) == ("paid", 1)
        assert told(payout) == ["created", "paused", "processing", "paid"]


def test_one_may_be_resumed_by_itself_once_nothing_holds_all_and_only_by_its_owner(
    world: World, api: ApiClient, principal: Principal, other_account: NewMerchant
) -> None:
    payout = asked(principal, settled(world, api))
    pause_payouts(principal)
    run(world)
    stranger = Principal(merchant_id=other_account.merchant.pk, mode=Mode.TEST, actor="user:9")
    live = Principal(merchant_id=principal.merchant_id, mode=Mode.LIVE, actor="user:1")
    for caller, asked_for in ((stranger, payout), (live, payout), (principal, Payout(pk=uuid4()))):
        assert isinstance(refusal(caller, asked_for), NotFound)
    error = refusal(principal, payout)
    assert isinstance(error, PayoutNotResumable)
    assert (error.http_status, error.code) == (409, "payout_not_resumable")
    assert error.details == {"status": "paused", "reason": "merchant_paused"}
    resume_payouts(principal)
    assert resume_payout(principal, payout.pk).status == "queued"
    run(world)
    assert (shown(api, payout)["status"], len(sent(payout))) == ("paid", 1)
