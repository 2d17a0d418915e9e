"""When a payment counts, by its amount; and what happens to one that counted and is taken back."""

import logging
from collections.abc import Callable, Iterator
from decimal import Decimal

import pytest
from pytest_django import Settings

from chains.clients.registry import EVM
from chains.finality import Finality, finality_for, needs_second_node, settling_seconds
from chains.registry import chain
from core.clock import now
from localnet.nodes import DevChain, running
from merchants.principal import Principal
from payments.models import Credit, MarkedTransaction
from payments.services.policy import WantedPolicy, set_payment_policy
from payments.services.schedule import (
    LIVE_ALARM_POLL,
    LIVE_GUARD_POLL,
    LIVE_READ_GUARD_POLL,
    next_look,
)
from payments.services.standing import ALARM_WATCH, standings
from tests.conftest import ApiClient
from tests.live.evm_till import BASE_USDC, Till
from tests.live.proxy import proxied
from tests.machine import PATIENCE_SECONDS

BASE_SLOTS, ETHEREUM_SLOTS = 8, 4
"""Blocks until a block is safe on these nodes; twice as many until it is final."""
DEEPEST_REORGANISATION = 24
ETHEREUM_USDC = "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48"


@pytest.fixture(scope="module")
def slow_base() -> Iterator[DevChain]:
    """A node with Base's id on which safe and final come late, beyond the five blocks of small payments."""
    with running(8453, "--slots-in-an-epoch", str(BASE_SLOTS)) as node:
        node.place("TestToken", BASE_USDC)
        yield node


@pytest.fixture(scope="module")
def quick_ethereum() -> Iterator[DevChain]:
    """A node with Ethereum's id on which blocks are final after eight more, before the twelve of small payments."""
    with running(1, "--slots-in-an-epoch", str(ETHEREUM_SLOTS)) as node:
        node.place("TestToken", ETHEREUM_USDC)
        yield node


@pytest.fixture
def till(live_api: ApiClient, slow_base: DevChain, nodes: Callable[..., None], prices: None) -> Till:
    nodes("base", slow_base.url)
    made = Till(api=live_api, node=slow_base)
    made.endow(100_000_000_000)
    slow_base.mine(DEEPEST_REORGANISATION)
    return made


def blocks_until_settled(till: Till, most: int = 40) -> int:
    """How many blocks after its own a payment counts."""
    for blocks in range(most):
        if till.sweep()["status"] == "settled":
            return blocks
        assert not Credit.objects.filter(intent_id=till.intent["id"], final_at__isnull=False).exists()
        till.node.mine()
    raise AssertionError(f"not settled after {most} blocks")


TABLE = [
    ("base", "999.99", Finality.INCLUDED),
    ("base", "1000", Finality.SAFE),
    ("base", "10000", Finality.SAFE),
    ("base", "10000.01", Finality.FINALIZED),
    ("optimism", "1000", Finality.SAFE),
    ("arbitrum", "1000", Finality.SAFE),
    ("arbitrum", "10000.01", Finality.FINALIZED),
    ("ethereum", "999.99", Finality.INCLUDED),
    ("ethereum", "1000", Finality.FINALIZED),
    ("polygon", "0.01", Finality.FINALIZED),
    ("bnb", "0.01", Finality.FINALIZED),
    ("solana", "0.01", Finality.FINALIZED),
]


@pytest.mark.spec("Rulings C10.2")
def test_the_table_of_what_is_waited_for() -> None:
    for name, amount, wanted in TABLE:
        known = chain(name)
        assert known is not None
        assert (name, amount, finality_for(known, Decimal(amount))) == (name, amount, wanted)
        assert finality_for(known, None) is Finality.FINALIZED


def test_the_limits_are_settings(settings: Settings) -> None:
    base = chain("base")
    assert base is not None
    settings.SETTLE_SAFE_FROM_USD, settings.SETTLE_FINALIZED_ABOVE_USD, settings.SECOND_NODE_FROM_USD = 10, 20, 30
    wanted = [finality_for(base, Decimal(amount)) for amount in ("9.99", "10", "20", "20.01")]
    assert wanted == [Finality.INCLUDED, Finality.SAFE, Finality.SAFE, Finality.FINALIZED]
    assert [needs_second_node(Decimal(amount)) for amount in ("29.99", "30")] == [False, True]
    assert [settling_seconds(base, Decimal(amount)) for amount in ("9.99", "10", "20.01")] == [10, 120, 1200]


@pytest.mark.spec("Rulings C10.3")
def test_small_payments_together_wait_as_a_large_one_does(till: Till, settings: Settings) -> None:
    """What the first one holds counts, and its block is not final yet: both may be taken back together."""
    settings.UNFINALIZED_CAP_USD = 1_500
    till.issue_and_pay("999")
    first = blocks_until_settled(till)
    second = Till(api=till.api, node=till.node, payer=till.payer, merchant=till.merchant)
    second.issue_and_pay("999")
    assert (first, blocks_until_settled(second)) == (5, BASE_SLOTS)


@pytest.mark.spec("Rulings C10.2")
@pytest.mark.parametrize(
    ("wish", "amount", "blocks"),
    [
        pytest.param("", "999", 5, id="small"),
        pytest.param("", "1000", BASE_SLOTS, id="1000"),
        pytest.param("", "10000", BASE_SLOTS, id="10000"),
        pytest.param("", "10000.01", 2 * BASE_SLOTS, id="more"),
        pytest.param("safe", "25", BASE_SLOTS, id="a merchant asks for safe ones"),
        pytest.param("finalized", "25", 2 * BASE_SLOTS, id="a merchant asks for final ones"),
        pytest.param("safe", "10000.01", 2 * BASE_SLOTS, id="a merchant may not ask for less"),
    ],
)
def test_larger_amounts_on_base_wait_for_safe_and_final_blocks(
    till: Till, caller: Principal, wish: str, amount: str, blocks: int
) -> None:
    set_payment_policy(caller, WantedPolicy(tolerance_bps=None, finality=wish, late="hold"))
    till.issue_and_pay(amount)
    assert (blocks_until_settled(till), till.credited()) == (blocks, [int(Decimal(amount) * 10**6)])


@pytest.mark.parametrize(("amount", "blocks"), [("999", 12), ("1000", 2 * ETHEREUM_SLOTS)], ids=["small", "large"])
def test_ethereum_counts_blocks_or_waits_for_final_ones_and_never_for_safe_ones(
    live_api: ApiClient, quick_ethereum: DevChain, nodes: Callable[..., None], prices: None, amount: str, blocks: int
) -> None:
    nodes("ethereum", quick_ethereum.url)
    till = Till(api=live_api, node=quick_ethereum, chain="ethereum", token=ETHEREUM_USDC)
    till.endow(10_000_000_000)
    till.issue_and_pay(amount)
    assert blocks_until_settled(till) == blocks


@pytest.mark.spec("Rulings A2.1; Rulings C10.1; Contract 2.13")
@pytest.mark.parametrize("depth", [1, 5, 6, 8])
def test_a_reorganisation_after_settling(till: Till, depth: int, caplog: pytest.LogCaptureFixture) -> None:
    """Five blocks above the payment's: up to five may change without a trace, more take the payment out."""
    request = till.issue_and_pay()["transactions"][0]["request"]
    assert blocks_until_settled(till) == 5
    till.node.rpc("anvil_reorg", depth, [])
    shown = till.sweep(2)
    if depth <= 5:
        assert (shown["status"], till.credited(), till.held()) == ("settled", [25_000_000], 25_000_000)
        assert "credit_reversed" not in caplog.text
        return
    assert (shown["status"], shown["amount_received"], shown["settled_at"]) == ("executing", "0.00", None)
    assert (till.credited(), till.held(), till.leg().status) == ([], 0, "confirming")
    assert "credit_reversed" in caplog.text
    assert till.told()[-1] == "settlement_reversed"
    till.node.send(till.payer, request)
    assert (till.finish()["status"], till.credited(), till.held()) == ("settled", [25_000_000], 25_000_000)
    assert till.told() == ["created", "quoted", "executing", "settled", "settlement_reversed", "settlement_restored"]


@pytest.mark.parametrize("is_alone", [True, False], ids=["alone", "after another"])
def test_a_payment_that_moves_to_another_block_goes_on_counting(till: Till, is_alone: bool) -> None:
    """Behind another payment its logs have other numbers in the block, and the same place in their transaction."""
    stranger = till.stranger(1)
    till.node.mine(DEEPEST_REORGANISATION)
    attempt = till.issue("25")
    to_anybody = till.node.token(BASE_USDC).encode_abi("transfer", args=[stranger.address, 1])
    other = till.node.send(stranger, {"to": BASE_USDC, "value": "0x0", "data": to_anybody}, maxPriorityFeePerGas=10**9)
    till.report(attempt, till.node.send(till.payer, attempt["transactions"][0]["request"]))
    assert blocks_until_settled(till) == 5
    before = Credit.objects.get(intent_id=till.intent["id"])
    again = [before.tx_hash] if is_alone else [other, before.tx_hash]
    raw = [till.node.rpc("debug_getRawTransaction", tx_hash) for tx_hash in again]
    till.node.rpc("anvil_reorg", 8, [[one, 4] for one in raw])
    assert (till.held(), till.sweep(2)["status"]) == (25_000_000, "settled")
    after = Credit.objects.get(pk=before.pk)
    assert (after.reversed_at, after.block_hash != before.block_hash) == (None, True)
    assert (before.position, after.position) == ("+0", "+0")
    assert (till.credited(), till.told()) == ([25_000_000], ["created", "quoted", "executing", "settled"])


def test_a_lost_settlement_can_be_paid_once_more(till: Till) -> None:
    """The payer spends the nonce otherwise: the first transaction can never return."""
    till.issue_and_pay()
    assert blocks_until_settled(till) == 5
    till.node.rpc("anvil_reorg", 8, [])
    assert till.sweep()["status"] == "executing"
    till.node.send(till.payer, {"to": till.payer.address, "value": "0x0", "data": "0x"})
    till.node.mine(8)
    assert till.sweep(2)["status"] == "requires_payment"
    till.node.send(till.payer, till.again()["transactions"][0]["request"])
    assert till.finish()["status"] == "settled"
    assert [till.told().count(event) for event in ("settled", "settlement_restored")] == [1, 1]
    assert till.held() == 25_000_000


def test_a_final_payment_that_vanishes_changes_nothing_and_calls_a_person(
    till: Till, caplog: pytest.LogCaptureFixture
) -> None:
    """It is looked at until it is final, and a while longer."""
    till.issue_and_pay()
    blocks_until_settled(till)
    credit, intent = Credit.objects.get(intent_id=till.intent["id"]), till.leg().intent
    assert credit.finalized_at is None
    closely = LIVE_GUARD_POLL / 2
    assert next_look(intent, [], standings(intent)) == pytest.approx(now() + LIVE_READ_GUARD_POLL, abs=closely)
    MarkedTransaction.objects.update(final_at=now())  # told all that its reader will tell
    assert next_look(intent, [], standings(intent)) == pytest.approx(now() + LIVE_GUARD_POLL, abs=closely)
    MarkedTransaction.objects.update(final_at=None)
    till.node.mine(16)
    till.sweep()
    credit.refresh_from_db()
    assert credit.finalized_at is not None
    assert next_look(intent, [], standings(intent)) == pytest.approx(now() + LIVE_ALARM_POLL, abs=LIVE_GUARD_POLL)
    till.node.rpc("anvil_reorg", DEEPEST_REORGANISATION, [])
    with caplog.at_level(logging.ERROR):
        assert till.sweep(3)["status"] == "settled"
    credit.refresh_from_db()
    assert (credit.reversed_at, credit.vanished_at is not None, till.credited()) == (None, True, [25_000_000])
    assert sum("final_credit_vanished" in record.getMessage() for record in caplog.records) == 1
    assert till.told() == ["created", "quoted", "executing", "settled"]
    Credit.objects.update(vanished_at=None, finalized_at=now() - ALARM_WATCH)
    assert next_look(intent, [], standings(intent)) is None


def test_what_is_final_at_one_height_is_asked_once_for_all_looks(
    db: None, slow_base: DevChain, nodes: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """And again after a while: where nobody makes blocks, those that are there become final all the same."""
    monkeypatch.setattr("chains.clients.endpoints.TAGS_FRESH_SECONDS", PATIENCE_SECONDS)
    slow_base.mine(2 * BASE_SLOTS)
    with proxied(str(slow_base.url)) as proxy:
        nodes("base", proxy.url)

        def newest_final() -> tuple[int, int]:
            asked = proxy.heard.count("eth_getBlockByNumber")
            number = EVM.pool("base").ask(lambda node: node.newest(Finality.FINALIZED))
            return slow_base.head() - number, proxy.heard.count("eth_getBlockByNumber") - asked

        newest_final()  # which also asks for the chain's first block
        assert newest_final() == (2 * BASE_SLOTS, 0)
        slow_base.mine()
        assert newest_final() == (2 * BASE_SLOTS, 1)
        monkeypatch.setattr("chains.clients.endpoints.TAGS_FRESH_SECONDS", 0)
        slow_base.mine()
        assert [newest_final(), newest_final()] == [(2 * BASE_SLOTS, 1)] * 2
