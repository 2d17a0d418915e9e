"""What else reaches the merchant inside a payer's own call: it is shown and told, and counts for nothing."""

from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal
from uuid import UUID, uuid4

import orjson
import pytest

from chains.clients.evm_calls import token_transfer
from localnet.nodes import fresh_wallet
from payments.models import Credit, stray_id_of
from tests.invariants import violations
from tests.live.buyer import Buyer, asset
from tests.live.hooks import hooking
from webhooks.models import Event

WETH = asset("base", "WETH").address
LEFT_OVER = 3 * 10**15


@contextmanager
def _leaving(swapper: Buyer, token: str, times: int = 1) -> Iterator[None]:
    """While the payer's call runs, what it pays with also brings the merchant a little of another token."""
    node, paid = swapper.node, swapper.paid.address
    before = {place: node.rpc("eth_getCode", place, "latest") for place in (paid, token)}
    node.place("TestToken", token)
    node.mint(token, paid, times * LEFT_OVER)
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
