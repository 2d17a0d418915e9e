"""When a payment counts, by its amount; and what happens to one that counted and is taken back."""

import logging
from collections.abc import Callable, Iterator
from decimal import Decimal

import pytest
from pytest_django import Settings

from chains.clients.base import BridgeReport, LegView
from chains.finality import Finality, finality_for, needs_second_node, settling_seconds
from chains.registry import chain
from core.clock import now
from core.modes import Mode
from localnet.nodes import DevChain, fresh_wallet, running
from merchants.principal import Principal
from merchants.services import NewMerchant
from payments.models import Credit
from payments.services.follow import record_sightings
from payments.services.policy import WantedPolicy, set_payment_policy
from payments.services.schedule import ALARM_WATCH, LIVE_ALARM_POLL, LIVE_GUARD_POLL, next_look
from tests.conftest import ApiClient
from tests.live.conftest import BASE_USDC, Till
from tests.live.test_unlucky_payments import cut_to

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
def slow_till(live_api: ApiClient, slow_base: DevChain, nodes: Callable[..., None], prices: None) -> Till:
    """A payer on Base with 100,000 USDC."""
    nodes("base", slow_base.url)
    made = Till(api=live_api, node=slow_base)
    slow_base.fund(made.payer.address)
    slow_base.mint(BASE_USDC, made.payer.address, 100_000_000_000)
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


@pytest.mark.parametrize(
    ("amount", "blocks"),
    [("999", 5), ("1000", BASE_SLOTS), ("10000", BASE_SLOTS), ("10000.01", 2 * BASE_SLOTS)],
    ids=["small", "1000", "10000", "more"],
)
def test_larger_amounts_on_base_wait_for_safe_and_final_blocks(slow_till: Till, amount: str, blocks: int) -> None:
    slow_till.issue_and_pay(amount)
    assert (blocks_until_settled(slow_till), slow_till.credited()) == (blocks, [int(Decimal(amount) * 10**6)])


@pytest.mark.spec("Rulings C10.2")
@pytest.mark.parametrize(
    ("wish", "amount", "blocks"),
    [("safe", "25", BASE_SLOTS), ("finalized", "25", 2 * BASE_SLOTS), ("safe", "10000.01", 2 * BASE_SLOTS)],
)
def test_a_merchant_may_ask_for_more_and_never_for_less(
    slow_till: Till, account: NewMerchant, wish: str, amount: str, blocks: int
) -> None:
    live = Principal(merchant_id=account.merchant.pk, mode=Mode.LIVE, actor="user:1")
    set_payment_policy(live, WantedPolicy(tolerance_bps=None, finality=wish, late="hold"))
    slow_till.issue_and_pay(amount)
    assert blocks_until_settled(slow_till) == blocks


@pytest.mark.parametrize(("amount", "blocks"), [("999", 12), ("1000", 2 * ETHEREUM_SLOTS)], ids=["small", "large"])
def test_ethereum_counts_blocks_or_waits_for_final_ones_and_never_for_safe_ones(
    live_api: ApiClient, quick_ethereum: DevChain, nodes: Callable[..., None], prices: None, amount: str, blocks: int
) -> None:
    nodes("ethereum", quick_ethereum.url)
    till = Till(api=live_api, node=quick_ethereum, chain="ethereum", token=ETHEREUM_USDC)
    quick_ethereum.fund(till.payer.address)
    quick_ethereum.mint(ETHEREUM_USDC, till.payer.address, 10_000_000_000)
    till.issue_and_pay(amount)
    assert blocks_until_settled(till) == blocks


@pytest.mark.spec("Rulings A2.1; Rulings C10.1; Contract 2.13")
@pytest.mark.parametrize("depth", [1, 5, 6, 8])
def test_a_reorganisation_after_settling(slow_till: Till, depth: int, caplog: pytest.LogCaptureFixture) -> None:
    """Five blocks above the payment's: up to five may change without a trace, more take the payment out."""
    till = slow_till
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
def test_a_payment_that_moves_to_another_block_goes_on_counting(slow_till: Till, is_alone: bool) -> None:
    """Behind another payment its logs have other numbers."""
    till, stranger = slow_till, fresh_wallet()
    till.node.fund(stranger.address)
    till.node.mint(BASE_USDC, stranger.address, 1)
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
    assert (before.position, after.position) == ("0", "0" if is_alone else "1")
    assert (till.credited(), till.told()) == ([25_000_000], ["created", "quoted", "executing", "settled"])


def test_a_lost_settlement_can_be_paid_once_more(slow_till: Till) -> None:
    """The payer spends the nonce otherwise: the first transaction can never return."""
    till = slow_till
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


def test_a_lost_part_that_was_accepted_is_accepted_anew(slow_till: Till) -> None:
    till, part = slow_till, 15_000_000
    attempt = till.issue("25")
    request = cut_to(attempt["transactions"][0]["request"], part)
    till.report(attempt, till.node.send(till.payer, request))
    till.node.mine(5)
    assert till.sweep(2)["status"] == "partially_filled"
    path = f"/payment-intents/{till.intent['id']}/accept-partial"
    accepted = till.api.post(path, Idempotency_Key="first").body
    assert (accepted["status"], accepted["amount_received"], accepted["amount_due"]) == ("settled", "15.00", "0.00")
    till.node.rpc("anvil_reorg", 8, [])
    shown = till.sweep(2)
    assert (shown["status"], shown["amount_received"], shown["amount_due"]) == ("executing", "0.00", "25.00")
    assert till.told()[-2:] == ["settled", "settlement_reversed"]
    till.node.send(till.payer, request)
    till.node.mine(6)
    back = till.sweep(2)
    assert (back["status"], back["amount_received"], back["amount_due"]) == ("partially_filled", "15.00", "10.00")
    again = till.api.post(path, Idempotency_Key="second").body
    assert (again["status"], again["settled_reason"]) == ("settled", "accepted_partial")
    assert [till.told().count(event) for event in ("settled", "settlement_restored")] == [1, 1]
    assert (till.credited(), till.held()) == ([part], part)


def test_what_counts_is_looked_at_until_it_is_final_and_a_while_longer(slow_till: Till) -> None:
    till = slow_till
    till.issue_and_pay()
    blocks_until_settled(till)
    credit = Credit.objects.get(intent_id=till.intent["id"])
    intent = till.leg().intent
    assert credit.finalized_at is None
    assert next_look(intent, [], []) == pytest.approx(now() + LIVE_GUARD_POLL, abs=LIVE_GUARD_POLL / 2)
    till.node.mine(16)
    till.sweep()
    credit.refresh_from_db()
    assert credit.finalized_at is not None
    assert next_look(intent, [], []) == pytest.approx(now() + LIVE_ALARM_POLL, abs=LIVE_GUARD_POLL)
    Credit.objects.update(finalized_at=now() - ALARM_WATCH)
    assert next_look(intent, [], []) is None


def test_a_final_payment_that_vanishes_changes_nothing_and_calls_a_person(
    slow_till: Till, caplog: pytest.LogCaptureFixture
) -> None:
    till = slow_till
    till.issue_and_pay()
    blocks_until_settled(till)
    till.node.mine(16)
    till.sweep()
    till.node.rpc("anvil_reorg", DEEPEST_REORGANISATION, [])
    with caplog.at_level(logging.ERROR):
        assert till.sweep(3)["status"] == "settled"
    credit = Credit.objects.get(intent_id=till.intent["id"])
    assert (credit.reversed_at, credit.vanished_at is not None, till.credited()) == (None, True, [25_000_000])
    assert sum("final_credit_vanished" in record.getMessage() for record in caplog.records) == 1
    assert till.told() == ["created", "quoted", "executing", "settled"]


def test_a_look_that_began_before_the_credit_undoes_nothing(slow_till: Till) -> None:
    """Another worker credited in between: the older view knows nothing of that transaction."""
    till = slow_till
    till.issue_and_pay()
    blocks_until_settled(till)
    older = LegView(seen=None, transfers=(), refund=None, report=BridgeReport.WAITING)
    record_sightings(till.leg().intent_id, {till.leg().pk: older})
    assert (till.credited(), till.told()[-1]) == ([25_000_000], "settled")
