"""Every status, code and sentence of Jupiter that is known, in this service's words; recorded error bodies."""

from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest
from pytest_django import Settings

from core.outbound.providers import ProviderAnswer
from localnet.jupiter import Failure
from payments.routing.base import RouteWithdrawn
from payments.routing.jupiter.client import forget
from payments.routing.jupiter.refusals import LONGEST_RAW, program_refusal, refusal_of
from tests.payments.jupiter.scene import Scene

ZOD = {
    "success": False,
    "error": {
        "issues": [{"code": "invalid_type", "expected": "string", "received": "undefined", "path": ["taker"]}],
        "name": "ZodError",
    },
}
REFUSALS: list[tuple[int, Any, str]] = [
    (400, {"error": "No routes found"}, "NO_ROUTE"),
    (400, {"error": "Could not find any route", "errorCode": "COULD_NOT_FIND_ANY_ROUTE"}, "NO_ROUTE"),
    (400, {"error": "NO_ROUTES_FOUND"}, "NO_ROUTE"),
    (400, {"error": "The token is not tradable", "errorCode": "TOKEN_NOT_TRADABLE"}, "NO_ROUTE"),
    (400, {"error": "Market not found", "errorCode": "MARKET_NOT_FOUND"}, "NO_ROUTE"),
    (400, {"errorCode": "CIRCULAR_ARBITRAGE_IS_DISABLED"}, "SAME_TOKEN"),
    (400, {"error": "Circular arbitrage is disabled"}, "SAME_TOKEN"),
    (400, {"errorCode": "ROUTE_PLAN_DOES_NOT_CONSUME_ALL_THE_AMOUNT"}, "INSUFFICIENT_LIQUIDITY"),
    (400, ZOD, "PROVIDER_MISCONFIGURED"),
    (400, {"error": "something new"}, "NO_ROUTE"),
    (400, [], "NO_ROUTE"),
    (401, {"code": 401, "message": "Unauthorized"}, "PROVIDER_MISCONFIGURED"),
    (403, {"code": 403, "message": "Forbidden"}, "PROVIDER_MISCONFIGURED"),
    (404, {"code": 404, "message": "Route not found"}, "PROVIDER_MISCONFIGURED"),
    (429, {"code": 429, "message": "You have exceeded the rate limit"}, "RATE_LIMITED"),
    (418, None, "PROVIDER_UNAVAILABLE"),
    (200, {"router": "metis", "transaction": "", "errorCode": 1, "errorMessage": "x"}, "BALANCE_TOO_LOW"),
    (200, {"router": "dflow", "transaction": "", "errorCode": 2}, "GAS_TOO_LOW"),
    (200, {"router": "okx", "transaction": "", "errorCode": 3}, "AMOUNT_TOO_LOW"),
    (200, {"router": "jupiterz", "transaction": "", "errorCode": 1}, "BALANCE_TOO_LOW"),
    (200, {"router": "jupiterz", "transaction": "", "errorCode": 2}, "NO_ROUTE"),
    (200, {"router": "jupiterz", "transaction": "", "errorCode": 3}, "TRANSACTION_NOT_BUILT"),
    (200, {"router": "metis", "errorCode": 99}, "NO_ROUTE"),
    (200, {"error": "No routes found"}, "NO_ROUTE"),
]


@pytest.mark.parametrize(("status", "body", "code"), REFUSALS)
def test_what_jupiter_says(status: int, body: Any, code: str) -> None:
    assert refusal_of(ProviderAnswer(status=status, headers={}, body=body)) == code


def test_an_offer_is_no_refusal() -> None:
    assert refusal_of(ProviderAnswer(status=200, headers={}, body={"inAmount": "1"})) is None


@pytest.mark.parametrize(
    ("number", "code"),
    [
        (6001, "SLIPPAGE_TOO_HIGH"),
        (6008, "SIMULATION_FAILED"),
        (6014, "NO_ROUTE"),
        (6017, "SLIPPAGE_TOO_HIGH"),
        (6024, "BALANCE_TOO_LOW"),
        (6025, "NO_ROUTE"),
        (1, "SIMULATION_FAILED"),
        (None, "SIMULATION_FAILED"),
    ],
)
def test_what_its_program_says(number: int | None, code: str) -> None:
    assert program_refusal(number) == code


@pytest.mark.parametrize(("status", "body", "code"), REFUSALS[:16:5])
def test_a_refusal_is_a_refused_offer(scene: Scene, status: int, body: Any, code: str) -> None:
    scene.jupiter.failure = Failure(status=status, body=body)
    offer = scene.offer(scene.request())
    assert (offer.error, offer.input_base_units, offer.raw["tool"]) == (code, 0, "metis")
    forget()
    with pytest.raises(RouteWithdrawn, match=code):
        scene.prepare(scene.request())


@pytest.mark.parametrize(
    "failure",
    [
        Failure(status=500, body={"error": "x"}),
        Failure(status=200, body=b"<html>502</html>"),
        Failure(status=200, body=b""),
        Failure(status=200, body=b"[" * 10_000),
        Failure(status=200, body=b'{"inAmount": NaN}'),
    ],
    ids=["broken", "html", "empty", "deep", "not-a-number"],
)
def test_garbage_is_a_refused_offer(scene: Scene, failure: Failure) -> None:
    scene.jupiter.failure = failure
    assert scene.offer(scene.request()).error == "PROVIDER_UNAVAILABLE"


@pytest.mark.parametrize("body", [None, [], "x", 7, {}, {"inputMint": 1}], ids=repr)
def test_another_form_is_a_refused_offer(scene: Scene, body: Any) -> None:
    scene.jupiter.lie = lambda _honest: body
    assert scene.offer(scene.request()).error in {"MALFORMED_ANSWER", "ANSWER_DIFFERS"}


def test_a_long_refusal_is_kept_short(scene: Scene) -> None:
    scene.jupiter.failure = Failure(status=400, body={"error": "x" * 100_000})
    assert len(scene.offer(scene.request()).raw["answer"]) == LONGEST_RAW


def test_its_limits_are_obeyed(scene: Scene) -> None:
    """The last question of the minute was answered: nothing more is asked until the next one."""
    scene.jupiter.remaining = 2
    scene.offer(scene.request())
    asked = len(scene.jupiter.asked)
    assert scene.offer(scene.request()).error == "PROVIDER_UNAVAILABLE"
    assert len(scene.jupiter.asked) == asked


def test_a_price_that_jupiter_does_not_say_is_none(scene: Scene) -> None:
    scene.jupiter.usd["WSOL"] = Decimal(0)
    assert scene.offer(scene.request()).error == "PRICE_UNAVAILABLE"


@pytest.mark.parametrize("side", ["source", "destination"])
def test_nothing_is_asked_without_own_prices(scene: Scene, settings: Settings, side: str) -> None:
    honest = scene.request()
    priced = replace(getattr(honest, side), usd_price=Decimal(0))
    request = replace(honest, source=priced) if side == "source" else replace(honest, destination=priced)
    assert scene.offer(request).error == "PRICE_UNAVAILABLE"
    assert (scene.jupiter.asked, settings.JUPITER_URL) == ([], scene.jupiter.url)
