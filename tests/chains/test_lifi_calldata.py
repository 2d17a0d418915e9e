"""The strict reader of LI.FI's calls, against another library's encoder."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chains.calldata.abi import MOST_BYTES, CalldataError
from chains.calldata.erc20 import allowance_call, approve_call
from chains.calldata.lifi import AcrossCall, SwapCall, UnknownCall, read_lifi_call
from tests.payments.lifi.calls import SIGNATURES, call

ADDRESS = st.binary(min_size=20, max_size=20).map(lambda raw: "0x" + raw.hex())
WORD = st.binary(min_size=32, max_size=32)
TEXT = st.text(max_size=40)
RAW = st.binary(max_size=100)
NUMBER = st.integers(0, 2**256 - 1)
SECONDS = st.integers(0, 2**32 - 1)
STEP = st.tuples(ADDRESS, ADDRESS, ADDRESS, ADDRESS, NUMBER, RAW, st.booleans())
STEPS = st.lists(STEP, min_size=1, max_size=4)
HEAD = (WORD, TEXT, TEXT, ADDRESS, NUMBER)
BRIDGE = st.tuples(WORD, TEXT, TEXT, ADDRESS, ADDRESS, ADDRESS, NUMBER, NUMBER, st.booleans(), st.booleans())
ACROSS = st.tuples(
    *(WORD, WORD, WORD, WORD, NUMBER, st.integers(0, 2**128 - 1), WORD), *(SECONDS, SECONDS, SECONDS), RAW
)
SINGLE = [name for name in SIGNATURES if "Single" in name]
MULTIPLE = [name for name in SIGNATURES if "Multiple" in name]
CALLS = st.one_of(
    st.tuples(st.sampled_from(SINGLE), st.tuples(*HEAD, STEP)),
    st.tuples(st.sampled_from(MULTIPLE), st.tuples(*HEAD, STEPS)),
    st.tuples(st.just("startBridgeTokensViaAcrossV4"), st.tuples(BRIDGE, ACROSS)),
    st.tuples(st.just("swapAndStartBridgeTokensViaAcrossV4"), st.tuples(BRIDGE, STEPS, ACROSS)),
)
ZERO = "0x" + 40 * "0"
STEP_VALUE = (ZERO, ZERO, ZERO, ZERO, 1, b"1234", True)
HEAD_VALUE = (bytes(32), "us", "", ZERO, 7)


def _fields(value: Any) -> tuple[Any, ...]:
    return tuple(getattr(value, name) for name in value.__slots__)


@given(CALLS)
def test_every_field_is_read_as_it_was_written(made: tuple[str, tuple[Any, ...]]) -> None:
    name, arguments = made
    read = read_lifi_call(call(name, arguments))
    if isinstance(read, SwapCall):
        steps = [arguments[5]] if "Single" in name else arguments[5]
        assert (read.transaction_id, read.integrator, read.referrer, read.receiver) == arguments[:4]
        assert (read.min_amount_out, [_fields(step) for step in read.steps]) == (arguments[4], list(steps))
        assert (read.takes_native, read.gives_native) == (name.endswith("NativeToERC20"), name.endswith("ToNative"))
        assert read.is_single == ("Single" in name)
    else:
        steps = arguments[1] if len(arguments) == 3 else []
        assert (_fields(read.bridge), _fields(read.order)) == (arguments[0], arguments[-1])
        assert [_fields(step) for step in read.steps] == list(steps)


@pytest.mark.spec("Rulings C6.2")
@given(st.sampled_from(["", "4666fc80", "5fd9ae2e", "a1f1ce43", "1794958f"]), st.binary(max_size=1_500))
def test_random_bytes_are_refused_by_the_readers_own_error(selector: str, noise: bytes) -> None:
    with pytest.raises(CalldataError):
        read_lifi_call(bytes.fromhex(selector) + noise)


@given(CALLS, st.data())
def test_a_call_cut_short_or_made_longer_is_refused(made: tuple[str, tuple[Any, ...]], data: st.DataObject) -> None:
    whole = call(*made)
    cut = data.draw(st.integers(0, len(whole) - 1))
    with pytest.raises(CalldataError):
        read_lifi_call(whole[:cut])
    with pytest.raises(CalldataError):
        read_lifi_call(whole + data.draw(st.binary(min_size=1, max_size=64)))


@given(CALLS, st.data())
def test_no_two_encodings_mean_the_same(made: tuple[str, tuple[Any, ...]], data: st.DataObject) -> None:
    """A changed bit is refused or read as something else, so nothing can hide in a call that reads as honest."""
    whole = call(*made)
    at = data.draw(st.integers(4, len(whole) - 1))
    changed = bytearray(whole)
    changed[at] ^= 1 << data.draw(st.integers(0, 7))
    try:
        read = read_lifi_call(bytes(changed))
    except CalldataError:
        return
    assert read != read_lifi_call(whole)


@pytest.mark.spec("Rulings C6.2")
@pytest.mark.parametrize(
    ("encoded", "reason"),
    [
        pytest.param("", "a call that is not on the list", id="nothing"),
        pytest.param("a9059cbb" + 128 * "0", "a call that is not on the list", id="transfer"),
        pytest.param("4666fc80", "ends too early", id="only a selector"),
        pytest.param("4666fc80" + 2 * (MOST_BYTES + 32) * "0", "too long", id="too long"),
        pytest.param("4666fc80" + 6 * 64 * "0", "an offset that skips bytes", id="offset of zero"),
    ],
)
def test_a_malformed_call_is_refused_with_its_reason(encoded: str, reason: str) -> None:
    with pytest.raises(CalldataError) as caught:
        read_lifi_call(bytes.fromhex(encoded))
    assert caught.value.reason == reason
    assert isinstance(caught.value, UnknownCall) == (reason == "a call that is not on the list")


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        pytest.param(13 * "0" + "f", 12 * "0" + "1f", "a number that does not fit its type", id="address"),
        pytest.param("31323334" + 56 * "0", "31323334" + 55 * "0" + "1", "padding that is not zero", id="padding"),
        pytest.param("7573" + 60 * "0", "ff73" + 60 * "0", "text that is not UTF-8", id="text"),
    ],
)
def test_dirty_words_are_refused(old: str, new: str, reason: str) -> None:
    wallet = "0x" + 40 * "f"
    head = (*HEAD_VALUE[:3], wallet, 7)
    encoded = call("swapTokensSingleV3ERC20ToERC20", (*head, STEP_VALUE)).hex()
    assert encoded.count(old) >= 1
    with pytest.raises(CalldataError) as caught:
        read_lifi_call(bytes.fromhex(encoded.replace(old, new[-len(old) :], 1)))
    assert caught.value.reason == reason


def test_a_flag_that_is_neither_yes_nor_no_is_refused() -> None:
    encoded = bytearray(call("swapTokensSingleV3ERC20ToERC20", (*HEAD_VALUE, STEP_VALUE)))
    flag = encoded.index(b"1234") - 33
    assert encoded[flag - 31 : flag + 1] == (1).to_bytes(32)
    encoded[flag] = 2
    with pytest.raises(CalldataError, match="does not fit"):
        read_lifi_call(bytes(encoded))


@pytest.mark.parametrize("steps", [0, 33], ids=["none", "too many"])
def test_a_swap_has_some_steps_and_not_too_many(steps: int) -> None:
    with pytest.raises(CalldataError):
        read_lifi_call(call("swapTokensMultipleV3ERC20ToERC20", (*HEAD_VALUE, steps * [STEP_VALUE])))


@pytest.mark.parametrize(
    ("swaps", "multiplier", "expected"),
    [
        pytest.param(False, 10**18, 900, id="no swap"),
        pytest.param(True, 10**18, 1_000, id="swap"),
        pytest.param(True, 10**18 - 1, 999, id="cut"),
        pytest.param(True, 10**30, 1_000 * 10**12, id="more decimals"),
    ],
)
def test_the_least_output_of_an_order(swaps: bool, multiplier: int, expected: int) -> None:
    bridge = (bytes(32), "across", "us", ZERO, ZERO, ZERO, 1_000, 8453, swaps, False)
    word = bytes(32)
    order = (word, word, word, word, 900, multiplier, word, 1, 2, 0, b"")
    name = "swapAndStartBridgeTokensViaAcrossV4" if swaps else "startBridgeTokensViaAcrossV4"
    read = read_lifi_call(call(name, (bridge, [STEP_VALUE], order) if swaps else (bridge, order)))
    assert isinstance(read, AcrossCall)
    assert read.least_output == expected


def test_the_two_token_calls() -> None:
    owner, spender = "0x" + 40 * "a", "0x" + 40 * "B"
    assert approve_call(spender, 258) == "0x095ea7b3" + 24 * "0" + 40 * "b" + 61 * "0" + "102"
    assert allowance_call(owner, spender) == "0xdd62ed3e" + 24 * "0" + 40 * "a" + 24 * "0" + 40 * "b"
