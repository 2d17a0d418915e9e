"""Every error and every status that LI.FI documents, in its recorded shapes, against the tables of meanings."""

from typing import Any

import pytest

from chains.clients.base import BridgeReport
from core.outbound.providers import ProviderAnswer
from payments.routing.answer_faults import AnswerFault
from payments.routing.gates import OfferError, route_fault
from payments.routing.lifi.faults import BODY_CODES, TOOL_ERRORS, LifiRefused, meaning_of
from payments.routing.lifi.status import MEANINGS, read_status, status
from payments.routing.offers import refused
from tests.payments.lifi.desk import Desk
from tests.payments.lifi.honest import BASE_USDT, request_for


def said(status: int, body: Any) -> tuple[str, bool]:
    """What an answer means: our code, and whether to ask again."""
    meaning = meaning_of(ProviderAnswer(status=status, headers={}, body=body))
    return str(meaning.code), meaning.retryable


def tool_error(code: str) -> dict[str, Any]:
    return {"errorType": "NO_QUOTE", "code": code, "action": {}, "tool": "across", "message": "..."}


GONE = ("PROVIDER_UNAVAILABLE", True)
NO_ROUTE, OURS = ("NO_ROUTE", False), ("PROVIDER_MISCONFIGURED", False)
SLIPS, LIMITED = ("SLIPPAGE_TOO_HIGH", True), ("RATE_LIMITED", False)
CODES = {
    **dict.fromkeys((1000, 1006), (500, *GONE)),
    **dict.fromkeys((1008, 1009, 1012), (424, *GONE)),
    **{1001: (404, "TRANSACTION_NOT_BUILT", False), 1005: (429, *LIMITED), 1007: (409, *SLIPS)},
    **{1002: (404, *NO_ROUTE), 1003: (404, *NO_ROUTE), 1004: (422, *NO_ROUTE)},
    **{1010: (401, *OURS), 1011: (400, *OURS), 1013: (400, *OURS)},
}


@pytest.mark.spec("Contract 8.3")
def test_every_code_of_a_body() -> None:
    assert set(BODY_CODES) == set(CODES)
    for code, (http, *expected) in CODES.items():
        assert said(http, {"message": "...", "code": code}) == tuple(expected), code


REASONS = {
    **dict.fromkeys(("TOOL_TIMEOUT", "UNKNOWN_ERROR", "RPC_ERROR", "TOOL_SPECIFIC_ERROR"), GONE),
    **{code: (code, False) for code in ("INSUFFICIENT_LIQUIDITY", "AMOUNT_TOO_LOW", "AMOUNT_TOO_HIGH")},
    **{"NO_POSSIBLE_ROUTE": NO_ROUTE, "FEES_HIGHER_THAN_AMOUNT": ("FEES_ABOVE_AMOUNT", False)},
    **{"DIFFERENT_RECIPIENT_NOT_SUPPORTED": ("RECIPIENT_NOT_SUPPORTED", False), "CANNOT_GUARANTEE_MIN_AMOUNT": SLIPS},
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


STATUSES = {
    **dict.fromkeys((400, 401, 403), OURS),
    **dict.fromkeys((404, 422), NO_ROUTE),
    **dict.fromkeys((418, 424), GONE),
    **{409: SLIPS, 429: LIMITED},
}
MESSAGES = {
    "None of the available routes could successfully generate a tx": ("TRANSACTION_NOT_BUILT", False),
    "No available quotes for the requested transfer": NO_ROUTE,
    "Rate limit exceeded, retry in 2 hours": LIMITED,
}


def test_a_status_or_a_sentence_alone() -> None:
    bodies: list[Any] = [{}, None, [], "no", {"code": "1002"}, {"code": True}]
    for body in bodies:
        assert {http: said(http, body) for http in STATUSES} == STATUSES, body
    codes: list[dict[str, int]] = [{}, {"code": 1000}, {"code": 9999}]
    for code in codes:
        assert {message: said(400, {"message": message} | code) for message in MESSAGES} == MESSAGES, code


def test_what_the_payer_can_change_is_told_first_and_every_refusal_has_a_sentence() -> None:
    """And errors within errors end somewhere."""
    errors = [tool_error("TOOL_TIMEOUT"), tool_error("AMOUNT_TOO_LOW"), tool_error("NO_POSSIBLE_ROUTE")]
    assert said(404, {"code": 1002, "errors": errors}) == ("AMOUNT_TOO_LOW", False)
    deep: Any = [tool_error("AMOUNT_TOO_LOW")]
    for _ in range(20):
        deep = {"inner": deep}
    assert said(404, {"code": 1002, "errors": deep}) == NO_ROUTE
    for code in (*OfferError, *AnswerFault):
        fault = route_fault(refused("lifi", request_for(BASE_USDT), code))
        assert fault is not None
        assert (fault.code, fault.sentence == f"The provider refused: {code}.") == (code, False)


SOURCE, DESTINATION = "0x" + 64 * "a", "0x" + 64 * "b"
WAITING, UNKNOWN = BridgeReport.WAITING, BridgeReport.UNKNOWN
DONE, REFUNDED = BridgeReport.DONE, BridgeReport.REFUNDED


def body(word: str, substatus: str | None) -> dict[str, Any]:
    sending = {"txHash": SOURCE, "chainId": 42161, "amount": "25175000", "timestamp": 1795348800}
    receiving = {"chainId": 8453, "txHash": DESTINATION, "amount": "25000000"}
    return {
        **{"transactionId": "0x" + 64 * "1", "sending": sending, "receiving": receiving, "tool": "across"},
        **{"fromAddress": "0x" + 40 * "1", "toAddress": "0x" + 40 * "2", "status": word},
        **({} if substatus is None else {"substatus": substatus, "substatusMessage": "..."}),
        "lifiExplorerLink": "https://scan.li.fi/tx/1",
    }


WORDS: dict[tuple[BridgeReport, bool], list[tuple[str, str | None]]] = {
    (WAITING, False): [
        *(("NOT_FOUND", None), ("PENDING", None), ("PENDING", "WAIT_SOURCE_CONFIRMATIONS")),
        *(("PENDING", "WAIT_DESTINATION_TRANSACTION"), ("PENDING", "REFUND_IN_PROGRESS")),
        *(("PENDING", "INTENT_AWAITING_FUNDS"), ("PENDING", "INTENT_READY"), ("PENDING", "INTENT_EXECUTING")),
        *(("PENDING", "INTENT_FAILED_RETRYABLE"), ("PENDING", "INTENT_SIMULATION_FAILURE")),
    ],
    (WAITING, True): [("PENDING", "SOMETHING_NEW"), ("ELSEWHERE", None), ("COMPLETED", "DONE")],
    (UNKNOWN, False): [
        *(("PENDING", word) for word in ("BRIDGE_NOT_AVAILABLE", "CHAIN_NOT_AVAILABLE", "UNKNOWN_ERROR")),
        *(("FAILED", word) for word in (None, "INSUFFICIENT_ALLOWANCE", "INSUFFICIENT_BALANCE", "OUT_OF_GAS")),
        *(("FAILED", word) for word in ("EXPIRED", "SLIPPAGE_EXCEEDED", "UNKNOWN_FAILED_ERROR", "UNKNOWN_ERROR")),
    ],
    (UNKNOWN, True): [("INVALID", None), ("FAILED", "NOT_PROCESSABLE_REFUND_NEEDED")],
    (DONE, False): [("DONE", None), ("DONE", "COMPLETED")],
    (DONE, True): [("DONE", "PARTIAL")],
    (REFUNDED, False): [("DONE", "REFUNDED"), ("FAILED", "REFUNDED")],
}


@pytest.mark.spec("Contract 8.3")
def test_every_word_of_a_status() -> None:
    assert len(MEANINGS) == 28
    for (report, alarming), rows in WORDS.items():
        for words in rows:
            hint = read_status(body(*words))
            assert (hint.report, hint.needs_attention) == (report, alarming), words
            assert (hint.status, hint.substatus) == (words[0], words[1] or "")
            assert hint.is_partial == (words[1] == "PARTIAL")
            assert hint.destination_tx_hash == (DESTINATION if report is DONE else "")


def test_garbage_says_nothing() -> None:
    kinds: list[Any] = [None, [], {}, {"status": 7}, {"status": ""}, {"status": "x" * 99}]
    for garbage in kinds:
        with pytest.raises(LifiRefused):
            read_status(garbage)
    for receiving in (None, {}, {"txHash": ""}, {"txHash": "0x12"}, {"chainId": 8453}):
        assert read_status({**body("DONE", "COMPLETED"), "receiving": receiving}).destination_tx_hash == "", receiving


def test_what_is_asked_of_a_payment_and_what_is_no_answer(desk: Desk) -> None:
    """By its hash, or its signature; nothing of a chain that nobody knows."""
    desk.answer(200, body("DONE", "COMPLETED"))
    assert status(SOURCE, "", "base", "base").report is DONE
    desk.answer(200, {"status": "PENDING"})
    assert status("5" * 88, "across", "solana", "base").report is WAITING
    assert status(SOURCE, "", "moon", "base").report is UNKNOWN
    assert desk.paths == 2 * ["/v1/status"]
    assert desk.asked == [
        {"txHash": SOURCE, "fromChain": "8453", "toChain": "8453"},
        {"txHash": "5" * 88, "fromChain": "1151111081099710", "toChain": "8453", "bridge": "across"},
    ]
    answers: list[tuple[int, Any, BridgeReport]] = [
        (404, {"message": "Not an EVM transaction", "code": 1003}, WAITING),
        *((code, said, UNKNOWN) for code, said in ((400, {"message": "...", "code": 1011}), (500, {}))),
        *((code, said, UNKNOWN) for code, said in ((200, b"<html>"), (200, []), (429, {"code": 1005}))),
    ]
    for code, said, report in answers:
        desk.answer(code, said)
        assert status(SOURCE, "across", "arbitrum", "base").report is report, (code, said)
