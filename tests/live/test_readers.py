"""Readers find every payment under a mark, whoever reports it or not, as often as it comes; on a real node."""

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

import pytest

from chains.models import ChainReader
from chains.registry import EVM_NATIVE_ADDRESS
from checkout.selectors import payer_state
from core.clock import now
from localnet.devchain import DevChain
from localnet.nodes import running
from payments.models import Credit, MarkedTransaction, PaymentIntent, QueuedIntent
from payments.services import marked, reading
from payments.services.advance import sweep_due
from payments.services.reading import sweep_chains
from tests.conftest import ApiClient
from tests.factories.queue import is_due as is_queued
from tests.factories.queue import queue
from tests.live.evm_till import BASE_USDC, Till
from tests.live.proxy import proxied
from tests.live.test_unlucky_payments import cut_to
from tests.live.till import read_chains

Nodes = Callable[..., None]


@contextmanager
def one_block(node: DevChain) -> Iterator[None]:
    """What is sent meanwhile stands in one block."""
    node.rpc("evm_setAutomine", False)  # noqa: FBT003  Why: the node's own parameter.
    try:
        yield
        node.rpc("evm_mine")
    finally:
        node.rpc("evm_setAutomine", True)  # noqa: FBT003  Why: the node's own parameter.


def is_due(till: Till) -> bool:
    return is_queued(till.intent["id"])


@pytest.mark.parametrize("coin", [False, True], ids=["token", "coin"])
def test_an_open_payment_asks_the_nodes_nothing_and_is_found_all_the_same(till: Till, nodes: Nodes, coin: bool) -> None:
    if coin:
        till.token, till.symbol = EVM_NATIVE_ADDRESS, "ETH"
    attempt = till.issue("25")
    till.sweep()
    with proxied(till.node.url) as proxy:
        nodes("base", proxy.url)
        assert not is_due(till)
        sweep_due()
        assert proxy.heard == []
    nodes("base", till.node.url)
    till.pay(attempt)
    read_chains()
    assert is_due(till)
    assert till.finish()["status"] == "settled"


def test_whole_blocks_are_read_while_a_payment_in_coin_is_open_and_at_no_other_time(till: Till, nodes: Nodes) -> None:
    till.issue("25")
    read_chains()
    with proxied(till.node.url) as proxy:
        nodes("base", proxy.url)
        till.node.mine(3)
        read_lane("blocks")
        assert proxy.heard == []
        read_lane("logs")
        read_lane("blocks")
        logs, blocks = ChainReader.objects.filter(chain="base").order_by("pk")
        assert (logs.lane, logs.read_to, blocks.read_to) == ("logs", till.node.head(), till.node.head())
        assert (blocks.points, blocks.head, blocks.final_to) == (logs.points, logs.head, logs.final_to)
    nodes("base", till.node.url)
    till.token, till.symbol = EVM_NATIVE_ADDRESS, "ETH"
    attempt = till.issue("25")
    till.pay(attempt)
    read_lane("blocks")
    assert is_due(till)
    assert till.finish()["status"] == "settled"


def test_a_payment_in_coin_is_read_once_more_when_its_block_is_final(
    till: Till, caplog: pytest.LogCaptureFixture
) -> None:
    till.token, till.symbol = EVM_NATIVE_ADDRESS, "ETH"
    till.pay(till.issue("25"))
    assert till.finish()["status"] == "settled"
    till.pass_for_good()
    caplog.clear()
    with caplog.at_level(logging.ERROR, logger="causeway.payments"):
        till.end()
    [row] = MarkedTransaction.objects.all()
    assert (row.final_at is None, row.gone_at, caplog.messages) == (False, None, [])


def test_a_second_payment_in_coin_is_found_after_the_first_is_final(till: Till) -> None:
    """Nobody tells of it, and no other payment has blocks read."""
    till.token, till.symbol = EVM_NATIVE_ADDRESS, "ETH"
    attempt = till.issue("25")
    till.pay(attempt)
    assert till.finish()["status"] == "settled"
    till.pass_for_good()
    read_chains()
    sweep_due()
    [first] = till.credited()
    assert Credit.objects.get().finalized_at is not None
    till.pay(attempt)
    read_chains()
    intent = till.finish()
    assert (intent["status"], intent["overpaid_usd"], till.credited()) == ("settled", "25.00", [first, first])


def test_what_was_paid_is_looked_at_again_when_its_reader_has_news_and_else_seldom(till: Till) -> None:
    till.pay(till.issue("25"))
    assert till.finish()["status"] == "settled"
    for _ in range(3):
        read_chains()
        assert not QueuedIntent.objects.filter(due_at__lt=now() + timedelta(minutes=4)).exists()
    till.pass_for_good()
    read_chains()
    assert is_due(till)
    sweep_due()
    assert Credit.objects.get().finalized_at is not None


def test_payments_that_become_final_together_are_looked_at_in_turn(till: Till, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(marked, "LOOKS_A_SECOND", 1)
    for _ in range(3):
        till.pay(till.issue("25"))
        assert till.finish()["status"] == "settled"
    till.pass_for_good()
    began = now()
    read_chains()
    due = sorted(QueuedIntent.objects.values_list("due_at", flat=True))
    assert [moment >= began + timedelta(seconds=turn) for turn, moment in enumerate(due)] == [True] * 3
    queue()
    sweep_due()
    assert Credit.objects.filter(finalized_at=None).count() == 0


def read_lane(lane: str) -> None:
    """Let one reader alone come round."""
    ChainReader.objects.update(next_attempt_at=None)
    ChainReader.objects.filter(lane=lane).update(next_attempt_at=now(), final_at=None)
    sweep_chains()


def test_a_second_payment_under_a_mark_is_counted_as_surplus(till: Till) -> None:
    attempt = till.issue("25")
    till.report(attempt, till.pay(attempt))
    assert till.finish()["status"] == "settled"
    till.pay(attempt)
    till.finish()
    body = till.end()
    assert (till.credited(), till.held()) == ([25_000_000, 25_000_000], 50_000_000)
    assert (body["status"], body["amount_received"], body["overpaid_usd"]) == ("settled", "50.00", "25.00")
    assert till.leg().output_base_units == 50_000_000
    assert till.told()[-2:] == ["settled", "overpaid"]
    assert payer_state(PaymentIntent.objects.get(pk=body["id"]))["message"]["code"] == "settled_twice"


def test_the_rest_of_a_short_payment_is_counted(till: Till) -> None:
    request = till.issue("25")["transactions"][0]["request"]
    till.node.send(till.payer, cut_to(request, 10_000_000))
    assert till.finish()["status"] == "partially_filled"
    till.node.send(till.payer, cut_to(request, 15_000_000))
    assert (till.finish()["status"], till.credited()) == ("settled", [10_000_000, 15_000_000])


@pytest.mark.parametrize("units", [0, 1], ids=["of nothing", "of dust"])
def test_a_block_full_of_strangers_transfers_hides_no_payment(till: Till, units: int) -> None:
    attempt = till.issue("25")
    spammer = till.stranger(units=1_000)
    call = till.node.token(BASE_USDC).encode_abi("transfer", args=[till.merchant, units])
    with one_block(till.node):
        for number in range(101):
            till.node.post(spammer, {"to": BASE_USDC, "value": "0x0", "data": call}, nonce=number)
        till.node.post(till.payer, attempt["transactions"][0]["request"])
    assert len(till.node.web3.eth.get_block("latest")["transactions"]) == 102
    assert (till.finish()["status"], till.credited()) == ("settled", [25_000_000])


def test_what_one_node_hid_another_one_shows_when_it_is_final(
    till: Till, nodes: Nodes, caplog: pytest.LogCaptureFixture
) -> None:
    with proxied(till.node.url) as hides:
        nodes("base", hides.url, till.node.url)
        attempt = till.issue("25")
        till.pay(attempt)
        till.node.mine(12)
        hides.bend = lambda method, result: [] if method == "eth_getLogs" else result
        till.sweep()
        assert (till.credited(), MarkedTransaction.objects.count()) == ([], 0)
        till.pass_for_good()
        assert (till.end()["status"], till.credited()) == ("settled", [25_000_000])


def test_what_was_read_on_a_branch_goes_with_it_and_is_found_again_on_the_other(till: Till) -> None:
    attempt = till.issue("25")
    till.pay(attempt)
    till.node.mine(2)
    till.sweep()
    [row] = MarkedTransaction.objects.all()
    assert (row.gone_at, till.credited()) == (None, [25_000_000])
    till.node.rpc("anvil_reorg", 3, [])
    till.node.rpc("anvil_dropAllTransactions")
    till.node.mine()
    read_chains()
    row.refresh_from_db()
    assert row.gone_at is not None
    assert (till.sweep()["status"], till.credited(), till.held()) == ("executing", [], 0)
    till.pay(attempt)
    assert (till.finish()["status"], till.credited()) == ("settled", [25_000_000])


@pytest.fixture
def own_till(live_api: ApiClient, nodes: Nodes, prices: None) -> Iterator[Till]:
    """A payer on a node of one test's own. Why: one that made very many blocks forgets what stood in older ones."""
    with running(8453) as node:
        node.place("TestToken", BASE_USDC)
        nodes("base", node.url)
        made = Till(api=live_api, node=node)
        made.endow()
        yield made


def test_a_node_that_refuses_long_ranges_is_read_in_short_ones(own_till: Till, nodes: Nodes) -> None:
    till = own_till
    till.pay(till.issue("25"))
    till.node.mine(1_800)  # an hour of Base
    with proxied(till.node.url) as proxy:
        proxy.most_blocks = 10
        nodes("base", proxy.url)
        for _ in range(60):
            read_chains()
        reader = ChainReader.objects.get(chain="base", lane="logs")
        assert (reader.read_to, reader.refused) == (till.node.head(), "")
        assert reader.width <= 12  # a quarter more is tried now and then
    nodes("base", till.node.url)
    assert (till.sweep(2)["status"], till.credited()) == ("settled", [25_000_000])


@pytest.mark.parametrize("dies_at", ["record new", "note", "record final"])
def test_a_reader_that_dies_at_any_step_misses_nothing_and_counts_nothing_twice(
    till: Till, monkeypatch: pytest.MonkeyPatch, dies_at: str
) -> None:
    attempt = till.issue("25")
    till.pay(attempt)
    module, name = {
        "record new": (reading, "_record_new"),
        "note": (marked, "note_news"),
        "record final": (reading, "_record_final"),
    }[dies_at]
    with monkeypatch.context() as patched:
        patched.setattr(module, name, _die)
        with pytest.raises(KeyboardInterrupt):
            read_chains()
    assert (till.finish()["status"], till.credited()) == ("settled", [25_000_000])
    assert MarkedTransaction.objects.count() == 1


def _die(*_: object, **__: object) -> None:
    raise KeyboardInterrupt


def test_of_two_readers_the_one_whose_lease_is_over_writes_nothing(till: Till, monkeypatch: pytest.MonkeyPatch) -> None:
    till.issue("25")
    read_chains()
    before = ChainReader.objects.get(chain="base", lane="logs")
    till.node.mine(3)
    real = reading._record_new

    def late(reader: ChainReader, bite: Any) -> None:
        ChainReader.objects.filter(pk=reader.pk).update(attempts=reader.attempts + 1)
        real(reader, bite)

    monkeypatch.setattr(reading, "_record_new", late)
    read_chains()
    after = ChainReader.objects.get(chain="base", lane="logs")
    assert (after.read_to, after.points) == (before.read_to, before.points)


def test_a_silent_chain_says_so_and_holds_up_no_other(
    till: Till, nodes: Nodes, caplog: pytest.LogCaptureFixture
) -> None:
    attempt = till.issue("25")
    till.sweep()
    with proxied(till.node.url) as proxy:
        proxy.fault = "500"
        nodes("base", proxy.url)
        with caplog.at_level(logging.WARNING, logger="causeway.payments"):
            read_chains()
        assert set(ChainReader.objects.filter(chain="base").values_list("refused", flat=True)) == {"no node answers"}
    nodes("base", till.node.url)
    till.pay(attempt)
    assert till.finish()["status"] == "settled"
    assert set(ChainReader.objects.filter(chain="base").values_list("refused", flat=True)) == {""}


def test_a_strangers_copies_of_the_mark_cost_the_payer_nothing(till: Till) -> None:
    """Fifty transactions with the payer's mark inside, to the merchant's address, of one unit each."""
    attempt = till.issue("25")
    request = attempt["transactions"][0]["request"]
    copier = till.stranger(units=1_000)
    with one_block(till.node):
        for number in range(50):
            till.node.post(copier, cut_to(request, 1), nonce=number)
    till.sweep(3)
    till.report(attempt, till.pay(attempt))
    till.finish()
    till.end()
    assert till.sweep(2)["status"] == "settled"
    assert sorted(till.credited()) == [1] * 50 + [25_000_000]
