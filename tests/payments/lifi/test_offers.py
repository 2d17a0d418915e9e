"""What LI.FI is asked, and what becomes of its answers as offers."""

import json
from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest
from pytest_django import Settings

from core.clock import now
from payments.routing.base import Holding, LegKind, RouteOffer, RouteRequest, RouteWithdrawn, SigningOrder
from payments.routing.gates import balances_of, fault_of
from payments.routing.lifi.provider import LIFI
from payments.routing.lifi.raw import kept
from payments.routing.registry import ask_providers
from tests.machine import PATIENCE_SECONDS
from tests.payments.lifi.desk import Desk
from tests.payments.lifi.honest import (
    ARBITRUM_USDC,
    BASE_USDC,
    BASE_USDT,
    MERCHANT,
    PAYER,
    Answer,
    changed,
    native,
    request_for,
)

SOLANA_USDT = "Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB"
SOLANA_USDC = replace(BASE_USDC, chain="solana", address="EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v")


def honest(request: RouteRequest) -> Any:
    """An honest answer of this moment."""
    return Answer(request=request, at=now()).encoded()


def only(request: RouteRequest) -> RouteOffer:
    """The one offer."""
    [offer] = LIFI.offers(request)
    return offer


def test_a_swap_is_asked_for_and_offered(desk: Desk) -> None:
    request = request_for(BASE_USDT)
    desk.answer(200, honest(request))
    offer = only(request)
    assert desk.paths == ["/v1/quote/toAmount"]
    assert desk.asked == [
        {
            "fromChain": "8453",
            "toChain": "8453",
            "fromToken": BASE_USDT.address,
            "toToken": BASE_USDC.address,
            "fromAddress": PAYER,
            "toAddress": MERCHANT,
            "toAmount": "25000000",
            "slippage": "0.0050",
            "order": "CHEAPEST",
            "allowDestinationCall": "false",
            "integrator": "causeway",
        }
    ]
    assert (offer.error, offer.provider, offer.kind, offer.raw["tool"]) == (None, "lifi", LegKind.SWAP, "sushiswap")
    assert offer.input_base_units == 25_300_875  # 25.175 and half a per cent
    assert (offer.min_output_base_units, offer.expected_output_base_units) == (25_000_000, 25_125_000)
    assert (offer.to_amount_usd, offer.fee_usd) == (Decimal("25.000000"), Decimal("0.175000"))
    assert offer.gas_usd == Decimal("0.006750")  # and an approval, a quarter more
    assert (offer.price_impact_bps, offer.duration_sec) == (70, 40)
    assert offer.raw["answer"]["action"]["slippage"] == "0.005"
    assert json.dumps(offer.raw)


def test_native_coin_needs_no_approval(desk: Desk) -> None:
    request = request_for(native("base"))
    desk.answer(200, honest(request))
    assert only(request).gas_usd == Decimal("0.005400")


def test_a_bridge_is_asked_for_by_across_alone(desk: Desk) -> None:
    request = request_for(ARBITRUM_USDC)
    desk.answer(200, honest(request))
    offer = only(request)
    [asked] = desk.asked
    assert (asked["fromChain"], asked["toChain"], asked["allowBridges"]) == ("42161", "8453", "across")
    assert (offer.kind, offer.raw["tool"], offer.error) == (LegKind.BRIDGE, "across", None)


def test_with_a_key_the_fastest_way_between_chains_is_asked_too(desk: Desk, settings: Settings) -> None:
    settings.LIFI_API_KEY = "made-up"
    request = request_for(ARBITRUM_USDC)
    desk.answer(200, honest(request))
    assert len(LIFI.offers(request)) == 1
    assert sorted(asked["order"] for asked in desk.asked) == ["CHEAPEST", "FASTEST"]
    assert {name["x-lifi-api-key"] for name in desk.names} == {"made-up"}
    assert {name["x-lifi-integrator"] for name in desk.names} == {"causeway"}


@pytest.mark.spec("Rulings A8.1; Rulings A8.2")
@pytest.mark.parametrize(
    ("bps", "integrator", "fee"),
    [(0, "causeway", None), (30, "causeway", "0.0030"), (30, "", None)],
    ids=["no fee", "fee", "nobody to pay it to"],
)
def test_the_platforms_fee(desk: Desk, settings: Settings, bps: int, integrator: str, fee: str | None) -> None:
    settings.PLATFORM_FEE_BPS, settings.LIFI_INTEGRATOR = bps, integrator
    request = request_for(BASE_USDT)
    desk.answer(200, honest(request))
    assert only(request).error is None
    assert (desk.asked[0].get("fee"), desk.asked[0].get("integrator", "")) == (fee, integrator)


@pytest.mark.parametrize(
    ("request_", "answers"),
    [
        pytest.param(request_for(BASE_USDC), [], id="nothing to convert"),
        pytest.param(request_for(replace(SOLANA_USDC, address=SOLANA_USDT)), [], id="from Solana, but not USDC"),
        pytest.param(request_for(BASE_USDC, SOLANA_USDC), [], id="to Solana"),
        pytest.param(request_for(replace(BASE_USDC, chain="moon")), [], id="unknown chain"),
        pytest.param(request_for(ARBITRUM_USDC, native("base")), ["NATIVE_OUTPUT_UNSUPPORTED"], id="native coin"),
        pytest.param(
            request_for(ARBITRUM_USDC, replace(native("base"), address="0x4200000000000000000000000000000000000006")),
            ["NATIVE_OUTPUT_UNSUPPORTED"],
            id="wrapped coin",
        ),
    ],
)
def test_what_is_never_asked(desk: Desk, request_: RouteRequest, answers: list[str]) -> None:
    assert [offer.error for offer in LIFI.offers(request_)] == answers
    assert desk.asked == []


def test_without_an_address_nobody_is_asked(settings: Settings) -> None:
    settings.LIFI_URL = ""
    assert LIFI.offers(request_for(BASE_USDT)) == []


GARBAGE: list[Any] = [
    *(b"", b"<html>", b"[" * 5_000, b'{"type": NaN}', b"\xff\xfe", b"9" * 5_000, b"1e999999999"),
    *([], {}, "lifi", 7, None, [[]], {"type": "lifi"}, {"type": "lifi", "action": [], "estimate": 1}),
]


@pytest.mark.parametrize("body", GARBAGE, ids=range(len(GARBAGE)))
def test_garbage_is_a_refused_offer(desk: Desk, body: Any) -> None:
    desk.answer(200, body)
    assert only(request_for(BASE_USDT)).error in {"ANSWER_MALFORMED", "PROVIDER_UNAVAILABLE"}


def test_an_answer_that_is_too_slow_is_a_refused_offer(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("payments.routing.lifi.questions.OFFER_SECONDS", 0.2)
    desk.delay_seconds = PATIENCE_SECONDS
    desk.answer(200, {})
    offer = only(request_for(BASE_USDT))
    assert (offer.error, offer.raw) == ("PROVIDER_UNAVAILABLE", {"tool": "", "answer": "timeout", "retryable": True})


def test_a_rate_limit_is_obeyed(desk: Desk) -> None:
    desk.answer(429, {"message": "Rate limit exceeded", "code": 1005})
    desk.headers = {"ratelimit-reset": "7000"}
    assert only(request_for(BASE_USDT)).error == "RATE_LIMITED"
    offer = only(request_for(BASE_USDT))
    assert (offer.error, offer.raw["answer"], offer.raw["retryable"]) == ("PROVIDER_UNAVAILABLE", "paused", False)
    assert len(desk.asked) == 1


@pytest.mark.spec("Contract 8.3")
def test_a_refusal_keeps_what_was_said(desk: Desk) -> None:
    said = {"message": "No available quotes for the requested transfer", "code": 1002, "errors": {"failed": []}}
    desk.answer(404, said)
    offer = only(request_for(ARBITRUM_USDC))
    assert (offer.error, offer.kind) == ("NO_ROUTE", LegKind.BRIDGE)
    assert offer.raw == {"tool": "", "answer": said, "retryable": False}


def test_a_lie_is_a_refused_offer_that_names_its_tool(desk: Desk) -> None:
    request = request_for(BASE_USDT)
    desk.answer(200, changed(honest(request), ("action", "toAddress"), PAYER))
    offer = only(request)
    assert (offer.error, offer.raw["tool"], offer.input_base_units) == ("WRONG_RECIPIENT", "sushiswap", 0)


def test_a_huge_answer_is_cut_before_it_is_kept(desk: Desk) -> None:
    request = request_for(BASE_USDT)
    desk.answer(200, {**honest(request), "includedSteps": ["x" * 100_000]})
    offer = only(request)
    assert offer.error is None
    assert len(json.dumps(offer.raw)) < 70_000
    assert offer.raw["answer"]["cut"].startswith('{"id": ')


def test_what_no_database_can_store_is_left_out(desk: Desk) -> None:
    said = {"message": "a\0b", "na\0me": ["\ud800", Decimal("1.50"), None, True, 7], "code": 1002}
    assert kept(said) == {"message": "ab", "name": ["?", "1.50", None, True, 7], "code": 1002}
    request = request_for(BASE_USDT)
    desk.answer(200, {**honest(request), "tool": "sushi\0swap"})
    offer = only(request)
    assert (offer.error, offer.raw["tool"], offer.raw["answer"]["tool"]) == ("ANSWER_MALFORMED", "", "sushiswap")


@pytest.mark.parametrize(
    ("estimate", "gas"), [("0", "0.01"), ("240000", "0"), (None, "0.01")], ids=["no gas", "no price", "no estimate"]
)
def test_a_transaction_that_costs_nothing_is_not_believed(desk: Desk, estimate: str | None, gas: str) -> None:
    request = request_for(BASE_USDT)
    cost = {"type": "SEND", "estimate": estimate, "amountUSD": gas}
    desk.answer(200, changed(honest(request), ("estimate", "gasCosts"), [cost]))
    assert only(request).error == "ANSWER_MALFORMED"


def test_a_loss_above_three_per_cent_is_refused_by_the_gate(desk: Desk) -> None:
    request = request_for(native("base"))
    desk.answer(200, honest(request))
    dearer = replace(request, source=native("base", "2600"))
    offer = only(dearer)
    assert (offer.error, offer.price_impact_bps) == (None, 452)
    fault = fault_of(offer, balances_of([Holding(asset=dearer.source, base_units=10**20)]))  # type: ignore[arg-type]  # any whole number
    assert fault is not None
    assert fault.code == "PRICE_IMPACT_TOO_HIGH"


def test_a_price_that_is_missing_is_refused(desk: Desk) -> None:
    request = request_for(BASE_USDT)
    desk.answer(200, honest(request))
    unknown = replace(request, source=replace(BASE_USDT, usd_price=Decimal(0)))
    assert only(unknown).error == "PRICE_UNAVAILABLE"


def test_the_registry_asks_it_for_live_payments(desk: Desk, settings: Settings) -> None:
    settings.RPC_URLS = {}
    request = request_for(BASE_USDT)
    desk.answer(200, honest(request))
    assert [(offer.provider, offer.error) for offer in ask_providers(request)] == [("lifi", None)]


def order_for(request: RouteRequest, most: int) -> SigningOrder:
    kind = LegKind.SWAP if request.source.chain == request.destination.chain else LegKind.BRIDGE
    return SigningOrder(tag="t", request=request, kind=kind, tool="across", most_input_base_units=most)  # type: ignore[arg-type]  # any whole number


@pytest.mark.parametrize(
    ("most", "price", "code"),
    [
        pytest.param(25_174_999, "1", "COSTS_ROSE", id="dearer than agreed"),
        pytest.param(25_175_000, "1.019", "", id="within"),
        pytest.param(25_175_000, "1.024", "PRICE_IMPACT_TOO_HIGH", id="a loss by now"),
    ],
)
def test_a_firm_quote_that_costs_more_is_withdrawn(
    desk: Desk, settings: Settings, most: int, price: str, code: str
) -> None:
    """The one that may pass goes on to the chain, where nobody is."""
    settings.RPC_URLS = {}
    request = request_for(ARBITRUM_USDC)
    desk.answer(200, honest(request))
    request = replace(request, source=replace(ARBITRUM_USDC, usd_price=Decimal(price)))
    wanted: type[Exception] = RouteWithdrawn if code else Exception
    with pytest.raises(wanted) as caught:
        LIFI.prepare(order_for(request, most))
    assert getattr(caught.value, "code", "") == (code or "upstream_unavailable")
    assert desk.asked[0]["allowBridges"] == "across"


def test_a_firm_quote_is_asked_twice_where_that_may_help(desk: Desk) -> None:
    desk.following = [(424, {"code": 1008, "message": "third party"}), (404, {"code": 1002})]
    with pytest.raises(RouteWithdrawn, match="NO_ROUTE"):
        LIFI.prepare(order_for(request_for(BASE_USDT), 10**9))
    assert len(desk.asked) == 2


@pytest.mark.parametrize("said", [(404, {"code": 1002}), (400, {"code": 1011})], ids=["no route", "refused"])
def test_a_firm_quote_is_asked_once_where_nothing_helps(desk: Desk, said: tuple[int, Any]) -> None:
    desk.answer(*said)
    with pytest.raises(RouteWithdrawn):
        LIFI.prepare(order_for(request_for(BASE_USDT), 10**9))
    assert len(desk.asked) == 1


def test_an_order_of_another_kind_is_withdrawn(desk: Desk) -> None:
    order = replace(order_for(request_for(BASE_USDT), 10**9), kind=LegKind.BRIDGE)
    with pytest.raises(RouteWithdrawn, match="NO_ROUTE"):
        LIFI.prepare(order)
    assert desk.asked == []


def test_the_moment_of_an_answer_counts(desk: Desk) -> None:
    request = request_for(ARBITRUM_USDC)
    desk.answer(200, Answer(request=request, at=datetime(2020, 1, 1, tzinfo=UTC)).encoded())
    assert only(request).error == "WRONG_DEADLINE"
