"""pause_payouts, resume_payouts and resume_payout: what a merchant's dashboard calls."""

from uuid import uuid4

import pytest

from core.errors import NotFound, ServiceError
from core.modes import Mode
from merchants.principal import Principal
from merchants.services import NewMerchant
from payouts.errors import PayoutNotResumable
from payouts.models import Payout
from payouts.selectors import policy_of
from payouts.services import pause_payouts, resume_payout, resume_payouts
from tests.conftest import ApiClient
from tests.factories.rows import all_rows
from tests.payments.world import World
from tests.payouts.stories import asked, run, sent, settled, shown, told


def refusal(principal: Principal, payout: Payout) -> ServiceError:
    """Why one is not resumed; nothing is changed."""
    before = all_rows()
    with pytest.raises(ServiceError) as refused:
        resume_payout(principal, payout.pk)
    assert all_rows() == before
    return refused.value


def test_a_pause_is_told_and_lifted_for_all(world: World, api: ApiClient, principal: Principal) -> None:
    pause_payouts(principal)
    payouts = [asked(principal, settled(world, api), key) for key in ("a", "b")]
    run(world, 3600)
    assert {shown(api, payout)["status"] for payout in payouts} == {"paused"}
    resume_payouts(principal)
    run(world)
    for payout in payouts:
        assert (shown(api, payout)["status"], shown(api, payout)["attempts"]) == ("paid", 1)
        assert told(payout) == ["created", "paused", "processing", "paid"]


def test_a_pause_twice_is_one(world: World, principal: Principal) -> None:
    since = pause_payouts(principal).paused_at
    world.wait(60)
    assert pause_payouts(principal).paused_at == since
    resume_payouts(principal)
    assert (policy := policy_of(principal)) is not None
    assert policy.paused_at is None


def test_one_may_be_resumed_by_itself_once_nothing_holds_all(
    world: World, api: ApiClient, principal: Principal
) -> None:
    payout = asked(principal, settled(world, api))
    pause_payouts(principal)
    run(world)
    error = refusal(principal, payout)
    assert isinstance(error, PayoutNotResumable)
    assert (error.http_status, error.code) == (409, "payout_not_resumable")
    assert error.details == {"status": "paused", "reason": "merchant_paused"}
    resume_payouts(principal)
    assert resume_payout(principal, payout.pk).status == "queued"
    run(world)
    assert (shown(api, payout)["status"], len(sent(payout))) == ("paid", 1)


@pytest.mark.parametrize("status", ["queued", "paid"])
def test_one_that_is_not_paused(world: World, api: ApiClient, principal: Principal, status: str) -> None:
    payout = asked(principal, settled(world, api))
    if status == "paid":
        run(world)
    error = refusal(principal, payout)
    assert (error.http_status, error.code, error.details) == (409, "payout_not_resumable", {"status": status})


def test_one_that_the_caller_cannot_see(
    world: World, api: ApiClient, principal: Principal, other_account: NewMerchant
) -> None:
    payout = asked(principal, settled(world, api))
    pause_payouts(principal)
    run(world)
    stranger = Principal(merchant_id=other_account.merchant.pk, mode=Mode.TEST, actor="user:9")
    live = Principal(merchant_id=principal.merchant_id, mode=Mode.LIVE, actor="user:1")
    for caller in (stranger, live):
        assert isinstance(refusal(caller, payout), NotFound)
    assert isinstance(refusal(principal, Payout(pk=uuid4())), NotFound)


def test_others_are_not_paused(
    world: World, api: ApiClient, other_api: ApiClient, principal: Principal, other_account: NewMerchant
) -> None:
    pause_payouts(principal)
    stranger = Principal(merchant_id=other_account.merchant.pk, mode=Mode.TEST, actor="user:9")
    payout = asked(stranger, settled(world, other_api))
    run(world)
    assert shown(other_api, payout)["status"] == "paid"
