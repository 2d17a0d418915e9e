"""An aggregator that lies around or inside the call, one field at a time: none gets through, and honest answers do."""

import json
from decimal import Decimal
from functools import partial
from itertools import product
from typing import Any

import pytest

from chains.registry import EVM_NATIVE_ADDRESS
from payments.routing.base import RouteRequest
from payments.routing.lifi.checks import CheckedQuote, checked
from payments.routing.lifi.faults import LifiRefused
from payments.routing.lifi.quote import read_quote
from tests.payments.lifi import honest as lifi
from tests.payments.lifi.honest import MERCHANT, MISSING, NOTHING, PAYER, STRANGER, Answer, bridge, changed, swap, word

ROUTER = "0x1231DEB6f5749EF6cE6943a275A1D3E7486F4EaE"
NOW, COIN = int(lifi.AT.timestamp()), EVM_NATIVE_ADDRESS
USDT, USDC, FAR_USDC = lifi.BASE_USDT.address, lifi.BASE_USDC.address, lifi.ARBITRUM_USDC.address


def judge(body: Any, request: RouteRequest) -> CheckedQuote:
    """As the adapter does: JSON with exact numbers, then every gate."""
    read = json.loads(json.dumps(body), parse_float=Decimal)
    return checked(read_quote(read), lifi.terms_for(request), lifi.SLIPPAGE_BPS)


def refusal(body: Any, request: RouteRequest) -> str:
    try:
        judge(body, request)
    except LifiRefused as refused:
        return str(refused.code)
    return ""


PAIRS: dict[str, RouteRequest] = {
    "swap of a token": lifi.request_for(lifi.BASE_USDT),
    "swap of the native coin": lifi.request_for(lifi.native("base")),
    "swap into the native coin": lifi.request_for(lifi.BASE_USDC, lifi.native("base")),
    "swap of 18 decimals": lifi.request_for(lifi.BNB_USDT, lifi.BNB_USDC),
    "bridge": lifi.request_for(lifi.ARBITRUM_USDC),
}
IN_TWO_STEPS = {
    **{f"{name} in two steps": request for name, request in list(PAIRS.items())[:3]},
    "bridge after a swap": lifi.request_for(lifi.native("arbitrum")),
    "bridge of a token after a swap": lifi.request_for(lifi.ARBITRUM_USDT),
    "bridge to 18 decimals after a swap": lifi.request_for(lifi.native("arbitrum"), lifi.BNB_USDC),
}
HONEST = {name: partial(Answer, request) for name, request in PAIRS.items()} | {
    name: partial(Answer, request, swapping=True) for name, request in IN_TWO_STEPS.items()
}
VALUES: tuple[Any, ...] = (
    *(None, "", "x", STRANGER, "0", "1", "99999999999999999999999999", "0x", "0xff", "9" * 300, "0x" + "f" * 501),
    *(0, -1, 10, 2**60, 1.5, True, False, [], {}, [[]]),
)


@pytest.mark.parametrize("name", HONEST)
def test_an_honest_answer_passes_and_no_value_in_any_field_changes_what_is_signed(name: str) -> None:
    """Every leaf, many values: refused, or what the payer would sign and the merchant surely gets stays the same."""
    answer = HONEST[name]()
    body = answer.encoded()
    honest = judge(body, answer.request)
    assert (honest.quote.from_amount, honest.least_output) == (answer.paid, answer.request.target_base_units)
    assert 60 <= honest.price_impact_bps <= 75
    assert (honest.native_fee, honest.native_fee_usd) == (0, Decimal(0))
    expected = (honest.quote.transaction, honest.quote.from_amount, honest.least_output, honest.call)
    for path, value in product(lifi.leaves(body), VALUES):
        try:
            found = judge(changed(body, path, value), answer.request)
        except LifiRefused:
            continue
        same = (found.quote.transaction, found.quote.from_amount, found.least_output, found.call)
        assert same == expected, (path, value)


AROUND: dict[str, dict[str, list[Any]]] = {
    "WRONG_IDENTITY": {"transactionId": ["0x" + 64 * "7"], "integrator": ["someone", MISSING]},
    "WRONG_CHAIN": {
        **{f"action.{side}ChainId": [10] for side in ("from", "to")},
        **{f"action.{side}Token.chainId": [10] for side in ("from", "to")},
        "transactionRequest.chainId": [10],
    },
    "WRONG_TOKEN": {
        **{f"action.{side}Token.address": [STRANGER] for side in ("from", "to")},
        **{"action.fromToken.decimals": [7], "action.toToken.decimals": [18]},
    },
    "WRONG_PAYER": {"action.fromAddress": [STRANGER], "transactionRequest.from": [STRANGER]},
    "WRONG_RECIPIENT": {"action.toAddress": [STRANGER, PAYER]},
    "WRONG_VALUE": {"transactionRequest.value": ["0x1"]},
    "FIGURES_CONTRADICT": {
        **{"tool": ["hop"], "estimate.tool": ["hop"], "action.fromAmount": ["1"], "estimate.fromAmount": ["1"]},
        **{"estimate.toAmount": ["1", "27000000"], "estimate.feeCosts.0.included": [False]},
    },
    "OUTPUT_BELOW_TARGET": {"estimate.toAmountMin": ["24999999"]},
    "UNKNOWN_CONTRACT": {"estimate.approvalAddress": [STRANGER, MISSING], "transactionRequest.to": [STRANGER]},
    "UNKNOWN_CALL": {"transactionRequest.data": ["0x", "0xa9059cbb" + 128 * "0"]},
    "UNREADABLE_CALL": {"transactionRequest.data": ["0x4666fc80" + 512 * "0"]},
    "ANSWER_MALFORMED": {
        **{"type": ["custom"], "transactionId": ["0x77"], "estimate.toAmountMin": ["1" + 78 * "0"]},
        **{"estimate.feeCosts.0.amountUSD": ["-1"], "estimate.gasCosts.0.amountUSD": ["1e9"]},
        **{"estimate.executionDuration": [-1, 10**9], "transactionRequest": [MISSING]},
        **{"transactionRequest.data": ["0x1", "0x" + 200_000 * "f", MISSING], "estimate": [[]], "action": ["yes"]},
    },
}


def test_a_lie_around_the_call_is_refused() -> None:
    """Also one that the three places which name the input agree on, while the call takes something else."""
    for honest, (code, lies) in product((swap, bridge), AROUND.items()):
        for path, values in lies.items():
            for value in values:
                answer = honest()
                found = refusal(changed(answer.encoded(), path, value), answer.request)
                assert found == code, (honest.__name__, path, str(value)[:40])
    for answer in (swap(), bridge()):
        body = changed(answer.encoded(), "action.fromAmount", str(answer.paid - 1))
        assert refusal(changed(body, "estimate.fromAmount", str(answer.paid - 1)), answer.request) == "WRONG_INPUT"


def test_the_price_is_compared_with_our_own() -> None:
    """Too good is no offer; what is dear is told, and refused later."""
    for share, code, impact in (("0.96", "PRICE_IMPLAUSIBLE", 0), ("0.98", "", -204), ("1.05", "", 477)):
        answer = bridge()
        paid = int(answer.request.target_base_units * Decimal(share))
        answer.lie("bridged", paid)
        body = changed(answer.encoded(), "action.fromAmount", str(paid))
        body = changed(body, "estimate.fromAmount", str(paid))
        assert refusal(body, answer.request) == code
        assert code or judge(body, answer.request).price_impact_bps == impact


@pytest.mark.spec("Rulings C7.2")
def test_a_bridge_that_is_not_on_the_list_or_takes_coin_on_top_is_refused() -> None:
    """Across' contract sends all coin back, so nobody honest asks for it."""
    answer = bridge()
    body = changed(changed(answer.encoded(), "tool", "hop"), "estimate.tool", "hop")
    assert refusal(body, answer.request) == "UNKNOWN_TOOL"
    token = {"chainId": 42161, "address": COIN, "decimals": 18}
    fee = {"token": token, "amount": "1000", "amountUSD": "0.01", "included": False}
    body = changed(answer.encoded(), "estimate.feeCosts", [fee])
    assert refusal(changed(body, "transactionRequest.value", hex(1000)), answer.request) == "WRONG_VALUE"


OTHER_ID = bytes(31) + b"1"
INSIDE: list[tuple[str, str, dict[str, list[Any]]]] = [
    ("swap of a token", "WRONG_IDENTITY", {"id": [NOTHING, OTHER_ID], "integrator": ["someone"]}),
    ("swap of a token", "WRONG_RECIPIENT", {"receiver": [STRANGER, PAYER]}),
    ("swap of a token", "OUTPUT_BELOW_TARGET", {"least": [24_999_999, 0]}),
    ("swap of a token", "WRONG_TOKEN", {"0 sold": [STRANGER], "0 bought": [STRANGER]}),
    ("swap of a token", "WRONG_INPUT", {"0 takes": [25_175_001, 25_174_999, 0]}),
    ("swap of a token", "FORBIDDEN_STEP", {"0 calls": [USDT, USDC, PAYER, MERCHANT, ROUTER, COIN]}),
    ("swap of a token", "FORBIDDEN_STEP", {"0 approves": [USDT, PAYER, COIN], "0 data": [b"123"]}),
    ("swap of a token in two steps", "WRONG_TOKEN", {"0 bought": [STRANGER], "0 sold": [STRANGER]}),
    ("swap of a token in two steps", "WRONG_TOKEN", {"1 bought": [STRANGER]}),
    ("swap of a token in two steps", "WRONG_INPUT", {"0 takes": [62_938], "1 deposits": [False]}),
    ("swap of a token in two steps", "FORBIDDEN_STEP", {"1 calls": [USDT]}),
    ("swap of the native coin", "WRONG_TOKEN", {"0 sold": [USDT]}),
    ("swap of the native coin", "WRONG_INPUT", {"0 takes": [1]}),
    ("swap of the native coin in two steps", "WRONG_INPUT", {"1 takes": [10**18]}),
    ("swap of the native coin in two steps", "WRONG_TOKEN", {"1 sold": [USDT]}),
    ("swap into the native coin", "WRONG_TOKEN", {"0 bought": [USDT]}),
    ("bridge", "WRONG_INPUT", {"bridged": [25_175_001, 25_174_999]}),
    ("bridge", "FIGURES_CONTRADICT", {"swaps": [True]}),
    ("bridge", "OUTPUT_BELOW_TARGET", {"output": [24_999_999]}),
    ("bridge after a swap", "OUTPUT_BELOW_TARGET", {"bridged": [25_000_000], "multiplier": [9 * 10**17]}),
    ("bridge after a swap", "FIGURES_CONTRADICT", {"swaps": [False]}),
    ("bridge after a swap", "WRONG_TOKEN", {"0 sold": [USDT], "1 bought": [STRANGER]}),
    ("bridge after a swap", "FORBIDDEN_STEP", {"1 calls": [FAR_USDC], "1 approves": [ROUTER]}),
    ("bridge after a swap", "WRONG_INPUT", {"1 takes": [10**18]}),
    ("bridge of a token after a swap", "WRONG_INPUT", {"0 deposits": [False], "1 takes": [25_175_000]}),
]
IN_EVERY_BRIDGE: dict[str, dict[str, list[Any]]] = {
    "WRONG_IDENTITY": {"id": [NOTHING, OTHER_ID], "integrator": ["someone"]},
    "WRONG_RECIPIENT": {"receiver": [STRANGER], "paid to": [word(STRANGER), b"1" + word(MERCHANT)[1:]]},
    "WRONG_REFUND_ADDRESS": {"refund to": [word(STRANGER), word(MERCHANT)]},
    "WRONG_CHAIN": {"chain": [10]},
    "WRONG_TOKEN": {
        **{"token": [STRANGER], "input token": [word(STRANGER), NOTHING]},
        "output token": [word(STRANGER), word(FAR_USDC)],
    },
    "WRONG_DEADLINE": {
        **{"relayer": [word(STRANGER)], "quoted": [NOW - 3_601, NOW + 301]},
        **{"fill by": [NOW + 299, NOW + 86_401], "exclusive": [60]},
    },
    "DESTINATION_CALL": {"then calls": [True], "message": [b"call me"]},
}


@pytest.mark.spec("Rulings C6.1")
def test_a_lie_inside_the_call_is_refused() -> None:
    bridges = product(("bridge", "bridge after a swap"), IN_EVERY_BRIDGE.items())
    for name, code, lies in [*INSIDE, *((name, code, lies) for name, (code, lies) in bridges)]:
        for part, values in lies.items():
            for value in values:
                answer = HONEST[name]()
                answer.lie(part, value)
                assert refusal(answer.encoded(), answer.request) == code, (name, part, value)


ALONE = {"": (600, NOW + 600, NOW - 10), "WRONG_DEADLINE": (601, NOW + 601)}
"""How long one relayer alone may fill."""
TOGETHER: list[tuple[str, str, dict[str, Any]]] = [
    *(("bridge", code, {"relayer": word(lifi.EXCHANGE), "exclusive": at}) for code in ALONE for at in ALONE[code]),
    ("bridge", "WRONG_TOKEN", {"token": STRANGER, "input token": word(STRANGER)}),
    ("swap of a token", "", {"referrer": "friend"}),  # which only an event shows, as those below
    ("bridge", "", {"bridge": "acrossV4", "referrer": STRANGER, "multiplier": 7}),
    ("bridge after a swap", "", {"output": 0}),  # which the swap replaces
]


def test_several_parts_of_the_call_changed_at_once() -> None:
    for name, code, lies in TOGETHER:
        answer = HONEST[name]()
        for part, value in lies.items():
            answer.lie(part, value)
        assert refusal(answer.encoded(), answer.request) == code, (name, lies)


def test_another_honest_call_is_refused() -> None:
    token, coin = "swap of a token", "swap of the native coin"
    others = [(token, coin), (coin, token), (token, "swap into the native coin"), (token, "bridge"), ("bridge", token)]
    for honest, other in others:
        answer, foreign = HONEST[honest](), HONEST[other]()
        code = "UNKNOWN_CALL" if answer.is_bridge != foreign.is_bridge else "WRONG_TOKEN"
        body = changed(answer.encoded(), "transactionRequest.data", "0x" + foreign.calldata().hex())
        assert refusal(body, answer.request) == code, (honest, other)


def test_a_step_may_not_take_another_token_of_the_payer() -> None:
    """The router takes what a step says from whoever approved it, also another token than the agreed one."""
    answer = swap(swapping=True)
    first = [lifi.EXCHANGE, lifi.EXCHANGE, USDT, STRANGER, answer.paid - 5, b"1234", True]
    answer.steps = [first, [lifi.EXCHANGE, lifi.EXCHANGE, STRANGER, USDC, 5, b"1234", True]]
    assert refusal(answer.encoded(), answer.request) == "WRONG_INPUT"
    answer.lie("0 takes", answer.paid)
    answer.lie("1 deposits", value=False)
    assert refusal(answer.encoded(), answer.request) == ""


def test_the_function_has_to_fit_what_its_steps_say() -> None:
    """Some functions take the native coin whatever their steps say, others a token."""
    for name in ("swap of a token", "swap of the native coin", "swap into the native coin"):
        answer = HONEST[name]()
        own = answer.name.removeprefix("swapTokensSingleV3")
        for pair in ("ERC20ToERC20", "ERC20ToNative", "NativeToERC20"):
            answer.name = f"swapTokensSingleV3{pair}"
            assert refusal(answer.encoded(), answer.request) == ("" if pair == own else "WRONG_TOKEN")


@pytest.mark.spec("Rulings C7.2")
def test_a_payment_without_an_id_is_refused_even_if_none_is_told() -> None:
    for answer in (swap(), bridge()):
        assert refusal(changed(answer.encoded(), "transactionId", MISSING), answer.request) == ""
        answer.lie("id", NOTHING)
        assert refusal(changed(answer.encoded(), "transactionId", MISSING), answer.request) == "WRONG_IDENTITY"
