"""An aggregator that lies inside the call, one decoded field at a time, encoded again without a fault."""

from collections.abc import Callable
from typing import Any

import pytest

from chains.registry import EVM_NATIVE_ADDRESS
from tests.payments.lifi.honest import (
    ARBITRUM_USDC,
    AT,
    BASE_USDC,
    BASE_USDT,
    EXCHANGE,
    MERCHANT,
    NOTHING,
    PAYER,
    STRANGER,
    Answer,
    bridge,
    changed,
    swap,
    word,
)
from tests.payments.lifi.verdicts import HONEST, judge, refusal

ROUTER = "0x1231DEB6f5749EF6cE6943a275A1D3E7486F4EaE"
NOW = int(AT.timestamp())
Lie = tuple[str, str, Callable[[Answer], None], str]
_BRIDGES = ("bridge", "bridge after a swap")


def _at(part: str, place: int, value: Any) -> Callable[[Answer], None]:
    def change(answer: Answer) -> None:
        getattr(answer, part)[place] = value

    return change


def _step(step: int, place: int, value: Any) -> Callable[[Answer], None]:
    def change(answer: Answer) -> None:
        answer.steps[step][place] = value

    return change


SWAP_LIES: list[Lie] = [
    ("swap of a token", "id", _at("head", 0, NOTHING), "WRONG_IDENTITY"),
    ("swap of a token", "other id", _at("head", 0, bytes(31) + b"1"), "WRONG_IDENTITY"),
    ("swap of a token", "integrator", _at("head", 1, "someone"), "WRONG_IDENTITY"),
    ("swap of a token", "receiver", _at("head", 3, STRANGER), "WRONG_RECIPIENT"),
    ("swap of a token", "receiver is the payer", _at("head", 3, PAYER), "WRONG_RECIPIENT"),
    ("swap of a token", "least", _at("head", 4, 24_999_999), "OUTPUT_BELOW_TARGET"),
    ("swap of a token", "no least", _at("head", 4, 0), "OUTPUT_BELOW_TARGET"),
    ("swap of a token", "sold token", _step(0, 2, STRANGER), "WRONG_TOKEN"),
    ("swap of a token", "bought token", _step(0, 3, STRANGER), "WRONG_TOKEN"),
    ("swap of a token", "more taken", _step(0, 4, 25_175_001), "WRONG_INPUT"),
    ("swap of a token", "less taken", _step(0, 4, 25_174_999), "WRONG_INPUT"),
    ("swap of a token", "nothing taken", _step(0, 4, 0), "WRONG_INPUT"),
    ("swap of a token", "calls the sold token", _step(0, 0, BASE_USDT.address), "FORBIDDEN_STEP"),
    ("swap of a token", "calls the bought token", _step(0, 0, BASE_USDC.address), "FORBIDDEN_STEP"),
    ("swap of a token", "calls the payer", _step(0, 0, PAYER), "FORBIDDEN_STEP"),
    ("swap of a token", "calls the merchant", _step(0, 0, MERCHANT), "FORBIDDEN_STEP"),
    ("swap of a token", "calls the router", _step(0, 0, ROUTER), "FORBIDDEN_STEP"),
    ("swap of a token", "calls nobody", _step(0, 0, EVM_NATIVE_ADDRESS), "FORBIDDEN_STEP"),
    ("swap of a token", "approves the sold token", _step(0, 1, BASE_USDT.address), "FORBIDDEN_STEP"),
    ("swap of a token", "approves the payer", _step(0, 1, PAYER), "FORBIDDEN_STEP"),
    ("swap of a token", "approves nobody", _step(0, 1, EVM_NATIVE_ADDRESS), "FORBIDDEN_STEP"),
    ("swap of a token", "no function", _step(0, 5, b"123"), "FORBIDDEN_STEP"),
    ("swap of a token in two steps", "broken chain", _step(0, 3, STRANGER), "WRONG_TOKEN"),
    ("swap of a token in two steps", "other start", _step(0, 2, STRANGER), "WRONG_TOKEN"),
    ("swap of a token in two steps", "other end", _step(1, 3, STRANGER), "WRONG_TOKEN"),
    ("swap of a token in two steps", "fee taken twice", _step(0, 4, 62_938), "WRONG_INPUT"),
    ("swap of a token in two steps", "deposit left out", _step(1, 6, value=False), "WRONG_INPUT"),
    ("swap of a token in two steps", "second calls the token", _step(1, 0, BASE_USDT.address), "FORBIDDEN_STEP"),
    ("swap of the native coin", "sold token", _step(0, 2, BASE_USDT.address), "WRONG_TOKEN"),
    ("swap of the native coin", "less", _step(0, 4, 1), "WRONG_INPUT"),
    ("swap of the native coin in two steps", "more", _step(1, 4, 10**18), "WRONG_INPUT"),
    ("swap of the native coin in two steps", "a token's deposit", _step(1, 2, BASE_USDT.address), "WRONG_TOKEN"),
    ("swap into the native coin", "bought token", _step(0, 3, BASE_USDT.address), "WRONG_TOKEN"),
]
BRIDGE_LIES: list[Lie] = [
    *((name, "id", _at("head", 0, NOTHING), "WRONG_IDENTITY") for name in _BRIDGES),
    *((name, "other id", _at("head", 0, bytes(31) + b"1"), "WRONG_IDENTITY") for name in _BRIDGES),
    *((name, "integrator", _at("head", 2, "someone"), "WRONG_IDENTITY") for name in _BRIDGES),
    *((name, "token", _at("head", 4, STRANGER), "WRONG_TOKEN") for name in _BRIDGES),
    *((name, "receiver", _at("head", 5, STRANGER), "WRONG_RECIPIENT") for name in _BRIDGES),
    ("bridge", "more taken", _at("head", 6, 25_175_001), "WRONG_INPUT"),
    ("bridge", "less taken", _at("head", 6, 25_174_999), "WRONG_INPUT"),
    ("bridge after a swap", "less bridged", _at("head", 6, 25_000_000), "OUTPUT_BELOW_TARGET"),
    *((name, "destination", _at("head", 7, 10), "WRONG_CHAIN") for name in _BRIDGES),
    ("bridge", "swaps", _at("head", 8, value=True), "FIGURES_CONTRADICT"),
    ("bridge after a swap", "no swaps", _at("head", 8, value=False), "FIGURES_CONTRADICT"),
    *((name, "destination call", _at("head", 9, value=True), "DESTINATION_CALL") for name in _BRIDGES),
    *((name, "paid to", _at("order", 0, word(STRANGER)), "WRONG_RECIPIENT") for name in _BRIDGES),
    *((name, "dirty receiver", _at("order", 0, b"1" + word(MERCHANT)[1:]), "WRONG_RECIPIENT") for name in _BRIDGES),
    *((name, "refund", _at("order", 1, word(STRANGER)), "WRONG_REFUND_ADDRESS") for name in _BRIDGES),
    *((name, "refund to merchant", _at("order", 1, word(MERCHANT)), "WRONG_REFUND_ADDRESS") for name in _BRIDGES),
    *((name, "input token", _at("order", 2, word(STRANGER)), "WRONG_TOKEN") for name in _BRIDGES),
    *((name, "no input token", _at("order", 2, NOTHING), "WRONG_TOKEN") for name in _BRIDGES),
    *((name, "output token", _at("order", 3, word(STRANGER)), "WRONG_TOKEN") for name in _BRIDGES),
    *((name, "same token elsewhere", _at("order", 3, word(ARBITRUM_USDC.address)), "WRONG_TOKEN") for name in _BRIDGES),
    ("bridge", "output", _at("order", 4, 24_999_999), "OUTPUT_BELOW_TARGET"),
    ("bridge after a swap", "multiplier", _at("order", 5, 9 * 10**17), "OUTPUT_BELOW_TARGET"),
    *((name, "relayer for ever", _at("order", 6, word(STRANGER)), "WRONG_DEADLINE") for name in _BRIDGES),
    *((name, "old quote", _at("order", 7, NOW - 3_601), "WRONG_DEADLINE") for name in _BRIDGES),
    *((name, "quote of tomorrow", _at("order", 7, NOW + 301), "WRONG_DEADLINE") for name in _BRIDGES),
    *((name, "filled at once", _at("order", 8, NOW + 299), "WRONG_DEADLINE") for name in _BRIDGES),
    *((name, "filled some day", _at("order", 8, NOW + 86_401), "WRONG_DEADLINE") for name in _BRIDGES),
    *((name, "exclusive for nobody", _at("order", 9, 60), "WRONG_DEADLINE") for name in _BRIDGES),
    *((name, "message", _at("order", 10, b"call me"), "DESTINATION_CALL") for name in _BRIDGES),
    ("bridge of a token after a swap", "deposit left out", _step(0, 6, value=False), "WRONG_INPUT"),
    ("bridge of a token after a swap", "more taken", _step(1, 4, 25_175_000), "WRONG_INPUT"),
    ("bridge after a swap", "start", _step(0, 2, BASE_USDT.address), "WRONG_TOKEN"),
    ("bridge after a swap", "end", _step(1, 3, STRANGER), "WRONG_TOKEN"),
    ("bridge after a swap", "calls the bridged token", _step(1, 0, ARBITRUM_USDC.address), "FORBIDDEN_STEP"),
    ("bridge after a swap", "approves the router", _step(1, 1, ROUTER), "FORBIDDEN_STEP"),
    ("bridge after a swap", "too much", _step(1, 4, 10**18), "WRONG_INPUT"),
]


@pytest.mark.spec("Rulings C6.1")
def test_a_lie_inside_the_call_is_refused() -> None:
    for name, lie, change, code in SWAP_LIES + BRIDGE_LIES:
        answer = HONEST[name]()
        change(answer)
        assert refusal(answer.encoded(), answer.request) == code, (name, lie)


SHOWN_BY_EVENTS: list[tuple[str, str, int, Any]] = [
    ("swap of a token", "head", 2, "friend"),  # the referrer
    ("bridge", "head", 1, "acrossV4"),  # its name
    ("bridge", "head", 3, STRANGER),  # the referrer
    ("bridge", "order", 5, 7),  # a multiplier without a swap
    ("bridge after a swap", "order", 4, 0),  # an output that a swap replaces
]


def test_what_only_an_event_shows_is_not_judged() -> None:
    for name, part, place, value in SHOWN_BY_EVENTS:
        answer = HONEST[name]()
        getattr(answer, part)[place] = value
        judged = judge(answer.encoded(), answer.request)
        assert judged.least_output == answer.request.target_base_units, (name, part, place)


def test_one_relayer_alone_may_fill_for_a_short_time() -> None:
    for code, times in {"": (600, NOW + 600, NOW - 10), "WRONG_DEADLINE": (601, NOW + 601)}.items():
        for exclusivity in times:
            answer = bridge()
            answer.order[6], answer.order[9] = word(EXCHANGE), exclusivity
            assert refusal(answer.encoded(), answer.request) == code, exclusivity


def test_another_honest_call_is_refused() -> None:
    token, coin = "swap of a token", "swap of the native coin"
    others = [(token, coin), (coin, token), (token, "swap into the native coin"), (token, "bridge"), ("bridge", token)]
    for honest, other in others:
        answer, foreign = HONEST[honest](), HONEST[other]()
        data = "0x" + foreign.calldata().hex()
        code = "UNKNOWN_CALL" if answer.is_bridge != foreign.is_bridge else "WRONG_TOKEN"
        body = changed(answer.encoded(), ("transactionRequest", "data"), data)
        assert refusal(body, answer.request) == code, (honest, other)


def test_a_step_may_not_take_another_token_of_the_payer() -> None:
    """The router takes what a step says from whoever approved it, also another token than the agreed one."""
    answer = swap(swapping=True)
    paid = answer.paid
    token, usdc = BASE_USDT.address, BASE_USDC.address
    answer.steps = [
        [EXCHANGE, EXCHANGE, token, STRANGER, paid - 5, b"1234", True],
        [EXCHANGE, EXCHANGE, STRANGER, usdc, 5, b"1234", True],
    ]
    assert refusal(answer.encoded(), answer.request) == "WRONG_INPUT"
    answer.steps[0][4], answer.steps[1][6] = paid, False
    assert refusal(answer.encoded(), answer.request) == ""


def test_the_function_has_to_fit_what_its_steps_say() -> None:
    """Some functions take the native coin whatever their steps say, others a token."""
    pairs = ("ERC20ToERC20", "ERC20ToNative", "NativeToERC20")
    for name in ("swap of a token", "swap of the native coin", "swap into the native coin"):
        answer = HONEST[name]()
        own = answer.name.removeprefix("swapTokensSingleV3")
        for pair in pairs:
            answer.name = f"swapTokensSingleV3{pair}"
            assert refusal(answer.encoded(), answer.request) == ("" if pair == own else "WRONG_TOKEN")


def test_another_token_may_not_be_bridged_even_if_both_parts_agree() -> None:
    answer = bridge()
    answer.head[4], answer.order[2] = STRANGER, word(STRANGER)
    assert refusal(answer.encoded(), answer.request) == "WRONG_TOKEN"


@pytest.mark.spec("Rulings C7.2")
def test_a_payment_without_an_id_is_refused_even_if_none_is_told() -> None:
    for answer in (swap(), bridge()):
        assert refusal(changed(answer.encoded(), ("transactionId",), None), answer.request) == ""
        answer.head[0] = NOTHING
        assert refusal(changed(answer.encoded(), ("transactionId",), None), answer.request) == "WRONG_IDENTITY"
