"""What LI.FI says of a payment: every documented word, and hints only."""

from typing import Any

import pytest

from chains.clients.base import BridgeReport
from payments.routing.lifi.faults import LifiRefused
from payments.routing.lifi.status import MEANINGS, read_status, status
from tests.payments.lifi.desk import Desk

SOURCE, DESTINATION = "0x" + 64 * "a", "0x" + 64 * "b"
WAITING, UNKNOWN, DONE, REFUNDED = (
    *(BridgeReport.WAITING, BridgeReport.UNKNOWN),
    *(BridgeReport.DONE, BridgeReport.REFUNDED),
)


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


@pytest.mark.parametrize(
    ("words", "report", "alarming"),
    [
        (("NOT_FOUND", None), WAITING, False),
        (("INVALID", None), UNKNOWN, True),
        (("PENDING", None), WAITING, False),
        (("PENDING", "WAIT_SOURCE_CONFIRMATIONS"), WAITING, False),
        (("PENDING", "WAIT_DESTINATION_TRANSACTION"), WAITING, False),
        (("PENDING", "BRIDGE_NOT_AVAILABLE"), UNKNOWN, False),
        (("PENDING", "CHAIN_NOT_AVAILABLE"), UNKNOWN, False),
        (("PENDING", "REFUND_IN_PROGRESS"), WAITING, False),
        (("PENDING", "UNKNOWN_ERROR"), UNKNOWN, False),
        (("PENDING", "INTENT_AWAITING_FUNDS"), WAITING, False),
        (("PENDING", "INTENT_READY"), WAITING, False),
        (("PENDING", "INTENT_EXECUTING"), WAITING, False),
        (("PENDING", "INTENT_FAILED_RETRYABLE"), WAITING, False),
        (("PENDING", "INTENT_SIMULATION_FAILURE"), WAITING, False),
        (("DONE", None), DONE, False),
        (("DONE", "COMPLETED"), DONE, False),
        (("DONE", "PARTIAL"), DONE, True),
        (("DONE", "REFUNDED"), REFUNDED, False),
        (("FAILED", None), UNKNOWN, False),
        (("FAILED", "INSUFFICIENT_ALLOWANCE"), UNKNOWN, False),
        (("FAILED", "INSUFFICIENT_BALANCE"), UNKNOWN, False),
        (("FAILED", "OUT_OF_GAS"), UNKNOWN, False),
        (("FAILED", "EXPIRED"), UNKNOWN, False),
        (("FAILED", "SLIPPAGE_EXCEEDED"), UNKNOWN, False),
        (("FAILED", "UNKNOWN_FAILED_ERROR"), UNKNOWN, False),
        (("FAILED", "UNKNOWN_ERROR"), UNKNOWN, False),
        (("FAILED", "NOT_PROCESSABLE_REFUND_NEEDED"), UNKNOWN, True),
        (("FAILED", "REFUNDED"), REFUNDED, False),
        (("PENDING", "SOMETHING_NEW"), WAITING, True),
        (("ELSEWHERE", None), WAITING, True),
        (("COMPLETED", "DONE"), WAITING, True),
    ],
    ids=lambda value: "-".join(map(str, value)) if isinstance(value, tuple) else None,
)
def test_every_word(words: tuple[str, str | None], report: BridgeReport, alarming: bool) -> None:
    hint = read_status(body(*words))
    assert (hint.report, hint.needs_attention) == (report, alarming)
    assert (hint.status, hint.substatus) == (words[0], words[1] or "")
    assert hint.is_partial == (words[1] == "PARTIAL")
    assert hint.destination_tx_hash == (DESTINATION if report is DONE else "")


def test_no_word_is_forgotten() -> None:
    assert len(MEANINGS) == 28


@pytest.mark.parametrize("garbage", [None, [], {}, {"status": 7}, {"status": ""}, {"status": "x" * 99}], ids=range(6))
def test_garbage_says_nothing(garbage: Any) -> None:
    with pytest.raises(LifiRefused):
        read_status(garbage)


@pytest.mark.parametrize(
    "receiving",
    [None, {}, {"txHash": ""}, {"txHash": "0x12"}, {"chainId": 8453}],
    ids=["absent", "empty", "no hash", "short", "pending"],
)
def test_a_destination_that_is_not_told(receiving: Any) -> None:
    assert read_status({**body("DONE", "COMPLETED"), "receiving": receiving}).destination_tx_hash == ""


def test_what_is_asked(desk: Desk) -> None:
    desk.answer(200, body("DONE", "COMPLETED"))
    assert status(SOURCE, "across", "arbitrum", "base").report is DONE
    assert status(SOURCE, "", "base", "base").report is DONE
    assert desk.paths == ["/v1/status", "/v1/status"]
    between = {"txHash": SOURCE, "fromChain": "42161", "toChain": "8453", "bridge": "across"}
    assert desk.asked == [between, {"txHash": SOURCE, "fromChain": "8453", "toChain": "8453"}]


@pytest.mark.parametrize(
    ("code", "said", "report"),
    [
        (404, {"message": "Not an EVM transaction", "code": 1003}, WAITING),
        (400, {"message": "...", "code": 1011}, UNKNOWN),
        (500, {}, UNKNOWN),
        (429, {"code": 1005}, UNKNOWN),
        (200, b"<html>", UNKNOWN),
        (200, [], UNKNOWN),
    ],
    ids=["not found", "refused", "broken", "rate limit", "html", "list"],
)
def test_what_is_not_an_answer(desk: Desk, code: int, said: Any, report: BridgeReport) -> None:
    desk.answer(code, said)
    assert status(SOURCE, "across", "arbitrum", "base").report is report


def test_a_chain_that_nobody_knows_is_not_asked_about(desk: Desk) -> None:
    assert status(SOURCE, "", "moon", "base").report is UNKNOWN
    assert desk.asked == []
