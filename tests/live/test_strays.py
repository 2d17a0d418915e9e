"""What else reaches the merchant inside a payer's own call: it is shown and told, and counts for nothing."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from decimal import Decimal
from typing import Any
from uuid import UUID, uuid4

import orjson
import pytest

from chains.clients.evm_calls import token_transfer
from chains.registry import EVM_NATIVE_ADDRESS
from localnet.nodes import fresh_wallet
from payments.models import Credit, stray_id_of
from tests.invariants import violations
from tests.live.buyer import Buyer, asset
from tests.live.evm_till import FINAL
from tests.live.hooks import hooking
from tests.live.proxy import proxied
from webhooks.models import Event

WETH = asset("base", "WETH").address
LEFT_OVER = 3 * 10**15
TRACE = "debug_traceTransaction"
"""The question for what moved inside a transaction."""


@contextmanager
def _leaving(swapper: Buyer, token: str, times: int = 1) -> Iterator[None]:
    """While the payer's call runs, what it pays with also brings the merchant a little of another token."""
    node, paid = swapper.node, swapper.paid.address
    before = {place: node.rpc("eth_getCode", place, "latest") for place in (paid, token)}
    node.place("TestToken", token)
    node.mint(token, paid, times * LEFT_OVER - node.balance(token, paid))  # a branch may have given some back
    call = token_transfer(swapper.merchant, LEFT_OVER, str(uuid4()))
    node.rpc("anvil_setCode", paid, hooking([(token, call)] * times))
    yield
    for place, code in before.items():
        node.rpc("anvil_setCode", place, code)


def _pays(swapper: Buyer, token: str, times: int = 1) -> str:
    attempt = swapper.issue("25")
    with _leaving(swapper, token, times):
        tx_hash = swapper.source.send(swapper.payer, attempt["transactions"][0]["request"], gas=2_500_000)
    swapper.report(attempt, tx_hash)
    return tx_hash


@pytest.mark.spec("Rulings C11.1")
def test_another_token_inside_a_payers_call_is_a_stray(swapper: Buyer) -> None:
    tx_hash = _pays(swapper, WETH)
    for _ in range(2):
        intent = swapper.arrive()
    own, stray = Credit.objects.order_by("purpose", "pk")
    assert (intent["status"], intent["overpaid_usd"]) == ("settled", "0.00")
    assert Decimal(intent["amount_received"]) == own.value_usd == Decimal(own.base_units) / 10**6
    assert (stray.purpose, stray.tx_hash, stray.token_address) == ("stray", tx_hash, WETH)
    assert (stray.base_units, stray.value_usd, str(stray.intent_id)) == (LEFT_OVER, Decimal(0), intent["id"])
    assert (stray.payer, stray.finalized_at is None) == (swapper.payer.address, own.finalized_at is None)
    assert swapper.told().count("stray_arrived") == 1
    [told] = Event.objects.filter(type="payment_intent.stray_arrived").values_list("payload", flat=True)
    shown = {"chain": "base", "token": "WETH", "token_address": WETH, "amount": "0.003", "tx_hash": tx_hash}
    shown |= {"id": str(stray_id_of(UUID(intent["id"]), stray.pk)), "payer": swapper.payer.address}
    assert orjson.loads(told)["data"]["strays"] == [shown]
    [leg] = swapper.api.get(f"/payment-intents/{intent['id']}/transactions").body["data"]
    assert (leg["strays"], Decimal(leg["to_amount"])) == ([shown], Decimal(intent["amount_received"]))
    assert violations() == []


def test_a_token_that_nobody_knows_is_no_stray(swapper: Buyer) -> None:
    """Anybody can make one, and have it say that it moved."""
    _pays(swapper, fresh_wallet().address, 30)
    assert swapper.arrive()["status"] == "settled"
    assert [one.purpose for one in Credit.objects.all()] == ["settlement"]
    assert "stray_arrived" not in swapper.told()


def test_a_log_that_says_that_coin_moved_is_no_stray(swapper: Buyer) -> None:
    """Polygon's contract for its own coin writes one for what the trace shows: the same coins would go back twice."""
    _pays(swapper, "0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE")
    swapper.arrive()
    swapper.node.mine(FINAL)
    assert swapper.sweep()["status"] == "settled"
    assert [one.purpose for one in Credit.objects.all()] == ["settlement"]
    assert "stray_arrived" not in swapper.told()


def pays_and_leaves_coin(swapper: Buyer) -> str:
    """While the payer's call runs, what it pays with also sends the merchant a little of the chain's own coin."""
    node, paid, attempt = swapper.node, swapper.paid.address, swapper.issue("25")
    before = node.rpc("eth_getCode", paid, "latest")
    node.fund(paid, LEFT_OVER)
    node.rpc("anvil_setCode", paid, hooking([(swapper.merchant, "0x")], LEFT_OVER))
    tx_hash = swapper.source.send(swapper.payer, attempt["transactions"][0]["request"], gas=2_500_000)
    node.rpc("anvil_setCode", paid, before)
    swapper.report(attempt, tx_hash)
    return tx_hash


def coin_of(swapper: Buyer) -> Credit:
    """The stray of a payment whose block its chain calls final."""
    pays_and_leaves_coin(swapper)
    swapper.arrive()
    swapper.node.mine(FINAL)
    swapper.sweep()
    stray: Credit = Credit.objects.get(purpose="stray")
    return stray


@pytest.mark.spec("Rulings C11.1")
def test_the_coin_inside_a_payers_call_is_a_stray_once_its_block_is_final(swapper: Buyer) -> None:
    tx_hash = pays_and_leaves_coin(swapper)
    assert swapper.arrive()["status"] == "settled"
    assert [one.purpose for one in Credit.objects.all()] == ["settlement"]
    swapper.node.mine(FINAL)
    intent = swapper.sweep(2)
    own, stray = Credit.objects.order_by("purpose", "pk")
    assert (intent["status"], intent["overpaid_usd"], own.purpose) == ("settled", "0.00", "settlement")
    assert (stray.purpose, stray.mark, stray.kind, stray.tx_hash) == ("stray", "stray", "trace", tx_hash)
    assert (stray.token_address, stray.base_units, stray.value_usd) == (EVM_NATIVE_ADDRESS, LEFT_OVER, Decimal(0))
    assert (stray.recipient, stray.payer, stray.payer_proof) == (swapper.merchant, swapper.payer.address, "sender")
    assert (stray.finalized_at is not None, own.finalized_at is not None) == (True, True)
    assert swapper.told().count("stray_arrived") == 1
    shown = {"chain": "base", "token": "ETH", "token_address": EVM_NATIVE_ADDRESS, "amount": "0.003"}
    shown |= {"tx_hash": tx_hash, "payer": swapper.payer.address}
    shown["id"] = str(stray_id_of(UUID(intent["id"]), stray.pk))
    [leg] = swapper.api.get(f"/payment-intents/{intent['id']}/transactions").body["data"]
    assert (leg["strays"], Decimal(leg["to_amount"])) == ([shown], Decimal(intent["amount_received"]))
    assert violations() == []


FAILURES: dict[str, dict[str, Any]] = {
    "none offered": {"lacks": frozenset({TRACE})},
    "too long": {"refuses": {TRACE: "execution timeout"}},
    "hung up": {"loses": TRACE},
}


@pytest.mark.parametrize("failure", FAILURES.values(), ids=FAILURES)
def test_a_payment_is_final_though_nobody_can_say_what_coin_it_left(
    swapper: Buyer, nodes: Callable[..., None], impatient: None, failure: dict[str, Any]
) -> None:
    """And it is asked for once, whatever comes of it."""
    with proxied(swapper.node.url) as proxy:
        nodes("base", proxy.url)
        for name, fault in failure.items():
            setattr(proxy, name, fault)
        pays_and_leaves_coin(swapper)
        swapper.arrive()
        swapper.node.mine(FINAL)
        assert swapper.sweep(3)["status"] == "settled"
        assert proxy.heard.count(TRACE) == 1
    [own] = Credit.objects.all()
    assert (own.purpose, own.finalized_at is not None) == ("settlement", True)
    assert "stray_arrived" not in swapper.told()


def test_a_coin_is_traced_once_and_stands_with_its_transaction(
    swapper: Buyer, nodes: Callable[..., None], caplog: pytest.LogCaptureFixture
) -> None:
    stray = coin_of(swapper)
    with proxied(swapper.node.url) as proxy:
        nodes("base", proxy.url)
        swapper.sweep(3)
        assert (proxy.heard.count(TRACE), "eth_getTransactionReceipt" in proxy.heard) == (0, True)
    stray.refresh_from_db()
    assert (stray.reversed_at, stray.vanished_at) == (None, None)
    assert "vanished" not in caplog.text


def test_a_coin_that_one_of_two_nodes_shows_is_none(
    swapper: Buyer, nodes: Callable[..., None], impatient: None
) -> None:
    """Nobody looks for it a second time, so nothing would correct a lie."""
    with proxied(swapper.node.url) as other:
        nodes("base", swapper.node.url, other.url)
        other.lacks = frozenset({TRACE})
        pays_and_leaves_coin(swapper)
        swapper.arrive()
        swapper.node.mine(FINAL)
        assert swapper.sweep(3)["status"] == "settled"
        assert TRACE in other.heard
    [own] = Credit.objects.all()
    assert (own.purpose, own.finalized_at is not None) == ("settlement", True)


def test_two_nodes_that_trace_show_a_coin_and_who_sent_it(swapper: Buyer, nodes: Callable[..., None]) -> None:
    with proxied(swapper.node.url) as other:
        nodes("base", swapper.node.url, other.url)
        stray = coin_of(swapper)
        assert other.heard.count(TRACE) == 1
    assert (stray.payer, stray.finalized_at is not None) == (swapper.payer.address, True)
