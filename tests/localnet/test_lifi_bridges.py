"""Transfers between chains through the local LI.FI: deposited, filled, refunded, and lied about."""

from decimal import Decimal

import pytest

from localnet.lifi import Conduct, Lifi
from tests.localnet.conftest import Shopper, asset

WAYS = [
    ("arbitrum", "USDC", "base", "USDC"),
    ("arbitrum", "ETH", "base", "USDC"),
    ("arbitrum", "ETH", "base", "ETH"),
    ("ethereum", "USDT", "bnb", "USDT"),
    ("ethereum", "USDC", "bnb", "USDT"),
    ("bnb", "USDC", "base", "USDC"),
    ("bnb", "BNB", "base", "USDC"),
]


@pytest.mark.parametrize("fee", ["0", "0.0025"], ids=["without-a-fee", "with"])
@pytest.mark.parametrize("way", WAYS, ids="-".join)
def test_a_bridge_delivers_what_was_asked(shopper: Shopper, lifi: Lifi, way: tuple[str, ...], fee: str) -> None:
    lifi.terms.lifi_fee = Decimal(fee)
    start, taken, end, wanted = way
    landed = asset(end, wanted)
    asked = 25 * 10**landed.decimals // 7
    quote = shopper.quote_to(asset(start, taken), landed, asked)
    assert int(quote["estimate"]["toAmountMin"]) >= asked
    tx_hash = shopper.pay(quote)
    assert shopper.succeeded(start, tx_hash)
    assert shopper.status(tx_hash)["substatus"] == "WAIT_SOURCE_CONFIRMATIONS"
    assert shopper.received(landed) == 0
    lifi.relayer.work()
    assert shopper.received(landed) == int(quote["estimate"]["toAmount"])
    told = shopper.status(tx_hash)
    assert (told["status"], told["substatus"]) == ("DONE", "COMPLETED")
    assert told["receiving"]["chainId"] == landed.chain_id
    assert shopper.succeeded(end, told["receiving"]["txHash"])


def paid(shopper: Shopper, lifi: Lifi, conduct: Conduct) -> str:
    """Send 25 dollars to Base, with a relayer that behaves like this."""
    lifi.relayer.conduct = conduct
    tx_hash = shopper.pay(shopper.quote_to(asset("arbitrum", "USDC"), asset("base", "USDC"), 25_000_000))
    lifi.relayer.work()
    return tx_hash


@pytest.mark.parametrize(
    ("conduct", "units"),
    [(Conduct.HOLD, 0), (Conduct.LESS, 22_500_000), (Conduct.ELSEWHERE, 0), (Conduct.INVENTED, 12_500_000)],
    ids=str,
)
def test_a_relayer_may_do_otherwise(shopper: Shopper, lifi: Lifi, conduct: Conduct, units: int) -> None:
    tx_hash = paid(shopper, lifi, conduct)
    assert shopper.received(asset("base", "USDC")) == units
    expected = "PENDING" if conduct is Conduct.HOLD else "DONE"
    assert shopper.status(tx_hash)["status"] == expected


def test_a_refund_goes_back_to_the_payer(shopper: Shopper, lifi: Lifi) -> None:
    token = asset("arbitrum", "USDC")
    tx_hash = paid(shopper, lifi, Conduct.REFUND)
    told = shopper.status(tx_hash)
    assert (told["status"], told["substatus"]) == ("DONE", "REFUNDED")
    assert told["receiving"]["chainId"] == token.chain_id
    refunded = int(told["receiving"]["amount"])
    assert refunded == int(told["sending"]["amount"]) - int(told["feeCosts"][0]["amount"])
    assert shopper.received(asset("base", "USDC")) == 0


def test_done_can_be_a_lie(shopper: Shopper, lifi: Lifi) -> None:
    tx_hash = paid(shopper, lifi, Conduct.HOLD)
    lifi.lie("/status", fields={"status": "DONE", "substatus": "COMPLETED"})
    assert shopper.status(tx_hash)["status"] == "DONE"
    assert shopper.status(tx_hash)["status"] == "PENDING"
    assert shopper.received(asset("base", "USDC")) == 0


def test_a_relayer_at_work_needs_nobody(shopper: Shopper, lifi: Lifi) -> None:
    tx_hash = paid(shopper, lifi, Conduct.FILL)
    lifi.relayer.work()
    assert lifi.relayer.of(tx_hash) is not None
    assert len([one for one in lifi.relayer.deliveries if one.source_hash == tx_hash]) == 1
