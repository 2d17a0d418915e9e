"""The paying wallet as a destination: only where the merchant wants it, and only where the wallet is proven."""

from typing import Any

import pytest

from core.modes import Mode
from merchants.models import Merchant
from merchants.principal import Principal
from refunds.selectors import proven_wallet
from refunds.services.policy import set_refund_policy
from tests.conftest import ApiClient
from tests.factories.payments import ANNS_SOLANA, BOBS_EVM
from tests.factories.refunds import USDC_ON_BASE, paid_intent, paid_leg
from tests.refunds.stories import PAYEE, refund, row, steps

ON_SOLANA = {
    "settlement_chain": "solana",
    "settlement_token_address": "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v",
    "settlement_address": ANNS_SOLANA,
}
SIGNED_ON_BASE = {"source_nonce": 7}
SIGNED_ON_SOLANA = {"signed_transaction": "AQID", "payer_address": ANNS_SOLANA}


@pytest.fixture
def live(merchant: Merchant) -> Principal:
    """The merchant in live mode."""
    return Principal(merchant_id=merchant.pk, mode=Mode.LIVE, actor="key:live")


@pytest.mark.parametrize(
    ("intent", "leg", "wallet"),
    [
        pytest.param({}, SIGNED_ON_BASE, BOBS_EVM, id="sent by the wallet itself"),
        pytest.param({}, {}, None, id="brought by somebody else's transaction"),
        pytest.param({}, {**SIGNED_ON_BASE, "status": "in_doubt"}, None, id="not confirmed"),
        pytest.param({}, {**SIGNED_ON_BASE, "status": "refunded"}, None, id="given back by the bridge"),
        pytest.param({}, {**SIGNED_ON_BASE, "chain": "polygon"}, None, id="signed on another chain"),
        pytest.param({}, {**SIGNED_ON_BASE, "tx_hash": ""}, None, id="no transaction known"),
        pytest.param({}, {"signed_transaction": "AQID"}, None, id="a stored message proves nothing on an EVM chain"),
        pytest.param(ON_SOLANA, SIGNED_ON_SOLANA, ANNS_SOLANA, id="signed on Solana"),
        pytest.param(ON_SOLANA, {"payer_address": ANNS_SOLANA}, None, id="found on Solana by its reference"),
        pytest.param(ON_SOLANA, {**SIGNED_ON_BASE, "payer_address": ANNS_SOLANA}, None, id="no nonces on Solana"),
    ],
)
def test_which_wallet_is_proven(
    intent: dict[str, Any], leg: dict[str, Any], wallet: str | None, merchant: Merchant
) -> None:
    """Source: rulings, D 3."""
    paid = paid_intent(merchant, **intent)
    paid_leg(paid, **leg)
    assert proven_wallet(paid, paid.settlement_chain) == wallet


def test_the_newest_proven_wallet_counts(merchant: Merchant) -> None:
    paid = paid_intent(merchant)
    for sequence, payer in enumerate((BOBS_EVM, PAYEE, BOBS_EVM), start=1):
        proof: dict[str, Any] = SIGNED_ON_BASE if sequence < 3 else {}
        paid_leg(paid, payer_address=payer, sequence=sequence, **proof)
    assert proven_wallet(paid, "base") == PAYEE


@pytest.mark.spec("States: refund")
def test_without_a_policy_nothing_is_assumed(merchant: Merchant, live_api: ApiClient) -> None:
    paid = paid_intent(merchant)
    paid_leg(paid, **SIGNED_ON_BASE)
    made = refund(live_api, {"id": str(paid.pk)})
    assert (made["destination"], made["failure_reason"]) == ("", "missing_destination")
    assert made["suggested_destination"] == BOBS_EVM


def test_with_the_policy_the_proven_wallet_is_taken(merchant: Merchant, live: Principal, live_api: ApiClient) -> None:
    set_refund_policy(live, to_paying_wallet=True)
    paid = paid_intent(merchant)
    paid_leg(paid, **SIGNED_ON_BASE)
    made = refund(live_api, {"id": str(paid.pk)}, 10)
    assert (made["destination"], made["failure_reason"], steps(made)) == (BOBS_EVM, None, ["waiting", "queued"])
    assert row(made).history.get(trigger="address").reason == "to the paying wallet"
    elsewhere = refund(live_api, {"id": str(paid.pk)}, 10, destination=PAYEE)
    assert elsewhere["destination"] == PAYEE
    set_refund_policy(live, to_paying_wallet=False)
    assert refund(live_api, {"id": str(paid.pk)}, 5)["failure_reason"] == "missing_destination"


@pytest.mark.parametrize(
    "leg", [pytest.param({}, id="unproven"), pytest.param({**SIGNED_ON_BASE, "payer_address": USDC_ON_BASE}, id="lost")]
)
def test_with_the_policy_but_no_wallet_to_trust_it_waits(
    leg: dict[str, Any], merchant: Merchant, live: Principal, live_api: ApiClient
) -> None:
    set_refund_policy(live, to_paying_wallet=True)
    paid = paid_intent(merchant)
    paid_leg(paid, **leg)
    assert refund(live_api, {"id": str(paid.pk)})["failure_reason"] == "missing_destination"


def test_a_policy_is_for_one_merchant_and_mode(
    merchant: Merchant, live: Principal, principal: Principal, api: ApiClient
) -> None:
    set_refund_policy(live, to_paying_wallet=True)
    paid = paid_intent(merchant, mode="test")
    paid_leg(paid)
    assert refund(api, {"id": str(paid.pk)}, 5)["failure_reason"] == "missing_destination"
    set_refund_policy(principal, to_paying_wallet=True)
    assert refund(api, {"id": str(paid.pk)}, 5)["destination"] == BOBS_EVM
