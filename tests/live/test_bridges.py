"""Paying from another chain by Across, from the door through both chains to the merchant."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal

import pytest

from chains.reader.base import Watch
from core.clock import now
from localnet.lifi import Conduct
from localnet.nodes import fresh_wallet
from payments.models import Credit, Leg
from payments.routing.lifi.status import status
from payments.services import reading
from payments.services.marks import watch_for
from tests.invariants import violations
from tests.live.buyer import Buyer
from tests.live.evm_till import DEEP_ENOUGH, FINAL
from tests.live.proxy import proxied
from tests.live.test_second_node import hides
from tests.live.till import read_chains


@pytest.mark.spec("Contract 8.2")
def test_a_token_is_bridged_to_the_merchant(buyer: Buyer) -> None:
    attempt = buyer.issue("25")
    [unsigned] = attempt["transactions"]
    assert (unsigned["chain"], unsigned["chain_id"]) == ("arbitrum", 42161)
    tx_hash = buyer.pay(attempt)
    buyer.report(attempt, tx_hash)
    assert status(tx_hash, "across", "arbitrum", "base").report == "waiting"
    assert buyer.arrive()["status"] == "settled"
    leg = buyer.leg()
    assert (leg.kind, leg.provider, leg.bridge, leg.status) == ("bridge", "lifi", "across", "confirmed")
    assert buyer.held() >= 25_000_000
    assert buyer.credited() == [buyer.held()]
    delivery = buyer.shop.relayer.of(tx_hash)
    assert delivery is not None
    assert (leg.tx_hash, leg.destination_tx_hash) == (tx_hash, delivery.fill_hash)
    hint = status(tx_hash, "across", "arbitrum", "base")
    assert (hint.report, hint.destination_tx_hash) == ("done", delivery.fill_hash)


def test_without_lifis_fee_the_bridge_is_called_alone(buyer: Buyer) -> None:
    """The payer closed the page, and is found."""
    buyer.shop.terms.lifi_fee *= 0
    attempt = buyer.issue("12.34")
    assert attempt["transactions"][0]["request"]["data"].startswith("0xa1f1ce43")
    tx_hash = buyer.pay(attempt)
    assert buyer.arrive()["status"] == "settled"
    assert (buyer.held() >= 12_340_000, buyer.leg().tx_hash) == (True, tx_hash)


def test_the_same_deposit_again_is_surplus(buyer: Buyer) -> None:
    """The payer sends the call once more after it was paid, and tells nobody: the second order is the leg's too."""
    attempt = buyer.issue("25")
    buyer.report(attempt, buyer.pay(attempt))
    assert buyer.arrive()["status"] == "settled"
    [first] = buyer.credited()
    buyer.pay(attempt)
    for _ in range(2):
        intent = buyer.arrive()
    assert (intent["status"], buyer.credited(), buyer.held()) == ("settled", [first, first], 2 * first)
    assert Decimal(intent["overpaid_usd"]) == Decimal(first) / 10**6
    assert violations() == []


def test_a_strangers_copy_of_the_deposit_never_takes_the_payers_place(buyer: Buyer) -> None:
    """He pays for it himself; what the payer brought stays the payer's, to be given back to nobody else."""
    attempt = buyer.issue("25")
    buyer.report(attempt, tx_hash := buyer.pay(attempt))
    buyer.sweep()
    payer, buyer.payer = buyer.payer, fresh_wallet()
    buyer.source.fund(buyer.payer.address)
    buyer.source.mint(buyer.paid.address, buyer.payer.address, 100_000_000)
    buyer.pay(attempt)
    for _ in range(3):
        assert buyer.arrive()["status"] == "settled"
    assert (buyer.leg().tx_hash, buyer.held()) == (tx_hash, 2 * sum(buyer.credited()))
    assert len(buyer.credited()) == 1
    assert Credit.objects.get().payer == payer.address


@pytest.mark.spec("Rulings C7.1")
@pytest.mark.parametrize("conduct", [Conduct.ELSEWHERE, Conduct.INVENTED])
def test_a_fill_that_is_not_the_merchants_is_not_credited(buyer: Buyer, conduct: Conduct) -> None:
    buyer.shop.relayer.conduct = conduct
    buyer.issue_and_pay()
    assert (buyer.arrive()["status"], buyer.credited()) == ("executing", [])


def test_a_fill_that_a_branch_took_ends_nothing_while_its_deposit_stands(
    buyer: Buyer, nodes: Callable[..., None], impatient: None
) -> None:
    """However long nobody fills it again, and though the source's only node does not show the deposit just then."""
    attempt = buyer.issue("25")
    buyer.report(attempt, buyer.pay(attempt))
    buyer.sweep()
    buyer.source.mine(DEEP_ENOUGH)
    buyer.shop.relayer.work()
    buyer.sweep()
    assert Credit.objects.get().final_at is None
    buyer.node.rpc("anvil_reorg", 3, [])
    buyer.sweep()
    Credit.objects.update(reversed_at=now() - timedelta(minutes=11))
    Leg.objects.update(submitted_at=now() - timedelta(minutes=12))
    with proxied(str(buyer.source.url)) as liar:
        nodes("arbitrum", liar.url)
        liar.bend = hides
        status_then = buyer.sweep()["status"]
    assert (status_then, buyer.leg().error, buyer.credited()) == ("executing", "", [])


def test_however_many_pay_over_bridges_a_range_costs_the_same_questions(
    buyer: Buyer, nodes: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "watch_for", lambda place: crowded(watch_for(place)))
    for pause in ("SHORTEST_PAUSE", "LONGEST_PAUSE"):
        monkeypatch.setattr(reading, pause, timedelta(hours=1))  # else a slow round is followed by another one
    for chain in (buyer.source, buyer.node):
        chain.mine(FINAL)  # so that blocks become final with each new one, whichever tests went before
    attempt = buyer.issue("25")
    with proxied(str(buyer.source.url)) as source, proxied(str(buyer.node.url)) as target:
        nodes("arbitrum", source.url)
        nodes("base", target.url)
        for _ in range(5):
            read_chains()
        source.heard.clear()
        target.heard.clear()
        buyer.pay(attempt)
        read_chains()
        buyer.shop.relayer.work()
        read_chains()
        asked = [proxy.heard.count("eth_getLogs") for proxy in (source, target)]
    # Of deposits and of fills, and of what arrives where something is awaited; each once more when it is final.
    assert asked == [2 * 2, 2 * 3]
    assert buyer.arrive()["status"] == "settled"


def test_where_all_of_a_bridge_is_read_no_strangers_order_is_opened(
    buyer: Buyer, nodes: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "watch_for", lambda place: crowded(Watch()))
    attempt = buyer.issue("25")
    with proxied(str(buyer.source.url)) as source, proxied(str(buyer.node.url)) as target:
        nodes("arbitrum", source.url)
        nodes("base", target.url)
        buyer.pay(attempt)
        read_chains()
        buyer.shop.relayer.work()
        read_chains()
        opened = [proxy.heard.count("eth_getTransactionByHash") for proxy in (source, target)]
    assert (opened, buyer.leg().tx_hash) == ([0, 0], "")


def crowded(watch: Watch) -> Watch:
    """With a thousand wallets more that may open an order, and as many orders that may be filled."""
    wallets = {f"0x{number:040x}" for number in range(1, 1_001)}
    return replace(
        watch,
        depositors=watch.depositors | wallets,
        orders=watch.orders | {(42161, 10**9 + number) for number in range(1_000)},
    )
