"""Every status, code and sentence of Jupiter that is known, in this service's words; recorded error bodies."""

from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

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
REFUSALS: dict[str, list[tuple[int, Any]]] = {
    "NO_ROUTE": [
        *((400, {"error": error}) for error in ("No routes found", "NO_ROUTES_FOUND", "something new")),
        (400, {"error": "Could not find any route", "errorCode": "COULD_NOT_FIND_ANY_ROUTE"}),
        (400, {"error": "The token is not tradable", "errorCode": "TOKEN_NOT_TRADABLE"}),
        (400, {"error": "Market not found", "errorCode": "MARKET_NOT_FOUND"}),
        *((400, []), (200, {"error": "No routes found"}), (200, {"router": "metis", "errorCode": 99})),
        (200, {"router": "jupiterz", "transaction": "", "errorCode": 2}),
    ],
    "SAME_TOKEN": [
        *((400, {"errorCode": "CIRCULAR_ARBITRAGE_IS_DISABLED"}), (400, {"error": "Circular arbitrage is disabled"})),
    ],
    "INSUFFICIENT_LIQUIDITY": [(400, {"errorCode": "ROUTE_PLAN_DOES_NOT_CONSUME_ALL_THE_AMOUNT"})],
    "PROVIDER_MISCONFIGURED": [
        *((400, ZOD), (401, {"code": 401, "message": "Unauthorized"}), (403, {"code": 403, "message": "Forbidden"})),
        (404, {"code": 404, "message": "Route not found"}),
    ],
    "RATE_LIMITED": [(429, {"code": 429, "message": "You have exceeded the rate limit"})],
    "PROVIDER_UNAVAILABLE": [(418, None)],
    "BALANCE_TOO_LOW": [
        (200, {"router": "metis", "transaction": "", "errorCode": 1, "errorMessage": "x"}),
        (200, {"router": "jupiterz", "transaction": "", "errorCode": 1}),
    ],
    "GAS_TOO_LOW": [(200, {"router": "dflow", "transaction": "", "errorCode": 2})],
    "AMOUNT_TOO_LOW": [(200, {"router": "okx", "transaction": "", "errorCode": 3})],
    "TRANSACTION_NOT_BUILT": [(200, {"router": "jupiterz", "transaction": "", "errorCode": 3})],
}
PROGRAM: dict[int | None, str] = {
    **{6001: "SLIPPAGE_TOO_HIGH", 6008: "SIMULATION_FAILED", 6014: "NO_ROUTE", 6017: "SLIPPAGE_TOO_HIGH"},
    **{6024: "BALANCE_TOO_LOW", 6025: "NO_ROUTE", 1: "SIMULATION_FAILED", None: "SIMULATION_FAILED"},
}


def test_what_jupiter_and_its_program_say() -> None:
    for code, answers in REFUSALS.items():
        for status, body in answers:
            assert refusal_of(ProviderAnswer(status=status, headers={}, body=body)) == code, body
    assert refusal_of(ProviderAnswer(status=200, headers={}, body={"inAmount": "1"})) is None
    assert {number: program_refusal(number) for number in PROGRAM} == PROGRAM


def test_a_refusal_is_a_refused_offer(scene: Scene) -> None:
    for code in ("NO_ROUTE", "SAME_TOKEN", "PROVIDER_MISCONFIGURED", "PROVIDER_UNAVAILABLE"):
        status, body = REFUSALS[code][0]
        forget()
        scene.jupiter.failure = Failure(status=status, body=body)
        offer = scene.offer(scene.request())
        assert (offer.error, offer.input_base_units, offer.raw["tool"]) == (code, 0, "metis")
        forget()
        with pytest.raises(RouteWithdrawn, match=code):
            scene.prepare(scene.request())


def test_garbage_and_another_form_are_a_refused_offer(scene: Scene) -> None:
    garbage = (b"<html>502</html>", b"", b"[" * 10_000, b'{"inAmount": NaN}')
    failures = [Failure(status=500, body={"error": "x"}), *(Failure(status=200, body=body) for body in garbage)]
    for failure in failures:
        forget()
        scene.jupiter.failure = failure
        asked = len(scene.jupiter.asked)
        assert scene.offer(scene.request()).error == "PROVIDER_UNAVAILABLE", failure
        assert len(scene.jupiter.asked) > asked
    scene.jupiter.failure = None
    others: list[Any] = [None, [], "x", 7, {}, {"inputMint": 1}]
    for body in others:
        forget()
        scene.jupiter.lie = lambda _honest, body=body: body
        assert scene.offer(scene.request()).error in {"MALFORMED_ANSWER", "ANSWER_DIFFERS"}, body


def test_a_long_refusal_is_kept_short_and_limits_are_obeyed(scene: Scene) -> None:
    """Once the last question of the minute was answered, nothing more is asked until the next one."""
    scene.jupiter.failure = Failure(status=400, body={"error": "x" * 100_000})
    assert len(scene.offer(scene.request()).raw["answer"]) == LONGEST_RAW
    forget()
    scene.jupiter.failure, scene.jupiter.remaining = None, 2
    scene.offer(scene.request())
    asked = len(scene.jupiter.asked)
    assert (scene.offer(scene.request()).error, len(scene.jupiter.asked)) == ("PROVIDER_UNAVAILABLE", asked)


def test_a_price_that_jupiter_or_this_service_does_not_know_is_none(scene: Scene) -> None:
    """Without an own price nobody is asked."""
    honest = scene.request()
    for side in ("source", "destination"):
        unpriced = replace(getattr(honest, side), usd_price=Decimal(0))
        request = replace(honest, source=unpriced) if side == "source" else replace(honest, destination=unpriced)
        assert (scene.offer(request).error, scene.jupiter.asked) == ("PRICE_UNAVAILABLE", [])
    scene.jupiter.usd["WSOL"] = Decimal(0)
    assert scene.offer(honest).error == "PRICE_UNAVAILABLE"
