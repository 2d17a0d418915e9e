"""What nodes say to a transaction, and how it ends: lost replies, repeated sending, refusals of every kind."""

import logging

import pytest

from chains.clients.evm_sending import Verdict, verdict_on
from chains.transfers import Course, course_of
from tests.live.money_out.treasury import Treasury, fees, never, once
from tests.live.proxy import Proxy

SEND = "eth_sendRawTransaction"


WORDS = {
    Verdict.TAKEN: (
        "nonce too low: next nonce 8, tx nonce 7",
        "nonce is too low",
        "already known",
        "ALREADY_EXISTS: already known",
        "known transaction: 0xabc",
        "unknown transaction type",
        "transaction already imported",
        "Transaction with the same hash was already imported.",
        "replacement transaction underpriced",
        "limit exceeded",
        "txpool is full",
        "",
    ),
    Verdict.POOR: ("insufficient funds for gas * price + value: balance 0, tx cost 1",),
    Verdict.CHEAP: (
        "transaction underpriced: gas tip cap 0, minimum needed 1",
        "max fee per gas less than block base fee: address 0x1",
    ),
    Verdict.GAS: ("intrinsic gas too low", "exceeds block gas limit"),
    Verdict.GAP: (
        "nonce too high",
        "Transaction nonce is too distant from current sender nonce: nonce too far in the future",
        "Nonce exceeds next nonce",
    ),
    Verdict.BAD: (
        "invalid signature",
        "oversized data: transaction size 200000",
        "malformed transaction",
        "invalid sender",
    ),
}


def test_what_a_text_means() -> None:
    assert {
        verdict: tuple(text for text in texts if verdict_on(text) is verdict) for verdict, texts in WORDS.items()
    } == WORDS


def test_a_lost_reply_is_not_a_failure(treasury: Treasury, only: Proxy) -> None:
    only.loses = SEND
    transfer = treasury.order()
    treasury.advance(transfer)
    only.loses = ""
    assert once(treasury, treasury.finish(transfer))
    assert (treasury.used_nonces(), len(treasury.attempts(transfer))) == ([0], 1)


@pytest.mark.parametrize("fault", ["500", "garbage", "hang-up", "null", "error", "unknown words"])
def test_a_node_that_fails_at_sending_only_delays(treasury: Treasury, only: Proxy, fault: str) -> None:
    """Words that nobody knows may mean that it is on its way."""
    transfer = treasury.order()
    assert [treasury.step(transfer) for _ in range(2)] == ["reserved", "signed"]
    if fault == "unknown words":
        only.refuses[SEND] = "the moon is in the seventh house"
        assert treasury.advance(transfer).status == "broadcast"
    else:
        only.fault = fault
        treasury.advance(transfer)
    assert never(treasury)
    only.fault, only.refuses = "", {}
    treasury.advance(transfer)
    assert once(treasury, treasury.finish(transfer))
    assert (treasury.used_nonces(), len(treasury.attempts(transfer))) == ([0], 1)


def test_what_landed_before_we_knew_is_found(treasury: Treasury) -> None:
    """It was sent, the worker died, and it landed: sent again, the nonce is too low."""
    transfer = treasury.order()
    assert treasury.step(transfer, 2) == "signed"
    [signed] = treasury.attempts(transfer)
    treasury.node.rpc(SEND, signed.raw)
    assert once(treasury, treasury.finish(transfer))
    assert (treasury.used_nonces(), treasury.passed(transfer)[-1]) == ([0], "paid")


@pytest.mark.parametrize(
    "text", ["insufficient funds for gas * price + value", "nonce too high", "nonce too far in the future"]
)
def test_a_refusal_that_passes_keeps_nonce_and_bytes(treasury: Treasury, only: Proxy, text: str) -> None:
    only.refuses[SEND] = text
    transfer = treasury.order()
    seen = treasury.advance(transfer)
    assert (seen.status, seen.nonce, course_of(seen)) == ("signed", 0, Course.UNDER_WAY)
    assert seen.blocker == ("insufficient_gas" if "funds" in text else "")
    del only.refuses[SEND]
    assert once(treasury, treasury.finish(transfer))
    assert (treasury.used_nonces(), len(treasury.attempts(transfer))) == ([0], 1)


@pytest.mark.parametrize("text", ["transaction underpriced", "intrinsic gas too low"])
def test_a_refusal_of_its_terms_is_answered_with_better_ones(treasury: Treasury, only: Proxy, text: str) -> None:
    only.refuses[SEND] = text
    transfer = treasury.order()
    assert treasury.advance(transfer).status == "signed"
    treasury.wait()
    treasury.advance(transfer)
    only.refuses = {}
    assert once(treasury, treasury.finish(transfer))
    first, other = treasury.attempts(transfer)
    assert (treasury.used_nonces(), first.first_broadcast_at) == ([0], None)
    [(fee, tip), (dearer_fee, dearer_tip)] = fees([first, other])
    assert (dearer_fee * 8 >= fee * 9 > 0, dearer_tip * 8 >= tip * 9 > 0) == (True, True)


def test_bytes_that_no_node_will_take_use_their_nonce_up(treasury: Treasury, only: Proxy) -> None:
    """The node refuses the payment for good; what takes its place moves nothing."""
    only.refuses[SEND] = "invalid sender"
    transfer = treasury.order()
    seen = treasury.advance(transfer)
    kinds = [attempt.kind for attempt in treasury.attempts(transfer)]
    assert (seen.status, kinds) == ("signed", ["pay", "noop"])
    only.refuses = {}
    ended = treasury.finish(transfer)
    assert (ended.status, ended.failure, course_of(ended)) == ("failed", "chain_rejected", Course.FAILED)
    assert (never(treasury), treasury.used_nonces()) == (True, [0])
    assert once(treasury, treasury.finish(treasury.order(purpose_id=transfer.purpose_id)))
    assert treasury.used_nonces() == [0, 1]


def test_both_nodes_are_told_and_one_that_refuses_does_not_stop_the_other(
    treasury: Treasury, second: Proxy, caplog: pytest.LogCaptureFixture
) -> None:
    second.refuses[SEND] = "invalid sender"
    with caplog.at_level(logging.WARNING):
        assert once(treasury, treasury.finish(treasury.order()))
    assert (second.heard.count(SEND), "transfer_refused" in caplog.text) == (1, False)
