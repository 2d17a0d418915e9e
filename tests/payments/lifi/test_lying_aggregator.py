"""An aggregator that lies in one field at a time: nothing that matters gets through, and the honest answer does."""

from decimal import Decimal
from itertools import product
from typing import Any

import pytest

from chains.registry import EVM_NATIVE_ADDRESS
from payments.routing.lifi.faults import LifiRefused
from tests.payments.lifi.honest import AT, PAYER, STRANGER, bridge, changed, leaves, swap
from tests.payments.lifi.verdicts import HONEST, judge, refusal

ROUTER = "0x1231DEB6f5749EF6cE6943a275A1D3E7486F4EaE"
NOW = int(AT.timestamp())


@pytest.mark.parametrize("name", HONEST)
def test_an_honest_answer_passes(name: str) -> None:
    answer = HONEST[name]()
    found = judge(answer.encoded(), answer.request)
    assert found.quote.from_amount == answer.paid
    assert found.least_output == answer.request.target_base_units
    assert 60 <= found.price_impact_bps <= 75
    assert (found.native_fee, found.native_fee_usd) == (0, Decimal(0))


JSON_LIES: list[tuple[tuple[str | int, ...], Any, str]] = [
    (("type",), "custom", "ANSWER_MALFORMED"),
    (("tool",), "hop", "FIGURES_CONTRADICT"),
    (("transactionId",), "0x" + 64 * "7", "WRONG_IDENTITY"),
    (("transactionId",), "0x77", "ANSWER_MALFORMED"),
    (("integrator",), "someone", "WRONG_IDENTITY"),
    (("integrator",), None, "WRONG_IDENTITY"),
    (("action", "fromChainId"), 10, "WRONG_CHAIN"),
    (("action", "toChainId"), 10, "WRONG_CHAIN"),
    (("action", "fromToken", "chainId"), 10, "WRONG_CHAIN"),
    (("action", "fromToken", "address"), STRANGER, "WRONG_TOKEN"),
    (("action", "fromToken", "decimals"), 7, "WRONG_TOKEN"),
    (("action", "toToken", "chainId"), 10, "WRONG_CHAIN"),
    (("action", "toToken", "address"), STRANGER, "WRONG_TOKEN"),
    (("action", "toToken", "decimals"), 18, "WRONG_TOKEN"),
    (("action", "fromAmount"), "1", "FIGURES_CONTRADICT"),
    (("action", "fromAddress"), STRANGER, "WRONG_PAYER"),
    (("action", "toAddress"), STRANGER, "WRONG_RECIPIENT"),
    (("action", "toAddress"), PAYER, "WRONG_RECIPIENT"),
    (("estimate", "tool"), "hop", "FIGURES_CONTRADICT"),
    (("estimate", "fromAmount"), "1", "FIGURES_CONTRADICT"),
    (("estimate", "toAmount"), "1", "FIGURES_CONTRADICT"),
    (("estimate", "toAmount"), "27000000", "FIGURES_CONTRADICT"),
    (("estimate", "toAmountMin"), "24999999", "OUTPUT_BELOW_TARGET"),
    (("estimate", "toAmountMin"), "1" + 78 * "0", "ANSWER_MALFORMED"),
    (("estimate", "approvalAddress"), STRANGER, "UNKNOWN_CONTRACT"),
    (("estimate", "approvalAddress"), None, "UNKNOWN_CONTRACT"),
    (("estimate", "feeCosts", 0, "included"), False, "FIGURES_CONTRADICT"),
    (("estimate", "feeCosts", 0, "amountUSD"), "-1", "ANSWER_MALFORMED"),
    (("estimate", "gasCosts", 0, "amountUSD"), "1e9", "ANSWER_MALFORMED"),
    (("estimate", "executionDuration"), -1, "ANSWER_MALFORMED"),
    (("estimate", "executionDuration"), 10**9, "ANSWER_MALFORMED"),
    (("transactionRequest", "to"), STRANGER, "UNKNOWN_CONTRACT"),
    (("transactionRequest", "from"), STRANGER, "WRONG_PAYER"),
    (("transactionRequest", "value"), "0x1", "WRONG_VALUE"),
    (("transactionRequest", "chainId"), 10, "WRONG_CHAIN"),
    (("transactionRequest", "data"), "0x", "UNKNOWN_CALL"),
    (("transactionRequest", "data"), "0xa9059cbb" + 128 * "0", "UNKNOWN_CALL"),
    (("transactionRequest", "data"), "0x4666fc80" + 512 * "0", "UNREADABLE_CALL"),
    (("transactionRequest", "data"), "0x1", "ANSWER_MALFORMED"),
    (("transactionRequest", "data"), "0x" + 200_000 * "f", "ANSWER_MALFORMED"),
    (("transactionRequest", "data"), None, "ANSWER_MALFORMED"),
    (("transactionRequest",), None, "ANSWER_MALFORMED"),
    (("estimate",), [], "ANSWER_MALFORMED"),
    (("action",), "yes", "ANSWER_MALFORMED"),
]


def test_a_lie_around_the_call_is_refused() -> None:
    for honest, (path, value, code) in product((swap, bridge), JSON_LIES):
        answer = honest()
        found = refusal(changed(answer.encoded(), path, value), answer.request)
        assert found == code, (honest.__name__, path, str(value)[:40])


VALUES: tuple[Any, ...] = (
    *(
        None,
        "",
        "x",
        STRANGER,
        "0",
        "1",
        "99999999999999999999999999",
        "0x",
        "0xff",
        0,
        -1,
        10,
        2**60,
        1.5,
        True,
        False,
    ),
    *([], {}, [[]], "9" * 300, "0x" + "f" * 501),
)


@pytest.mark.parametrize("name", HONEST)
def test_no_value_in_any_field_changes_what_is_signed(name: str) -> None:
    """Every leaf, many values: refused, or what the payer would sign and the merchant surely gets stays the same."""
    answer = HONEST[name]()
    body = answer.encoded()
    honest = judge(body, answer.request)
    for path in leaves(body):
        for value in VALUES:
            try:
                found = judge(changed(body, path, value), answer.request)
            except LifiRefused:
                continue
            same = (found.quote.transaction, found.quote.from_amount, found.least_output, found.call)
            expected = (honest.quote.transaction, honest.quote.from_amount, honest.least_output, honest.call)
            assert same == expected, (path, value)


def test_input_that_nobody_pays_for_the_merchant_is_refused() -> None:
    """The three places that name the input agree on a lie; the call takes something else."""
    for honest in (swap, bridge):
        answer = honest()
        body = changed(answer.encoded(), ("action", "fromAmount"), str(answer.paid - 1))
        assert refusal(changed(body, ("estimate", "fromAmount"), str(answer.paid - 1)), answer.request) == "WRONG_INPUT"


@pytest.mark.parametrize(
    ("share", "code"),
    [
        pytest.param(Decimal("0.96"), "PRICE_IMPLAUSIBLE", id="too good"),
        pytest.param(Decimal("0.98"), "", id="good"),
        pytest.param(Decimal("1.05"), "", id="dear, refused later"),
    ],
)
def test_the_price_is_compared_with_our_own(share: Decimal, code: str) -> None:
    answer = bridge()
    paid = int(answer.request.target_base_units * share)
    answer.head[6] = paid
    body = answer.encoded()
    for part in ("action", "estimate"):
        body = changed(body, (part, "fromAmount"), str(paid))
    assert refusal(body, answer.request) == code
    if not code:
        assert judge(body, answer.request).price_impact_bps == {9800: -204, 10500: 477}[int(share * 10000)]


@pytest.mark.spec("Rulings C7.2")
def test_a_bridge_that_is_not_on_the_list_is_refused() -> None:
    answer = bridge()
    body = changed(changed(answer.encoded(), ("tool",), "hop"), ("estimate", "tool"), "hop")
    assert refusal(body, answer.request) == "UNKNOWN_TOOL"


def test_native_coin_on_top_of_across_is_refused() -> None:
    """Its contract sends all of it back, so nobody honest asks for it."""
    answer = bridge()
    token = {"chainId": 42161, "address": EVM_NATIVE_ADDRESS, "decimals": 18}
    fee = {"token": token, "amount": "1000", "amountUSD": "0.01", "included": False}
    body = changed(answer.encoded(), ("estimate", "feeCosts"), [fee])
    assert refusal(changed(body, ("transactionRequest", "value"), hex(1000)), answer.request) == "WRONG_VALUE"
