"""Every error that LI.FI documents, in its recorded shapes, against the one table of meanings."""

from typing import Any

import pytest

from core.outbound.providers import ProviderAnswer
from payments.routing.answer_faults import AnswerFault
from payments.routing.gates import OfferError, route_fault
from payments.routing.lifi.faults import BODY_CODES, TOOL_ERRORS, meaning_of
from payments.routing.offers import refused
from tests.payments.lifi.honest import BASE_USDT, request_for


def said(status: int, body: Any) -> tuple[str, bool]:
    """What an answer means: our code, and whether to ask again."""
    meaning = meaning_of(ProviderAnswer(status=status, headers={}, body=body))
    return str(meaning.code), meaning.retryable


def tool_error(code: str) -> dict[str, Any]:
    """One tool's reason, as LI.FI writes it."""
    return {"errorType": "NO_QUOTE", "code": code, "action": {}, "tool": "across", "message": "..."}


CODES = {
    1000: (500, "PROVIDER_UNAVAILABLE", True),
    1001: (404, "TRANSACTION_NOT_BUILT", False),
    1002: (404, "NO_ROUTE", False),
    1003: (404, "NO_ROUTE", False),
    1004: (422, "NO_ROUTE", False),
    1005: (429, "RATE_LIMITED", False),
    1006: (500, "PROVIDER_UNAVAILABLE", True),
    1007: (409, "SLIPPAGE_TOO_HIGH", True),
    1008: (424, "PROVIDER_UNAVAILABLE", True),
    1009: (424, "PROVIDER_UNAVAILABLE", True),
    1010: (401, "PROVIDER_MISCONFIGURED", False),
    1011: (400, "PROVIDER_MISCONFIGURED", False),
    1012: (424, "PROVIDER_UNAVAILABLE", True),
    1013: (400, "PROVIDER_MISCONFIGURED", False),
}


@pytest.mark.spec("Contract 8.3")
def test_every_code_of_a_body() -> None:
    assert set(BODY_CODES) == set(CODES)
    for code, (status, *expected) in CODES.items():
        assert said(status, {"message": "...", "code": code}) == tuple(expected), code


REASONS = {
    "NO_POSSIBLE_ROUTE": ("NO_ROUTE", False),
    "INSUFFICIENT_LIQUIDITY": ("INSUFFICIENT_LIQUIDITY", False),
    "TOOL_TIMEOUT": ("PROVIDER_UNAVAILABLE", True),
    "UNKNOWN_ERROR": ("PROVIDER_UNAVAILABLE", True),
    "RPC_ERROR": ("PROVIDER_UNAVAILABLE", True),
    "AMOUNT_TOO_LOW": ("AMOUNT_TOO_LOW", False),
    "AMOUNT_TOO_HIGH": ("AMOUNT_TOO_HIGH", False),
    "FEES_HIGHER_THAN_AMOUNT": ("FEES_ABOVE_AMOUNT", False),
    "DIFFERENT_RECIPIENT_NOT_SUPPORTED": ("RECIPIENT_NOT_SUPPORTED", False),
    "TOOL_SPECIFIC_ERROR": ("PROVIDER_UNAVAILABLE", True),
    "CANNOT_GUARANTEE_MIN_AMOUNT": ("SLIPPAGE_TOO_HIGH", True),
}


def test_every_tools_reason_in_every_form() -> None:
    assert set(TOOL_ERRORS) == set(REASONS)
    for code, expected in REASONS.items():
        error = tool_error(code)
        forms: list[Any] = [
            [error],
            {"filteredOut": [], "failed": [{"overallPath": "a", "subpaths": {"8453:x-across-1:y": [error]}}]},
            {"failed": [{"subpaths": {"p": [tool_error("NO_POSSIBLE_ROUTE")], "q": [error]}}]},
        ]
        for errors in forms:
            body = {"message": "No available quotes for the requested transfer", "code": 1002, "errors": errors}
            assert said(404, body) == expected, code
            assert said(404, {"message": "...", "errors": errors}) == expected, code


def test_what_the_payer_can_change_is_told_first() -> None:
    errors = [tool_error("TOOL_TIMEOUT"), tool_error("AMOUNT_TOO_LOW"), tool_error("NO_POSSIBLE_ROUTE")]
    assert said(404, {"code": 1002, "errors": errors}) == ("AMOUNT_TOO_LOW", False)


STATUSES = {
    **dict.fromkeys((400, 401, 403), ("PROVIDER_MISCONFIGURED", False)),
    **dict.fromkeys((404, 422), ("NO_ROUTE", False)),
    409: ("SLIPPAGE_TOO_HIGH", True),
    429: ("RATE_LIMITED", False),
    **dict.fromkeys((418, 424), ("PROVIDER_UNAVAILABLE", True)),
}


def test_a_status_alone() -> None:
    bodies: list[Any] = [{}, None, [], "no", {"code": "1002"}, {"code": True}]
    for body in bodies:
        assert {status: said(status, body) for status in STATUSES} == STATUSES, body


MESSAGES = {
    "None of the available routes could successfully generate a tx": ("TRANSACTION_NOT_BUILT", False),
    "No available quotes for the requested transfer": ("NO_ROUTE", False),
    "Rate limit exceeded, retry in 2 hours": ("RATE_LIMITED", False),
}


def test_a_sentence_alone() -> None:
    codes: list[dict[str, int]] = [{}, {"code": 1000}, {"code": 9999}]
    for code in codes:
        assert {message: said(400, {"message": message} | code) for message in MESSAGES} == MESSAGES, code


def test_errors_within_errors_end_somewhere() -> None:
    deep: Any = [tool_error("AMOUNT_TOO_LOW")]
    for _ in range(20):
        deep = {"inner": deep}
    assert said(404, {"code": 1002, "errors": deep}) == ("NO_ROUTE", False)


def test_every_refusal_has_a_sentence() -> None:
    for code in (*OfferError, *AnswerFault):
        fault = route_fault(refused("lifi", request_for(BASE_USDT), code))
        assert fault is not None
        assert (fault.code, fault.sentence == f"The provider refused: {code}.") == (code, False)
