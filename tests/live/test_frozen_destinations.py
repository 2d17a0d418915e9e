"""What leaves goes where a person was shown: approvals, queued payouts and first addresses, on a chain of our own."""

from uuid import UUID

import pytest
from django.core.cache import cache
from django.test import Client
from pytest_django import Settings

from chains.models import Transfer
from core.clock import now
from core.modes import Mode
from core.money import usd
from localnet.nodes import fresh_wallet
from mcp.errors import ApprovalRequired
from mcp.models import ApprovalRequest
from merchants.models import Merchant
from merchants.principal import Principal
from merchants.services import NewMerchant
from payments.models import PaymentIntent, SettlementChange, SettlementProfile
from payouts.models import Payout
from payouts.services import create_payout
from payouts.services import sweep_due as sweep_payouts
from tests.factories.payments import settlement_profile
from tests.live.conftest import BASE_USDC, Till
from tests.live.signers import settles_with_signer
from tests.mcp.charter.stories import ask_payout, connected, owner_of
from tests.merchants.people import OWNER, add_second_factor, confirm_identity, send_form, sign_in, text_of
from tests.payouts.stories import told

UNITS = 25_000_000


@pytest.fixture(autouse=True)
def _nobody_is_locked_out() -> None:
    cache.clear()


@pytest.fixture
def signing(till: Till, merchant: Merchant, settings: Settings) -> Till:
    """A till whose merchant is paid at its own signing account."""
    wallet = fresh_wallet()
    settles_with_signer(till, merchant, settings, wallet.address, wallet.key.hex())
    till.node.fund(till.merchant)
    return till


@pytest.fixture
def owner(account: NewMerchant) -> Client:
    """The owner's browser; who it is was just proven."""
    client = sign_in(OWNER)
    confirm_identity(client)
    add_second_factor(OWNER)
    return client


def settle(till: Till) -> UUID:
    """Have the payer pay 25 dollars, for good; the intent's id."""
    till.issue_and_pay()
    assert till.finish()["status"] == "settled"
    till.node.mine(70)
    PaymentIntent.objects.filter(next_attempt_at__isnull=False).update(next_attempt_at=now())
    till.sweep()
    return UUID(till.intent["id"])


def work(till: Till, rounds: int = 6) -> None:
    """Workers come round and the chain goes on."""
    for _ in range(rounds):
        Payout.objects.filter(next_attempt_at__isnull=False).update(next_attempt_at=now())
        sweep_payouts()
        till.node.mine(70)
        till.sweep()


def api_key(merchant: Merchant) -> Principal:
    """The merchant's key in live mode."""
    return Principal(merchant_id=merchant.pk, mode=Mode.LIVE, actor="key:1")


def moves_to(merchant: Merchant, address: str) -> None:
    """A change of the settlement address has taken effect, as its row is written."""
    SettlementProfile.objects.filter(merchant=merchant).update(address=address)


def test_an_approval_sends_to_the_address_that_its_page_shows_or_nothing(
    signing: Till, owner: Client, merchant: Merchant
) -> None:
    first, second = fresh_wallet().address, fresh_wallet().address
    settlement_profile(merchant, chain="base", token="USDC", address=first)
    intent_id = settle(signing)
    connection = connected(api_key(merchant), approval_above_usd=usd("10"))
    with pytest.raises(ApprovalRequired):
        ask_payout(connection, {"id": str(intent_id)})
    request = ApprovalRequest.objects.get()
    at = f"/dashboard/live/approvals/{request.pk}/"
    page = text_of(owner.get(at))
    assert f"<code>{first}</code>" in page
    assert "25 USDC" in page
    assert signing.merchant not in page

    moves_to(merchant, second)
    assert f"<code>{first}</code>" in text_of(owner.get(f"{at}approve/"))
    send_form(owner, f"{at}approve/")
    assert f"{second} instead of {first}" in text_of(owner.get(at))
    request.refresh_from_db()
    assert (request.status, Payout.objects.count(), Transfer.objects.count()) == ("pending", 0, 0)

    with pytest.raises(ApprovalRequired):
        ask_payout(connection, {"id": str(intent_id)}, "anew")
    anew = ApprovalRequest.objects.exclude(pk=request.pk).get()
    assert f"<code>{second}</code>" in text_of(owner.get(f"/dashboard/live/approvals/{anew.pk}/"))
    send_form(owner, f"/dashboard/live/approvals/{anew.pk}/approve/")
    work(signing)
    assert Payout.objects.get().status == "paid"
    assert [signing.node.balance(BASE_USDC, address) for address in (first, second)] == [0, UNITS]


def test_a_first_address_waits_where_a_signing_account_would_be_emptied_to_it(
    signing: Till, owner: Client, merchant: Merchant
) -> None:
    intent_id, thief = settle(signing), fresh_wallet().address
    at = "/dashboard/live/settings/settlement/evm/"
    assert "your signing account would send there what it holds, so it does not hold at once" in text_of(owner.get(at))
    send_form(owner, at, asset="base:USDC", address=thief)
    assert (SettlementProfile.objects.count(), SettlementChange.objects.get().status) == (0, "waiting")
    with pytest.raises(Exception, match="where this chain's money goes"):
        create_payout(api_key(merchant), intent_id, "k")
    work(signing, 2)
    assert (signing.node.balance(BASE_USDC, thief), signing.held()) == (0, UNITS)


@pytest.mark.parametrize("answer", ["readdress", "release"])
def test_a_queued_payout_waits_when_its_address_was_given_up(
    signing: Till, owner: Client, merchant: Merchant, answer: str
) -> None:
    old, new = fresh_wallet().address, fresh_wallet().address
    settlement_profile(merchant, chain="base", token="USDC", address=old)
    intent_id = settle(signing)
    signing.node.fund(signing.merchant, 0)  # no gas: it waits
    payout = create_payout(api_key(merchant), intent_id, "k").payout
    work(signing, 1)
    payout.refresh_from_db()
    assert (payout.status, payout.failure_reason) == ("retry_scheduled", "insufficient_gas")

    moves_to(merchant, new)
    signing.node.fund(signing.merchant)
    work(signing)
    payout.refresh_from_db()
    assert (payout.status, payout.failure_reason, payout.next_attempt_at) == ("paused", "destination_changed", None)
    assert [signing.node.balance(BASE_USDC, address) for address in (old, new)] == [0, 0]
    page = text_of(owner.get(f"/dashboard/live/payouts/{payout.pk}/"))
    assert old in page
    assert new in page

    send_form(
        owner, f"/dashboard/live/payouts/{payout.pk}/{answer}/", destination=new if answer == "readdress" else old
    )
    work(signing)
    payout.refresh_from_db()
    at_both = [signing.node.balance(BASE_USDC, address) for address in (old, new)]
    person = f"user:{owner_of(api_key(merchant)).pk}"
    assert payout.status == "paid"
    if answer == "release":
        assert (at_both, payout.destination, payout.destination_released_by) == ([UNITS, 0], old, person)
    else:
        assert (at_both, payout.destination, payout.destination_released_by) == ([0, UNITS], new, "")
    assert told(payout) == ["created", "processing", "retry_scheduled", "paused", "processing", "paid"]
