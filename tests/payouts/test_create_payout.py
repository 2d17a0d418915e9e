"""create_payout: one payout per intent whoever asks, and what it refuses. Creating one by HTTP does not exist."""

from typing import Any
from uuid import UUID, uuid4

import pytest

from chains.models import Transfer
from core.errors import NotFound, ServiceError
from core.modes import Mode
from merchants.errors import IdempotencyKeyInvalid, IdempotencyKeyReused
from merchants.principal import Principal
from merchants.services import NewMerchant
from payments.errors import IntentNotSettled
from payments.models import PaymentIntent
from payouts.errors import PayoutNotPossible
from payouts.models import Payout
from payouts.services import create_payout
from tests.conftest import ApiClient
from tests.core.error_form import assert_refused
from tests.factories.rows import all_rows
from tests.payments.statuses import STORIES, intent_in
from tests.payments.world import World, create
from tests.payouts.stories import asked, run, sent, settled, told, transfers


def refusal(principal: Principal, intent_id: UUID, key: str = "k") -> ServiceError:
    """Why no payout is created; nothing is changed and nothing is sent."""
    before = all_rows()
    with pytest.raises(ServiceError) as refused:
        create_payout(principal, intent_id, key)
    assert all_rows() == before
    return refused.value


def test_a_repeat_with_the_same_key_gets_the_same_payout(world: World, api: ApiClient, principal: Principal) -> None:
    intent = settled(world, api)
    first = create_payout(principal, UUID(intent["id"]), "k")
    before = all_rows()
    again = create_payout(principal, UUID(intent["id"]), "k")
    assert (again.payout.pk, first.coalesced, again.coalesced) == (first.payout.pk, False, False)
    assert all_rows() == before
    run(world)
    after = create_payout(principal, UUID(intent["id"]), "k")
    assert (after.payout.pk, after.payout.status, after.coalesced) == (first.payout.pk, "paid", False)
    run(world)
    assert (transfers(first.payout), len(sent(first.payout))) == (["paid"], 1)
    assert told(first.payout) == ["created", "processing", "paid"]


@pytest.mark.spec("Rulings A6.4; Contract 4.4")
def test_a_repeat_for_the_same_intent_gets_the_same_payout(world: World, api: ApiClient, principal: Principal) -> None:
    intent = settled(world, api)
    first = asked(principal, intent, "one")
    before = all_rows()
    assert asked(principal, intent, "another").pk == first.pk
    assert all_rows() == before
    assert Payout.objects.get().idempotency_key == "one"


def test_the_key_of_another_intent_is_refused(world: World, api: ApiClient, principal: Principal) -> None:
    first, second = settled(world, api), settled(world, api)
    asked(principal, first, "k")
    error = refusal(principal, UUID(second["id"]), "k")
    assert isinstance(error, IdempotencyKeyReused)
    assert (error.http_status, error.code) == (409, "idempotency_key_reused")
    asked(principal, second, "other")
    assert isinstance(refusal(principal, UUID(second["id"]), "k"), IdempotencyKeyReused)


def test_keys_of_other_merchants_do_not_meet(
    world: World, api: ApiClient, other_api: ApiClient, principal: Principal, other_account: NewMerchant
) -> None:
    mine, theirs = settled(world, api), settled(world, other_api)
    stranger = Principal(merchant_id=other_account.merchant.pk, mode=Mode.TEST, actor="agent:2")
    assert asked(principal, mine, "k").pk != asked(stranger, theirs, "k").pk


@pytest.mark.spec("Contract 4.2")
@pytest.mark.parametrize("status", [status for status in STORIES if status != "settled"])
def test_an_intent_that_is_not_settled(world: World, api: ApiClient, principal: Principal, status: str) -> None:
    intent = intent_in(world, api, status)
    error = refusal(principal, UUID(intent["id"]))
    assert isinstance(error, IntentNotSettled)
    assert (error.http_status, error.code, error.details) == (409, "intent_not_settled", {"status": status})


@pytest.mark.parametrize("whose", ["nobody", "a stranger", "the other mode"])
def test_an_intent_that_the_caller_cannot_see(
    world: World, api: ApiClient, principal: Principal, other_account: NewMerchant, whose: str
) -> None:
    intent_id = UUID(settled(world, api)["id"])
    callers = {
        "nobody": principal,
        "a stranger": Principal(merchant_id=other_account.merchant.pk, mode=Mode.TEST, actor="agent:2"),
        "the other mode": Principal(merchant_id=principal.merchant_id, mode=Mode.LIVE, actor="agent:1"),
    }
    error = refusal(callers[whose], uuid4() if whose == "nobody" else intent_id)
    assert isinstance(error, NotFound)
    assert (error.http_status, error.code, error.details) == (404, "not_found", {"resource": "payment_intent"})


@pytest.mark.parametrize("whose", ["a stranger", "the other mode"])
def test_a_payout_is_not_shown_to_those_who_cannot_see_its_intent(
    world: World, api: ApiClient, principal: Principal, other_account: NewMerchant, whose: str
) -> None:
    intent = settled(world, api)
    asked(principal, intent)
    merchant = other_account.merchant.pk if whose == "a stranger" else principal.merchant_id
    mode = Mode.LIVE if whose == "the other mode" else Mode.TEST
    error = refusal(Principal(merchant_id=merchant, mode=mode, actor="agent:2"), UUID(intent["id"]))
    assert isinstance(error, NotFound)


@pytest.mark.parametrize("key", ["", "k" * 256, "grün", "a\nb", "\x7f"], ids=["empty", "long", "umlaut", "line", "del"])
def test_a_key_that_is_none(world: World, api: ApiClient, principal: Principal, key: str) -> None:
    error = refusal(principal, UUID(settled(world, api)["id"]), key)
    assert isinstance(error, IdempotencyKeyInvalid)
    assert (error.http_status, error.code) == (400, "idempotency_key_invalid")


@pytest.mark.parametrize("key", ["k", "k" * 255, " ~"], ids=["short", "longest", "odd"])
def test_a_key_that_is_one(world: World, api: ApiClient, principal: Principal, key: str) -> None:
    assert asked(principal, settled(world, api), key).idempotency_key == key


def test_a_settlement_without_credits_is_refused(world: World, api: ApiClient, principal: Principal) -> None:
    intent = settled(world, api)
    PaymentIntent.objects.get(pk=intent["id"]).credits.update(final_at=None)
    error = refusal(principal, UUID(intent["id"]))
    assert isinstance(error, PayoutNotPossible)
    assert (error.http_status, error.code, error.details) == (
        409,
        "payout_not_possible",
        {"reason": "settlement_missing"},
    )


def test_nothing_is_sent_before_it_is_committed(world: World, api: ApiClient, principal: Principal) -> None:
    payout = asked(principal, settled(world, api))
    assert (payout.status, Transfer.objects.count(), sent(payout)) == ("queued", 0, [])


@pytest.mark.spec("Contract 4.1; Contract 21.12")
@pytest.mark.parametrize("path", ["/payouts", "/test-helpers/payouts", "/test-helpers/payment-intents/{}/payout"])
def test_http_creates_none(world: World, api: ApiClient, path: str) -> None:
    intent: dict[str, Any] = settled(world, api)
    before = all_rows()
    body = {"payment_intent_id": intent["id"], "idempotency_key": "k"}
    reply = api.post(path.format(intent["id"]), body)
    exists = path == "/payouts"
    assert_refused(reply, 405 if exists else 404, "method_not_allowed" if exists else "not_found")
    assert all_rows() == before


def test_the_actor_is_remembered(world: World, api: ApiClient, principal: Principal) -> None:
    intent = create(api)
    assert intent["status"] == "created"
    payout = asked(principal, settled(world, api))
    assert list(payout.history.values_list("trigger", "actor")) == [("create", "key:test")]
