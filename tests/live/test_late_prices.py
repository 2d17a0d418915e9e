"""A payment in a coin that left its payer later than its rate was promised for: what it counts for on a real chain."""

from datetime import timedelta
from decimal import Decimal

import pytest

from chains.registry import EVM_NATIVE_ADDRESS
from core.clock import now
from localnet.nodes import ONE_COIN
from payments.models import Credit, PaymentAttempt, PaymentIntent
from tests.live.evm_till import Till
from tokens.models import Token, TokenPrice

WHOLE = 399_600_000_000_000_000
"""999 dollars of ether at 2,500."""


def ether_costs(*prices: str, before: int = 0) -> None:
    """So many sources say this of ether on Base, and said it so many seconds ago."""
    token = Token.objects.get(chain="base", symbol="ETH")
    told = now() - timedelta(seconds=before)
    token.prices.all().delete()
    for number, price in enumerate(prices):
        TokenPrice.objects.create(token=token, source=f"source {number}", price_usd=Decimal(price), priced_at=told)


@pytest.mark.spec("Rulings C4.2; Rulings A7.2")
@pytest.mark.parametrize(
    ("said", "before", "status", "worth"),
    [
        (("1250", "1251"), 0, "partially_filled", "499.5"),
        (("1250", "1251"), 3_600, "partially_filled", "499.5"),
        (("1250",), 0, "partially_filled", "499.5"),
        (("5000", "5000"), 3_600, "settled", "999"),
        ((), 0, "settled", "999"),
    ],
    ids=["of its block", "none of then, fallen", "one source, fallen", "none of then, risen", "none at all"],
)
def test_a_payment_after_its_lock_counts_at_its_blocks_price(
    said: tuple[str, ...], before: int, status: str, worth: str, till: Till
) -> None:
    till.token, till.symbol = EVM_NATIVE_ADDRESS, "ETH"
    till.node.fund(till.payer.address, 10 * ONE_COIN)
    attempt = till.issue("999", expires_in_seconds=86_400)
    over = now() - timedelta(seconds=600)
    PaymentIntent.objects.update(rate_until=over)
    PaymentAttempt.objects.update(signature_due_at=over)
    ether_costs(*said, before=before)
    till.pay(attempt)
    till.sweep()
    shown = till.end()
    credit = Credit.objects.get()
    assert (shown["status"], Decimal(shown["amount_received"]), credit.base_units) == (status, Decimal(worth), WHOLE)
    assert (credit.value_usd, Decimal(shown["amount_due"])) == (Decimal(worth), 999 - Decimal(worth))
