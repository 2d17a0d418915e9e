"""The paying wallet as a destination: only where the merchant wants it, and only the one wallet that paid as much."""

from typing import Any

import pytest

from core.modes import Mode
from merchants.models import Merchant
from merchants.principal import Principal
from payments.models import PaymentIntent
from refunds.services.policy import set_refund_policy
from tests.conftest import ApiClient
from tests.factories.payments import ANNS_SOLANA, BOBS_EVM
from tests.factories.refunds import USDC_ON_BASE, paid_intent
from tests.refunds.claiming import more, paid_by, paid_in_parts
from tests.refunds.stories import PAYEE, refund, row, steps

ON_SOLANA = {
    "settlement_chain": "solana",
    "settlement_token_address": "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v",
    "settlement_address": ANNS_SOLANA,
}
NOBODYS = {"payer": "", "payer_proof": ""}


@pytest.fixture
def live(merchant: Merchant) -> Principal:
    return Principal(merchant_id=merchant.pk, mode=Mode.LIVE, actor="key:live")


def paid(merchant: Merchant, wallet: str = BOBS_EVM, **fields: Any) -> PaymentIntent:
    intent = paid_intent(merchant, **fields)
    paid_by(intent, wallet)
    return intent


def waits(made: dict[str, Any]) -> bool:
    return (made["destination"], made["failure_reason"]) == ("", "missing_destination")


@pytest.mark.spec("Rulings D3.1")
@pytest.mark.parametrize(
    ("intent", "credit", "wallet"),
    [
        ({}, {}, BOBS_EVM),
        ({}, {"leg": None}, BOBS_EVM),
        ({}, {"finalized_at": None}, BOBS_EVM),
        ({}, NOBODYS, None),
        ({}, {"payer": ANNS_SOLANA}, None),
        ({}, {"vanished_at": "2026-01-01T00:00:00Z"}, None),
        (ON_SOLANA, {"payer": ANNS_SOLANA}, ANNS_SOLANA),
    ],
    ids=["its own", "whatever leg", "not final yet", "nobody's", "of another family", "vanished", "on Solana"],
)
def test_which_wallet_is_suggested(
    intent: dict[str, Any], credit: dict[str, Any], wallet: str | None, merchant: Merchant, live_api: ApiClient
) -> None:
    one = paid(merchant, **intent)
    one.legs.update(payer_address=PAYEE)  # whatever the checkout says, the credit's own transaction names the wallet
    one.credits.update(**credit)
    made = refund(live_api, {"id": str(one.pk)})
    assert (made["destination"], made["suggested_destination"]) == ("", wallet)


@pytest.fixture
def shared(merchant: Merchant, live: Principal) -> PaymentIntent:
    """One wallet paid 10 dollars and another 15, where the policy holds."""
    set_refund_policy(live, to_paying_wallet=True)
    return paid_in_parts(merchant, (10, BOBS_EVM), (15, PAYEE))


@pytest.mark.parametrize(
    ("amount", "wallet"), [(11, PAYEE), (15, PAYEE), (10, None), (1, None), (16, None), (25, None)]
)
def test_where_several_paid_only_one_who_covers_it_alone_is_taken(
    shared: PaymentIntent, live_api: ApiClient, amount: int, wallet: str | None
) -> None:
    made = refund(live_api, {"id": str(shared.pk)}, amount)
    assert made["destination"] == (wallet or "")
    assert made["failure_reason"] == (None if wallet else "missing_destination")


def test_what_went_back_is_not_owed_again(shared: PaymentIntent, live_api: ApiClient) -> None:
    first, second = (refund(live_api, {"id": str(shared.pk)}, amount) for amount in (11, 9))
    assert (first["destination"], second["destination"]) == (PAYEE, BOBS_EVM)
    third = refund(live_api, {"id": str(shared.pk)}, 5)
    assert waits(third)
    assert [(one["wallet"], one["unreturned_usd"]) for one in third["payers"]] == [(PAYEE, 4), (BOBS_EVM, 1)]


@pytest.mark.spec("Contract 3.11; States: refund")
def test_without_a_policy_nothing_is_assumed(merchant: Merchant, live_api: ApiClient) -> None:
    made = refund(live_api, {"id": str(paid(merchant).pk)})
    assert waits(made)
    assert made["suggested_destination"] == BOBS_EVM
    [payer] = made["payers"]
    assert payer == {
        **{"wallet": BOBS_EVM, "family": "evm", "paid_usd": 25, "paid_units": "25000000"},
        **{"returned_usd": 0, "returned_units": "0", "unreturned_usd": 25, "unreturned_units": "25000000"},
    }


def test_with_the_policy_the_proven_wallet_is_taken(
    merchant: Merchant, live: Principal, live_api: ApiClient, principal: Principal, api: ApiClient
) -> None:
    """For one merchant and mode."""
    set_refund_policy(live, to_paying_wallet=True)
    one = paid(merchant)
    made = refund(live_api, {"id": str(one.pk)}, 10)
    assert (made["destination"], made["failure_reason"], steps(made)) == (BOBS_EVM, None, ["waiting", "queued"])
    assert row(made).history.get(trigger="address").reason == "to the paying wallet"
    elsewhere = refund(live_api, {"id": str(one.pk)}, 10, destination=PAYEE)
    assert elsewhere["destination"] == PAYEE
    set_refund_policy(live, to_paying_wallet=False)
    assert refund(live_api, {"id": str(one.pk)}, 5)["failure_reason"] == "missing_destination"
    set_refund_policy(live, to_paying_wallet=True)
    one = paid(merchant, mode="test")
    assert refund(api, {"id": str(one.pk)}, 5)["failure_reason"] == "missing_destination"
    set_refund_policy(principal, to_paying_wallet=True)
    assert refund(api, {"id": str(one.pk)}, 5)["destination"] == BOBS_EVM


@pytest.mark.spec("Rulings D3.1")
def test_by_policy_without_a_trusted_wallet_it_waits(merchant: Merchant, live: Principal, live_api: ApiClient) -> None:
    """A stranger's dust covers only dust."""
    set_refund_policy(live, to_paying_wallet=True)
    for wallet in ("", USDC_ON_BASE):
        one = paid(merchant)
        one.credits.update(payer=wallet)
        assert waits(refund(live_api, {"id": str(one.pk)}))
    one = paid(merchant)
    more(one, 1, PAYEE)
    PaymentIntent.objects.filter(pk=one.pk).update(received_usd="25.000001")
    assert refund(live_api, {"id": str(one.pk)}, 20)["destination"] == BOBS_EVM
    assert waits(refund(live_api, {"id": str(one.pk)}, 5.000001))
