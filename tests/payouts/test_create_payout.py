"""create_payout: one payout per intent whoever asks, and what it refuses. Creating one by HTTP does not exist."""

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
from tests.payments.world import World
from tests.payouts.stories import asked, run, sent, settled, told, transfers


def refusal(principal: Principal, intent_id: UUID, key: str = "k") -> ServiceError:
    before = all_rows()
    with pytest.raises(ServiceError) as refused:
        create_payout(principal, intent_id, key)
    assert all_rows() == before
    return refused.value


@pytest.mark.spec("Rulings A6.4; Contract 4.4")
def test_a_repeat_by_key_or_by_intent_gets_the_same_payout(world: World, api: ApiClient, principal: Principal) -> None:
    """Nothing is sent before the first is committed."""
    intent = settled(world, api)
    first = create_payout(principal, UUID(intent["id"]), "k")
    before = all_rows()
    again = create_payout(principal, UUID(intent["id"]), "k")
    assert (again.payout.pk, first.coalesced, again.coalesced) == (first.payout.pk, False, False)
    assert asked(principal, intent, "another").pk == first.payout.pk
    assert all_rows() == before
    assert (Payout.objects.get().idempotency_key, Payout.objects.get().status) == ("k", "queued")
    assert (Transfer.objects.count(), sent(first.payout)) == (0, [])
    assert list(first.payout.history.values_list("trigger", "actor")) == [("create", "key:test")]
    run(world)
    after = create_payout(principal, UUID(intent["id"]), "k")
    assert (after.payout.pk, after.payout.status, after.coalesced) == (first.payout.pk, "paid", False)
    run(world)
    assert (transfers(first.payout), len(sent(first.payout))) == (["paid"], 1)
    assert told(first.payout) == ["created", "processing", "paid"]


def test_the_key_of_another_intent_is_refused_unless_it_is_another_merchants(
    world: World, api: ApiClient, other_api: ApiClient, principal: Principal, other_account: NewMerchant
) -> None:
    first, second = settled(world, api), settled(world, api)
    payout = asked(principal, first, "k")
    error = refusal(principal, UUID(second["id"]), "k")
    assert isinstance(error, IdempotencyKeyReused)
    assert (error.http_status, error.code) == (409, "idempotency_key_reused")
    asked(principal, second, "other")
    assert isinstance(refusal(principal, UUID(second["id"]), "k"), IdempotencyKeyReused)
    stranger = Principal(merchant_id=other_account.merchant.pk, mode=Mode.TEST, actor="agent:2")
    assert asked(stranger, settled(world, other_api), "k").pk != payout.pk


@pytest.mark.spec("Contract 4.2")
@pytest.mark.parametrize("status", [status for status in STORIES if status != "settled"])
def test_an_intent_that_is_not_settled(world: World, api: ApiClient, principal: Principal, status: str) -> None:
    intent = intent_in(world, api, status)
    error = refusal(principal, UUID(intent["id"]))
    assert isinstance(error, IntentNotSettled)
    assert (error.http_status, error.code, error.details) == (409, "intent_not_settled", {"status": status})


def test_an_unseen_intent(world: World, api: ApiClient, principal: Principal, other_account: NewMerchant) -> None:
    """Before it has a payout and after."""
    intent = settled(world, api)
    stranger = Principal(merchant_id=other_account.merchant.pk, mode=Mode.TEST, actor="agent:2")
    live = Principal(merchant_id=principal.merchant_id, mode=Mode.LIVE, actor="agent:1")
    for _ in range(2):
        for caller, intent_id in ((principal, uuid4()), (stranger, UUID(intent["id"])), (live, UUID(intent["id"]))):
            error = refusal(caller, intent_id)
            assert isinstance(error, NotFound)
            assert (error.http_status, error.code, error.details) == (404, "not_found", {"resource": "payment_intent"})
        asked(principal, intent)


def test_no_key_and_no_credits_are_refused(world: World, api: ApiClient, principal: Principal) -> None:
    intent = settled(world, api)
    for key in ("", "k" * 256, "grün", "a\nb", "\x7f"):
        error = refusal(principal, UUID(intent["id"]), key)
        assert isinstance(error, IdempotencyKeyInvalid)
        assert (error.http_status, error.code) == (400, "idempotency_key_invalid")
    PaymentIntent.objects.get(pk=intent["id"]).credits.update(final_at=None)
    error = refusal(principal, UUID(intent["id"]))
    assert isinstance(error, PayoutNotPossible)
    assert (error.http_status, error.code) == (409, "payout_not_possible")
    assert error.details == {"reason": "settlement_missing"}
    for key in ("k", "k" * 255, " ~"):
        assert asked(principal, settled(world, api), key).idempotency_key == key


@pytest.mark.spec("Contract 4.1; Contract 21.12")
def test_http_creates_none(world: World, api: ApiClient) -> None:
    intent = settled(world, api)
    before = all_rows()
    body = {"payment_intent_id": intent["id"], "idempotency_key": "k"}
    assert_refused(api.post("/payouts", body), 405, "method_not_allowed")
    for path in ("payouts", f"payment-intents/{intent['id']}/payout"):
        assert_refused(api.post(f"/test-helpers/{path}", body), 404, "not_found")
    assert all_rows() == before
