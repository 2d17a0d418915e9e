"""Where nothing is awaited any more no block is asked about, and what comes late is found; on a real node."""

import logging
from collections.abc import Callable
from datetime import timedelta

import pytest

from chains.models import WatchedAddress
from core.clock import now
from payments.models import MarkedTransaction, PaymentIntent
from payments.services import resting
from payments.services.advance import sweep_due
from payments.services.marks import heights
from tests.live.evm_till import BASE_USDC, Till
from tests.live.proxy import proxied
from tests.live.test_odd_answers import another
from tests.live.test_readers import own_till
from tests.live.test_searches import said, search
from tests.live.till import read_chains

__all__ = ["own_till"]
Nodes = Callable[..., None]
LONG_AGO = timedelta(hours=26)


def address() -> WatchedAddress:
    return WatchedAddress.objects.get(chain="base")


def rest(till: Till) -> int:
    """The payment's time is long over, and nothing was paid; up to which block its address was read."""
    PaymentIntent.objects.update(expires_at=now() - LONG_AGO, expires_due_at=now() - LONG_AGO)
    assert till.sweep(2)["status"] == "expired"
    WatchedAddress.objects.update(awaited_until=now() - timedelta(seconds=1))
    read_chains()
    read_to = address().read_to
    assert read_to is not None
    return read_to


def a_day_later() -> None:
    """The readers come round when the addresses that rest are due. Why so: a node here makes no day's blocks."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(resting, "SELDOM", timedelta(0))
        read_chains()


def test_ten_thousand_addresses_that_rest_cost_another_merchants_payment_nothing(till: Till, nodes: Nodes) -> None:
    till.issue("25")
    till.pass_for_good()
    read_chains()
    WatchedAddress.objects.bulk_create(
        WatchedAddress(
            network="localnet",
            chain="base",
            token_address=BASE_USDC,
            address=f"0x{number:040d}",
            awaited_until=now() - timedelta(days=number % 900),
        )
        for number in range(1, 10_001)
    )
    for _ in range(10):
        till.node.mine()
        read_chains()
    other = another(till)
    attempt = other.issue("25")
    with proxied(till.node.url) as proxy:
        nodes("base", proxy.url)
        other.pay(attempt)
        read_chains()
        assert proxy.heard.count("eth_getLogs") == 2
        till.pass_for_good()
        a_day_later()
        assert proxy.heard.count("eth_getLogs") == 2 + 2 + 10, "and of those that rest a thousand are asked about"
    nodes("base", till.node.url)
    assert (other.sweep(2)["status"], other.credited()) == ("settled", [25_000_000])


def test_what_comes_late_where_nothing_is_awaited_is_counted_within_a_day(
    till: Till, caplog: pytest.LogCaptureFixture
) -> None:
    attempt = till.issue("25")
    rest(till)
    tx_hash = till.pay(attempt)
    a_day_later()
    assert not MarkedTransaction.objects.exists(), "no block is read here before it is final"
    read_to = address().read_to
    till.pass_for_good()
    read_chains()
    assert (address().read_to, MarkedTransaction.objects.count()) == (read_to, 0)
    with caplog.at_level(logging.ERROR):
        search(till.leg())
    assert said(caplog) == [], "nobody passed over what is read tomorrow"
    a_day_later()
    [row] = MarkedTransaction.objects.all()
    assert (row.tx_hash, row.final_at is None, till.credited()) == (tx_hash, False, [])
    sweep_due()
    assert (till.sweep()["status"], till.credited()) == ("expired", [25_000_000])
    a_day_later()
    assert (MarkedTransaction.objects.count(), till.credited()) == (1, [25_000_000])


def test_an_address_that_is_awaited_again_goes_on_without_a_gap(till: Till) -> None:
    late = till.issue("25")
    read_to = rest(till)
    till.pay(late)
    till.pass_for_good()
    read_chains()
    again = another(till)
    again.merchant = till.merchant
    attempt = again.issue("25")
    intent = PaymentIntent.objects.get(pk=again.intent["id"])
    assert (address().read_at, address().read_to, heights(intent)["base"]) == (None, read_to, read_to)
    again.pay(attempt)
    read_chains()
    assert address().read_to is None
    assert heights(intent)["base"] == till.node.head()
    assert [one.finish()["status"] for one in (till, again)] == ["expired", "settled"]
    assert (till.credited(), again.credited()) == ([25_000_000], [25_000_000])


def test_what_is_not_final_yet_lets_no_address_rest(till: Till, caplog: pytest.LogCaptureFixture) -> None:
    till.node.mine(15)
    attempt = till.issue("25")
    till.pay(attempt)
    assert till.finish()["status"] == "settled"
    WatchedAddress.objects.update(awaited_until=now())
    read_chains()
    assert address().read_to is None
    till.node.rpc("anvil_reorg", 12, [])
    till.node.rpc("anvil_dropAllTransactions")
    till.node.rpc("anvil_setNextBlockBaseFeePerGas", hex(3 * 10**9))  # so that what is sent again has another hash
    till.node.mine()
    read_chains()
    [gone] = MarkedTransaction.objects.all()
    assert gone.gone_at is not None, "a branch is noticed as anywhere"
    till.pay(attempt)
    read_chains()
    assert MarkedTransaction.objects.count() == 2
    assert address().read_to is None, "what is gone may come back"
    MarkedTransaction.objects.filter(pk=gone.pk).update(gone_at=now() - timedelta(hours=1))
    read_chains()
    assert address().read_to is None, "what came is not final"
    caplog.clear()
    till.pass_for_good()
    with caplog.at_level(logging.ERROR, logger="causeway.payments"):
        read_chains()
        MarkedTransaction.objects.filter(pk=gone.pk).update(gone_at=now() - timedelta(hours=1))
        read_chains()
    [row] = MarkedTransaction.objects.exclude(pk=gone.pk)
    assert caplog.messages == []
    assert (row.final_at is None, row.gone_at, address().read_to is None) == (False, None, False)


def test_a_node_that_refuses_wide_ranges_is_asked_for_narrow_ones(own_till: Till, nodes: Nodes) -> None:
    till = own_till
    attempt = till.issue("25")
    till.node.mine(100)
    read_to = rest(till)
    till.pay(attempt)
    till.node.mine(200)
    with proxied(till.node.url) as proxy:
        proxy.most_blocks = 20
        nodes("base", proxy.url)
        for _ in range(30):
            read_chains()
        for _ in range(30):
            a_day_later()
    assert (address().read_to or 0) > read_to + 100
    assert (till.sweep()["status"], till.credited()) == ("expired", [25_000_000])
