"""What LI.FI says of a payment: every documented word, and hints only."""

from typing import Any

import pytest

from chains.clients.base import BridgeReport
from payments.routing.lifi.faults import LifiRefused
from payments.routing.lifi.status import MEANINGS, read_status, status
from tests.payments.lifi.desk import Desk

SOURCE, DESTINATION = "0x" + 64 * "a", "0x" + 64 * "b"
WAITING, UNKNOWN = BridgeReport.WAITING, BridgeReport.UNKNOWN
DONE, REFUNDED = BridgeReport.DONE, BridgeReport.REFUNDED


def body(status: str, substatus: str | None) -> dict[str, Any]:
    """A whole answer as LI.FI records it."""
    return {
        "transactionId": "0x" + 64 * "1",
        "sending": {"txHash": SOURCE, "chainId": 42161, "amount": "25175000", "timestamp": 1795348800},
        "receiving": {"chainId": 8453, "txHash": DESTINATION, "amount": "25000000"},
        "fromAddress": "0x" + 40 * "1",
        "toAddress": "0x" + 40 * "2",
        "tool": "across",
        "status": status,
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
def test_every_word() -> None:
    for (report, alarming), rows in WORDS.items():
        for words in rows:
            hint = read_status(body(*words))
            assert (hint.report, hint.needs_attention) == (report, alarming), words
            assert (hint.status, hint.substatus) == (words[0], words[1] or "")
            assert hint.is_partial == (words[1] == "PARTIAL")
            assert hint.destination_tx_hash == (DESTINATION if report is DONE else "")


def test_no_word_is_forgotten() -> None:
    assert len(MEANINGS) == 28


def test_garbage_says_nothing() -> None:
    kinds: list[Any] = [None, [], {}, {"status": 7}, {"status": ""}, {"status": "x" * 99}]
    for garbage in kinds:
        with pytest.raises(LifiRefused):
            read_status(garbage)


def test_a_destination_that_is_not_told() -> None:
    for receiving in (None, {}, {"txHash": ""}, {"txHash": "0x12"}, {"chainId": 8453}):
        assert read_status({**body("DONE", "COMPLETED"), "receiving": receiving}).destination_tx_hash == "", receiving


def test_what_is_asked(desk: Desk) -> None:
    desk.answer(200, body("DONE", "COMPLETED"))
    assert status(SOURCE, "across", "arbitrum", "base").report is DONE
    assert status(SOURCE, "", "base", "base").report is DONE
    assert desk.paths == ["/v1/status", "/v1/status"]
    between = {"txHash": SOURCE, "fromChain": "42161", "toChain": "8453", "bridge": "across"}
    assert desk.asked == [between, {"txHash": SOURCE, "fromChain": "8453", "toChain": "8453"}]


def test_what_is_not_an_answer(desk: Desk) -> None:
    answers: list[tuple[int, Any, BridgeReport]] = [
        (404, {"message": "Not an EVM transaction", "code": 1003}, WAITING),
        (400, {"message": "...", "code": 1011}, UNKNOWN),
        (500, {}, UNKNOWN),
        (200, b"<html>", UNKNOWN),
        (200, [], UNKNOWN),
        (429, {"code": 1005}, UNKNOWN),
    ]
    for code, said, report in answers:
        desk.answer(code, said)
        assert status(SOURCE, "across", "arbitrum", "base").report is report, (code, said)


def test_a_chain_that_nobody_knows_is_not_asked_about(desk: Desk) -> None:
    assert status(SOURCE, "", "moon", "base").report is UNKNOWN
    assert desk.asked == []
