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


@pytest.mark.parametrize(
    ("status", "code", "expected"),
    [
        (500, 1000, ("PROVIDER_UNAVAILABLE", True)),
        (404, 1001, ("TRANSACTION_NOT_BUILT", False)),
        (404, 1002, ("NO_ROUTE", False)),
        (404, 1003, ("NO_ROUTE", False)),
        (422, 1004, ("NO_ROUTE", False)),
        (429, 1005, ("RATE_LIMITED", False)),
        (500, 1006, ("PROVIDER_UNAVAILABLE", True)),
        (409, 1007, ("SLIPPAGE_TOO_HIGH", True)),
        (424, 1008, ("PROVIDER_UNAVAILABLE", True)),
        (424, 1009, ("PROVIDER_UNAVAILABLE", True)),
        (401, 1010, ("PROVIDER_MISCONFIGURED", False)),
        (400, 1011, ("PROVIDER_MISCONFIGURED", False)),
        (424, 1012, ("PROVIDER_UNAVAILABLE", True)),
        (400, 1013, ("PROVIDER_MISCONFIGURED", False)),
    ],
    ids=range(1000, 1014),
)
def test_every_code_of_a_body(status: int, code: int, expected: tuple[str, bool]) -> None:
    assert said(status, {"message": "...", "code": code}) == expected


def test_no_code_of_a_body_is_forgotten() -> None:
    assert sorted(BODY_CODES) == list(range(1000, 1014))


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("NO_POSSIBLE_ROUTE", ("NO_ROUTE", False)),
        ("INSUFFICIENT_LIQUIDITY", ("INSUFFICIENT_LIQUIDITY", False)),
        ("TOOL_TIMEOUT", ("PROVIDER_UNAVAILABLE", True)),
        ("UNKNOWN_ERROR", ("PROVIDER_UNAVAILABLE", True)),
        ("RPC_ERROR", ("PROVIDER_UNAVAILABLE", True)),
        ("AMOUNT_TOO_LOW", ("AMOUNT_TOO_LOW", False)),
        ("AMOUNT_TOO_HIGH", ("AMOUNT_TOO_HIGH", False)),
        ("FEES_HIGHER_THAN_AMOUNT", ("FEES_ABOVE_AMOUNT", False)),
        ("DIFFERENT_RECIPIENT_NOT_SUPPORTED", ("RECIPIENT_NOT_SUPPORTED", False)),
        ("TOOL_SPECIFIC_ERROR", ("PROVIDER_UNAVAILABLE", True)),
        ("CANNOT_GUARANTEE_MIN_AMOUNT", ("SLIPPAGE_TOO_HIGH", True)),
    ],
)
@pytest.mark.parametrize("form", ["list", "failed", "subpaths"])
def test_every_tools_reason_in_every_form(code: str, expected: tuple[str, bool], form: str) -> None:
    error = tool_error(code)
    errors: Any = {
        "list": [error],
        "failed": {"filteredOut": [], "failed": [{"overallPath": "a", "subpaths": {"8453:x-across-1:y": [error]}}]},
        "subpaths": {"failed": [{"subpaths": {"p": [tool_error("NO_POSSIBLE_ROUTE")], "q": [error]}}]},
    }[form]
    body = {"message": "No available quotes for the requested transfer", "code": 1002, "errors": errors}
    assert said(404, body) == expected
    assert said(404, {"message": "...", "errors": errors}) == expected


def test_no_tools_reason_is_forgotten() -> None:
    assert len(TOOL_ERRORS) == 11


def test_what_the_payer_can_change_is_told_first() -> None:
    errors = [tool_error("TOOL_TIMEOUT"), tool_error("AMOUNT_TOO_LOW"), tool_error("NO_POSSIBLE_ROUTE")]
    assert said(404, {"code": 1002, "errors": errors}) == ("AMOUNT_TOO_LOW", False)


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        (400, ("PROVIDER_MISCONFIGURED", False)),
        (401, ("PROVIDER_MISCONFIGURED", False)),
        (403, ("PROVIDER_MISCONFIGURED", False)),
        (404, ("NO_ROUTE", False)),
        (409, ("SLIPPAGE_TOO_HIGH", True)),
        (422, ("NO_ROUTE", False)),
        (424, ("PROVIDER_UNAVAILABLE", True)),
        (429, ("RATE_LIMITED", False)),
        (418, ("PROVIDER_UNAVAILABLE", True)),
    ],
)
@pytest.mark.parametrize("body", [{}, None, [], "no", {"code": "1002"}, {"code": True}], ids=range(6))
def test_a_status_alone(status: int, expected: tuple[str, bool], body: Any) -> None:
    assert said(status, body) == expected


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("None of the available routes could successfully generate a tx", ("TRANSACTION_NOT_BUILT", False)),
        ("No available quotes for the requested transfer", ("NO_ROUTE", False)),
        ("Rate limit exceeded, retry in 2 hours", ("RATE_LIMITED", False)),
    ],
    ids=["not built", "no quote", "rate limit"],
)
@pytest.mark.parametrize("code", [None, 1000, 9999])
def test_a_sentence_alone(message: str, expected: tuple[str, bool], code: int | None) -> None:
    assert said(400, {"message": message} | ({} if code is None else {"code": code})) == expected


def test_errors_within_errors_end_somewhere() -> None:
    deep: Any = [tool_error("AMOUNT_TOO_LOW")]
    for _ in range(20):
        deep = {"inner": deep}
    assert said(404, {"code": 1002, "errors": deep}) == ("NO_ROUTE", False)


@pytest.mark.parametrize("code", [*OfferError, *AnswerFault])
def test_every_refusal_has_a_sentence(code: str) -> None:
    fault = route_fault(refused("lifi", request_for(BASE_USDT), code))
    assert fault is not None
    assert fault.code == code
    assert fault.sentence != f"The provider refused: {code}."
