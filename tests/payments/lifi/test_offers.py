"""What LI.FI is asked, for a payer on an EVM chain or on Solana, and what becomes of its answers as offers."""

import json
from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest
from pytest_django import Settings

from core.clock import now
from core.money import BaseUnits
from payments.routing.base import Holding, LegKind, RouteOffer, RouteRequest, RouteWithdrawn, SigningOrder
from payments.routing.gates import balances_of, fault_of
from payments.routing.lifi.provider import LIFI, kept
from payments.routing.registry import ask_providers
from tests.machine import PATIENCE_SECONDS
from tests.payments.lifi import honest as lifi
from tests.payments.lifi import svm
from tests.payments.lifi.desk import Desk
from tests.payments.lifi.honest import ARBITRUM_USDC, BASE_USDC, BASE_USDT, MERCHANT, PAYER, Answer, changed, native

USUAL = {"slippage": "0.0050", "order": "CHEAPEST", "allowDestinationCall": "false", "integrator": "causeway"}
SOLANA_USDT = "Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB"
SOLANA_USDC = replace(BASE_USDC, chain="solana", address="EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v")
SWAP, BRIDGE = lifi.request_for(BASE_USDT), lifi.request_for(ARBITRUM_USDC)


def honest(request: RouteRequest) -> Any:
    return Answer(request=request, at=now()).encoded()


def only(request: RouteRequest) -> RouteOffer:
    [offer] = LIFI.offers(request)
    return offer


def test_a_swap_is_asked_for_and_offered(desk: Desk) -> None:
    desk.answer(200, honest(SWAP))
    offer = only(SWAP)
    assert desk.paths == ["/v1/quote/toAmount"]
    tokens = {"fromToken": BASE_USDT.address, "toToken": BASE_USDC.address}
    between = {"fromChain": "8453", "toChain": "8453", "fromAddress": PAYER, "toAddress": MERCHANT}
    assert desk.asked == [{**between, **tokens, "toAmount": "25000000", **USUAL}]
    assert (offer.error, offer.provider, offer.kind, offer.raw["tool"]) == (None, "lifi", LegKind.SWAP, "sushiswap")
    assert offer.input_base_units == 25_300_875  # 25.175 and half a per cent
    assert (offer.min_output_base_units, offer.expected_output_base_units) == (25_000_000, 25_125_000)
    assert (offer.to_amount_usd, offer.fee_usd) == (Decimal("25.000000"), Decimal("0.175000"))
    assert offer.gas_usd == Decimal("0.006750")  # and an approval, a quarter more
    assert (offer.price_impact_bps, offer.duration_sec) == (70, 40)
    assert offer.raw["answer"]["action"]["slippage"] == "0.005"
    assert json.dumps(offer.raw)


def test_native_coin_needs_no_approval(desk: Desk) -> None:
    """And its loss above three per cent is refused by the gate."""
    request = lifi.request_for(native("base"))
    desk.answer(200, honest(request))
    assert only(request).gas_usd == Decimal("0.005400")
    dearer = replace(request, source=native("base", "2600"))
    offer = only(dearer)
    assert (offer.error, offer.price_impact_bps) == (None, 452)
    fault = fault_of(offer, balances_of([Holding(asset=dearer.source, base_units=BaseUnits(10**20))]))
    assert fault is not None
    assert fault.code == "PRICE_IMPACT_TOO_HIGH"


def test_a_bridge_is_asked_for_by_across_alone(desk: Desk, settings: Settings) -> None:
    """With a key the fastest way between chains is asked too."""
    desk.answer(200, honest(BRIDGE))
    offer = only(BRIDGE)
    [asked] = desk.asked
    assert (asked["fromChain"], asked["toChain"], asked["allowBridges"]) == ("42161", "8453", "across")
    assert (offer.kind, offer.raw["tool"], offer.error) == (LegKind.BRIDGE, "across", None)
    settings.LIFI_API_KEY = "made-up"
    assert len(LIFI.offers(BRIDGE)) == 1
    assert sorted(asked["order"] for asked in desk.asked[1:]) == ["CHEAPEST", "FASTEST"]
    assert {name["x-lifi-api-key"] for name in desk.names[1:]} == {"made-up"}
    assert {name["x-lifi-integrator"] for name in desk.names} == {"causeway"}


def test_a_payer_on_solana_is_asked_for_by_across_and_without_a_fee(desk: Desk, settings: Settings) -> None:
    """A fee would be a transfer beside the deposit. A lie is a refused offer."""
    settings.PLATFORM_FEE_BPS = 30
    moment = int(now().timestamp())
    order = {**svm.ORDER, "quoted": moment, "deadline": moment + 3600}
    desk.answer(200, svm.SvmAnswer(order=dict(order)).body())
    offer = only(svm.REQUEST)
    assert (offer.error, offer.kind, offer.raw["tool"]) == (None, LegKind.BRIDGE, "across")
    assert (offer.input_base_units, offer.min_output_base_units) == (-(-svm.PAID * 10_050 // 10_000), 25_000_000)
    assert (str(offer.gas_usd), offer.native_fee_base_units) == ("0.020000", 0)
    tokens = {"fromToken": str(svm.USDC), "toToken": BASE_USDC.address}
    between = {"fromChain": "1151111081099710", "toChain": "8453", "fromAddress": str(svm.PAYER), "toAddress": MERCHANT}
    assert desk.asked == [{**between, **tokens, "toAmount": "25000000", **USUAL, "allowBridges": "across"}]
    desk.answer(200, svm.SvmAnswer(order={**order, "output_amount": 24_999_999}).body())
    offer = only(svm.REQUEST)
    assert (offer.error, offer.input_base_units) == ("OUTPUT_BELOW_TARGET", 0)


@pytest.mark.spec("Rulings A8.1; Rulings A8.2")
def test_the_platforms_fee_and_who_is_asked_for_live_payments(desk: Desk, settings: Settings) -> None:
    """No fee where there is nobody to pay it to."""
    settings.RPC_URLS = {}
    desk.answer(200, honest(SWAP))
    for bps, integrator, fee in ((0, "causeway", None), (30, "causeway", "0.0030"), (30, "", None)):
        settings.PLATFORM_FEE_BPS, settings.LIFI_INTEGRATOR = bps, integrator
        assert [(offer.provider, offer.error) for offer in ask_providers(SWAP)] == [("lifi", None)]
        assert (desk.asked[-1].get("fee"), desk.asked[-1].get("integrator", "")) == (fee, integrator)


def test_what_is_never_asked(desk: Desk, settings: Settings) -> None:
    """Nothing to convert, from Solana but not USDC, to Solana, an unknown chain, native and wrapped coin, no price."""
    nothing = [lifi.request_for(BASE_USDC), lifi.request_for(replace(SOLANA_USDC, address=SOLANA_USDT))]
    nothing += [lifi.request_for(BASE_USDC, SOLANA_USDC), lifi.request_for(replace(BASE_USDC, chain="moon"))]
    assert [LIFI.offers(request) for request in nothing] == [[], [], [], []]
    wrapped = replace(native("base"), address="0x4200000000000000000000000000000000000006")
    for coin in (native("base"), wrapped):
        assert only(lifi.request_for(ARBITRUM_USDC, coin)).error == "NATIVE_OUTPUT_UNSUPPORTED"
    settings.LIFI_URL = ""
    assert LIFI.offers(SWAP) == []
    assert desk.asked == []


GARBAGE: list[Any] = [
    *(b"", b"<html>", b"[" * 5_000, b'{"type": NaN}', b"\xff\xfe", b"9" * 5_000, b"1e999999999"),
    *([], {}, "lifi", 7, None, [[]], {"type": "lifi"}, {"type": "lifi", "action": [], "estimate": 1}),
]


@pytest.mark.parametrize("body", GARBAGE, ids=range(len(GARBAGE)))
def test_garbage_is_a_refused_offer(desk: Desk, body: Any) -> None:
    """One desk for each: after three faults nothing is asked for a while."""
    desk.answer(200, body)
    assert only(SWAP).error in {"ANSWER_MALFORMED", "PROVIDER_UNAVAILABLE"}
    assert len(desk.asked) == 1


def test_an_answer_that_is_too_slow_is_a_refused_offer(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("payments.routing.lifi.questions.OFFER_SECONDS", 0.2)
    desk.delay_seconds = PATIENCE_SECONDS
    desk.answer(200, {})
    offer = only(SWAP)
    assert (offer.error, offer.raw) == ("PROVIDER_UNAVAILABLE", {"tool": "", "answer": "timeout", "retryable": True})


@pytest.mark.spec("Contract 8.3")
def test_a_refusal_keeps_what_was_said_and_a_rate_limit_is_obeyed(desk: Desk) -> None:
    said = {"message": "No available quotes for the requested transfer", "code": 1002, "errors": {"failed": []}}
    desk.answer(404, said)
    offer = only(BRIDGE)
    assert (offer.error, offer.kind) == ("NO_ROUTE", LegKind.BRIDGE)
    assert offer.raw == {"tool": "", "answer": said, "retryable": False}
    desk.answer(429, {"message": "Rate limit exceeded", "code": 1005})
    desk.headers = {"ratelimit-reset": "7000"}
    assert only(SWAP).error == "RATE_LIMITED"
    offer = only(SWAP)
    assert (offer.error, offer.raw["answer"], offer.raw["retryable"]) == ("PROVIDER_UNAVAILABLE", "paused", False)
    assert len(desk.asked) == 2


def test_a_lie_is_a_refused_offer_that_names_its_tool(desk: Desk) -> None:
    """Also an answer of another moment, and what costs nothing. A huge answer is cut before it is kept."""
    desk.answer(200, changed(honest(SWAP), "action.toAddress", PAYER))
    offer = only(SWAP)
    assert (offer.error, offer.raw["tool"], offer.input_base_units) == ("WRONG_RECIPIENT", "sushiswap", 0)
    for estimate, gas in (("0", "0.01"), ("240000", "0"), (None, "0.01")):
        cost = {"type": "SEND", "estimate": estimate, "amountUSD": gas}
        desk.answer(200, changed(honest(SWAP), "estimate.gasCosts", [cost]))
        assert only(SWAP).error == "ANSWER_MALFORMED", (estimate, gas)
    desk.answer(200, Answer(request=BRIDGE, at=datetime(2020, 1, 1, tzinfo=UTC)).encoded())
    assert only(BRIDGE).error == "WRONG_DEADLINE"
    desk.answer(200, {**honest(SWAP), "includedSteps": ["x" * 100_000]})
    offer = only(SWAP)
    assert (offer.error, len(json.dumps(offer.raw)) < 70_000) == (None, True)
    assert offer.raw["answer"]["cut"].startswith('{"id": ')
    assert only(replace(SWAP, source=replace(BASE_USDT, usd_price=Decimal(0)))).error == "PRICE_UNAVAILABLE"


def test_what_no_database_can_store_is_left_out(desk: Desk) -> None:
    said = {"message": "a\0b", "na\0me": ["\ud800", Decimal("1.50"), None, True, 7], "code": 1002}
    assert kept(said) == {"message": "ab", "name": ["?", "1.50", None, True, 7], "code": 1002}
    desk.answer(200, {**honest(SWAP), "tool": "sushi\0swap"})
    offer = only(SWAP)
    assert (offer.error, offer.raw["tool"], offer.raw["answer"]["tool"]) == ("ANSWER_MALFORMED", "", "sushiswap")


def order_for(request: RouteRequest, most: int) -> SigningOrder:
    kind = LegKind.SWAP if request.source.chain == request.destination.chain else LegKind.BRIDGE
    return SigningOrder(tag="t", request=request, kind=kind, tool="across", most_input_base_units=BaseUnits(most))


def test_a_firm_quote_that_costs_more_is_withdrawn(desk: Desk, settings: Settings) -> None:
    """Dearer than agreed, or a loss by now. The one that may pass goes on to the chain, where nobody is."""
    settings.RPC_URLS = {}
    for most, price, code in (
        (25_174_999, "1", "COSTS_ROSE"),
        (25_175_000, "1.019", "upstream_unavailable"),
        (25_175_000, "1.024", "PRICE_IMPACT_TOO_HIGH"),
    ):
        desk.answer(200, honest(BRIDGE))
        priced = replace(BRIDGE, source=replace(ARBITRUM_USDC, usd_price=Decimal(price)))
        wanted: type[Exception] = Exception if code == "upstream_unavailable" else RouteWithdrawn
        with pytest.raises(wanted) as caught:
            LIFI.prepare(order_for(priced, most))
        assert getattr(caught.value, "code", "") == code
        assert desk.asked[-1]["allowBridges"] == "across"


def test_a_firm_quote_is_asked_twice_where_that_may_help_and_else_once(desk: Desk) -> None:
    order = order_for(SWAP, 10**9)
    desk.following = [(424, {"code": 1008, "message": "third party"}), (404, {"code": 1002})]
    with pytest.raises(RouteWithdrawn, match="NO_ROUTE"):
        LIFI.prepare(order)
    assert len(desk.asked) == 2
    refused: list[tuple[int, int, SigningOrder, int]] = [
        (400, 1011, order, 1),
        (404, 1002, order, 1),
        (404, 1002, replace(order, kind=LegKind.BRIDGE), 0),
    ]
    for status, code, asked, times in refused:
        desk.answer(status, {"code": code})
        desk.asked.clear()
        with pytest.raises(RouteWithdrawn):
            LIFI.prepare(asked)
        assert len(desk.asked) == times, (status, asked.kind)
