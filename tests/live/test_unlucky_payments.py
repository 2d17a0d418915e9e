"""Payments that go wrong, on a real node: each ends where it belongs, and a second try still works."""

from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest

from chains.registry import EVM_NATIVE_ADDRESS
from core.clock import now
from payments.models import Credit, Leg, PaymentIntent
from payments.routing.planning import NO_PRICE
from tests.live.evm_till import BASE_USDC, Till
from tokens.models import Token
from tokens.services import record_usd_price


def cut_to(request: dict[str, Any], units: int) -> dict[str, Any]:
    """The same call over another amount, as some wallets let their owners write it."""
    return {**request, "data": request["data"][:74] + f"{units:064x}" + request["data"][138:]}


@pytest.mark.parametrize("symbol", ["USDC", "ETH"])
def test_a_reverted_transaction_moves_nothing_and_may_be_repeated(till: Till, symbol: str) -> None:
    """That of a coin names the merchant, the value and the tag; a contract sent it back."""
    if symbol == "ETH":
        till.token, till.symbol = EVM_NATIVE_ADDRESS, symbol
        till.node.rpc("anvil_setCode", till.merchant, "0x60006000fd")
    attempt = till.issue("25")
    till.report(attempt, till.node.send(till.payer, attempt["transactions"][0]["request"], gas=30_000))
    assert till.finish()["status"] == "requires_payment"
    assert (till.credited(), till.held(), till.leg().error) == ([], 0, "reverted")
    assert till.api.get(f"/payment-intents/{till.intent['id']}").body["last_error"]["code"] == "execution_failed"


def test_a_payment_that_a_reorganisation_removes_does_not_count(till: Till) -> None:
    attempt = till.issue("25")
    request = attempt["transactions"][0]["request"]
    till.report(attempt, till.node.send(till.payer, request))
    till.node.mine()
    assert (till.sweep()["status"], till.credited()) == ("executing", [25_000_000])
    till.node.rpc("anvil_reorg", 2, [])
    assert (till.held(), till.sweep()["status"], till.credited()) == (0, "executing", [])
    again = till.node.send(till.payer, request)
    assert (till.finish()["status"], till.credited(), till.leg().tx_hash) == ("settled", [25_000_000], again)


def test_the_payer_may_try_again_where_a_reorganisation_removed_it_for_good(till: Till) -> None:
    """Nobody reported its hash, so that no other transaction is known to have its place. Its mark is watched on."""
    request = till.issue("25")["transactions"][0]["request"]
    till.node.send(till.payer, request)
    till.node.mine()
    assert (till.sweep()["status"], till.leg().status) == ("executing", "confirming")
    till.node.rpc("anvil_reorg", 2, [])
    assert till.sweep()["status"] == "executing"
    Leg.objects.update(submitted_at=now() - timedelta(minutes=12))
    Credit.objects.update(reversed_at=now() - timedelta(minutes=9))
    assert till.sweep()["status"] == "executing"
    Credit.objects.update(reversed_at=now() - timedelta(minutes=11))
    assert (till.sweep()["status"], till.leg().error) == ("requires_payment", "tx_not_found")
    till.node.send(till.payer, request)
    assert (till.finish()["status"], till.credited()) == ("settled", [25_000_000])


def test_what_was_settled_and_is_gone_waits_for_its_return(till: Till) -> None:
    """However long, and when its time is over: what came back would be late for what had ended."""
    request = till.issue("25")["transactions"][0]["request"]
    till.node.send(till.payer, request)
    till.node.mine(8)
    assert till.sweep(2)["status"] == "settled"
    till.node.rpc("anvil_reorg", 9, [])
    assert till.sweep()["status"] == "executing"
    Leg.objects.update(submitted_at=now() - timedelta(minutes=12))
    Credit.objects.update(reversed_at=now() - timedelta(minutes=11))
    PaymentIntent.objects.update(expires_at=now() - timedelta(minutes=1), expires_due_at=now() - timedelta(minutes=1))
    assert till.sweep()["status"] == "executing"
    till.node.send(till.payer, request)
    assert (till.finish()["status"], till.credited()) == ("settled", [25_000_000])
    assert till.told()[-1] == "settlement_restored"


@pytest.mark.parametrize("way", ["cancelled", "sped up", "left"])
def test_a_transaction_is_replaced_before_it_lands(till: Till, way: str) -> None:
    """Or left alone in the pool until it does."""
    attempt = till.issue("25")
    request = attempt["transactions"][0]["request"]
    till.node.rpc("evm_setAutomine", False)  # noqa: FBT003  Why: the node's own parameter.
    try:
        landing = till.node.post(till.payer, request)
        till.report(attempt, landing)
        assert (till.sweep()["status"], till.credited(), till.leg().status) == ("executing", [], "submitted")
        dearer = {"nonce": 0, "maxFeePerGas": 10**11, "maxPriorityFeePerGas": 10**10}
        instead = {"to": till.payer.address, "value": "0x0", "data": "0x"} if way == "cancelled" else request
        if way != "left":
            landing = till.node.post(till.payer, instead, **dearer)
    finally:
        till.node.rpc("evm_setAutomine", True)  # noqa: FBT003  Why: the node's own parameter.
    till.node.mine()
    ended = till.finish()
    if way == "cancelled":
        assert (ended["status"], till.credited(), till.leg().error) == ("requires_payment", [], "replaced")
    else:
        assert (ended["status"], till.credited(), till.leg().tx_hash) == ("settled", [25_000_000], landing)


@pytest.mark.spec("Rulings C1.4")
def test_a_payment_after_the_end_is_late(till: Till) -> None:
    till.pay_late()
    assert (till.finish()["status"], till.credited()) == ("expired", [25_000_000])
    assert till.told()[-1] == "late_payment"


def priced_at(symbol: str, *prices: str) -> None:
    """Let sources say these prices of a token on Base, and no others."""
    token = Token.objects.get(chain="base", symbol=symbol)
    token.prices.all().delete()
    for number, price in enumerate(prices):
        record_usd_price(token, Decimal(price), now(), f"source {number}")


@pytest.mark.spec("Rulings C5.1")
@pytest.mark.parametrize(("symbol", "said"), [("USDC", ["0.97"]), ("ETH", ["2500"])], ids=["peg", "one source"])
def test_without_a_price_that_counts_nothing_is_issued(till: Till, symbol: str, said: list[str]) -> None:
    """Which prices count: tests/tokens/test_selectors.py."""
    till.symbol, till.token = symbol, BASE_USDC if symbol == "USDC" else EVM_NATIVE_ADDRESS
    priced_at(symbol, *said)
    page = till.open("25")
    assert page.connect() == []
    error = page.state()["last_error"]
    assert (error["code"], error["message"]) == ("price_unavailable", NO_PRICE)
    assert page.send("POST", "/quote", {"chain": "base", "token_address": till.token}).status == 400
    assert (till.passed(), Leg.objects.count()) == (["created", "requires_payment"], 0)


def test_a_price_that_fails_between_look_and_quote_stops_it(till: Till) -> None:
    page = till.open("25")
    [wanted] = [one for one in page.connect() if one["token_address"] == till.token]
    priced_at("USDC", "0.97")
    assert (page.choose(wanted)["status"], page.state()["last_error"]["code"]) == ("failed", "price_unavailable")
    assert Leg.objects.count() == 0


def test_a_wallet_that_cannot_pay_is_told_why(till: Till) -> None:
    """It holds too little; too few coins for the fee; and those have no price."""

    def usdc(amount: str) -> tuple[bool, str]:
        [found] = [one for one in till.open(amount).connect() if one["token_address"] == BASE_USDC]
        return found["sufficient"], found["reason"]

    assert usdc("1000.01") == (False, "Not enough: 1000.01 USDC would be needed.")
    till.node.fund(till.payer.address, 0)
    assert usdc("25") == (False, "Too little ETH on Base for the network fee.")
    till.node.fund(till.payer.address)
    priced_at("ETH")
    assert usdc("25") == (False, "There is no reliable price for it right now.")
    assert till.passed() == ["created", "requires_payment"]
