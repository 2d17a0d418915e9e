"""The strict reader of LI.FI's calls, against another library's encoder; and who gets the fee in them."""

from typing import Any

import pytest
from eth_abi.abi import encode
from eth_utils.crypto import keccak
from hypothesis import given
from hypothesis import strategies as st

from chains.calldata.abi import MOST_BYTES, CalldataError
from chains.calldata.erc20 import allowance_call, approve_call
from chains.calldata.lifi import AcrossCall, SwapCall, SwapStep, UnknownCall, read_lifi_call
from chains.calldata.lifi_fees import FeeShare, fee_shares
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


UNLISTED = "a call that is not on the list"


@pytest.mark.spec("Rulings C6.2")
def test_a_malformed_call_is_refused_with_its_reason() -> None:
    for encoded, reason in {
        "": UNLISTED,
        "a9059cbb" + 128 * "0": UNLISTED,
        "4666fc80": "ends too early",
        "4666fc80" + 2 * (MOST_BYTES + 32) * "0": "too long",
        "4666fc80" + 6 * 64 * "0": "an offset that skips bytes",
    }.items():
        with pytest.raises(CalldataError) as caught:
            read_lifi_call(bytes.fromhex(encoded))
        assert (caught.value.reason, isinstance(caught.value, UnknownCall)) == (reason, reason == UNLISTED)


def test_dirty_words_and_a_swap_of_no_step_or_too_many_are_refused_and_token_calls_are_clean() -> None:
    head = (*HEAD_VALUE[:3], "0x" + 40 * "f", 7)
    encoded = call("swapTokensSingleV3ERC20ToERC20", (*head, STEP_VALUE)).hex()
    for old, new, reason in (
        (13 * "0" + "f", 12 * "0" + "1f", "a number that does not fit its type"),
        ("31323334" + 56 * "0", "31323334" + 55 * "0" + "1", "padding that is not zero"),
        ("7573" + 60 * "0", "ff73" + 60 * "0", "text that is not UTF-8"),
    ):
        assert encoded.count(old) >= 1
        with pytest.raises(CalldataError) as caught:
            read_lifi_call(bytes.fromhex(encoded.replace(old, new[-len(old) :], 1)))
        assert caught.value.reason == reason
    neither = bytearray(call("swapTokensSingleV3ERC20ToERC20", (*HEAD_VALUE, STEP_VALUE)))
    flag = neither.index(b"1234") - 33
    assert neither[flag - 31 : flag + 1] == (1).to_bytes(32)
    neither[flag] = 2
    with pytest.raises(CalldataError, match="does not fit"):
        read_lifi_call(bytes(neither))
    for steps in (0, 33):
        with pytest.raises(CalldataError):
            read_lifi_call(call("swapTokensMultipleV3ERC20ToERC20", (*HEAD_VALUE, steps * [STEP_VALUE])))
    owner, spender = "0x" + 40 * "a", "0x" + 40 * "B"
    assert approve_call(spender, 258) == "0x095ea7b3" + 24 * "0" + 40 * "b" + 61 * "0" + "102"
    assert allowance_call(owner, spender) == "0xdd62ed3e" + 24 * "0" + 40 * "a" + 24 * "0" + 40 * "b"


def test_the_least_output_of_an_order() -> None:
    """Without a swap what it says; with one, what the swap gives, multiplied, cut, and in more decimals."""
    rows = [(False, 10**18, 900), (True, 10**18, 1_000), (True, 10**18 - 1, 999), (True, 10**30, 1_000 * 10**12)]
    word = bytes(32)
    for swaps, multiplier, expected in rows:
        bridge = (word, "across", "us", ZERO, ZERO, ZERO, 1_000, 8453, swaps, False)
        order = (word, word, word, word, 900, multiplier, word, 1, 2, 0, b"")
        name = "swapAndStartBridgeTokensViaAcrossV4" if swaps else "startBridgeTokensViaAcrossV4"
        read = read_lifi_call(call(name, (bridge, [STEP_VALUE], order) if swaps else (bridge, order)))
        assert isinstance(read, AcrossCall)
        assert read.least_output == expected


TOKEN, OURS, LIFIS = "0x" + "aa" * 20, "0x" + "01" * 20, "0x" + "02" * 20
SHARES = "(address,uint256)[]"


def encoded(name: str, types: list[str], given: list[Any]) -> bytes:
    return keccak(text=f"{name}({','.join(types)})")[:4] + encode(types, given)


def swap(*calls: bytes) -> SwapCall:
    sold = {"call_to": LIFIS, "approve_to": LIFIS, "sending_asset": TOKEN, "receiving_asset": TOKEN}
    steps = tuple(SwapStep(from_amount=10_000, calldata=one, requires_deposit=True, **sold) for one in calls)
    kind = {"takes_native": False, "gives_native": False, "is_single": False}
    head = {"transaction_id": bytes(32), "integrator": "i", "referrer": "", "receiver": OURS, "min_amount_out": 1}
    return SwapCall(steps=steps, **kind, **head)  # type: ignore[arg-type]  # each is of its field's type


def test_fee_shares_are_read_from_their_one_form() -> None:
    forwarded = encoded("forwardERC20Fees", ["address", SHARES], [TOKEN, [(OURS, 100), (LIFIS, 25)]])
    collected = encoded("collectTokenFees", ["address", "uint256", "uint256", "address"], [TOKEN, 100, 25, OURS])
    coins = encoded("collectNativeFees", ["uint256", "uint256", "address"], [100, 25, OURS])
    rows: list[tuple[bytes, list[tuple[str, str, int, bool | None]]]] = [
        (forwarded, [(TOKEN, OURS, 100, None), (TOKEN, LIFIS, 25, None)]),
        (encoded("forwardNativeFees", [SHARES], [[(OURS, 7)]]), [(ZERO, OURS, 7, None)]),
        (collected, [(TOKEN, OURS, 100, True), (TOKEN, "", 25, False)]),
        (coins, [(ZERO, OURS, 100, True), (ZERO, "", 25, False)]),
        (encoded("swap", ["address", "uint256"], [TOKEN, 5]), []),
        *((broken, []) for broken in (forwarded[:-1], forwarded + bytes(32), b"")),
    ]
    for step, shares in rows:
        expected = [
            FeeShare(asset=asset, recipient=recipient, base_units=units, is_integrators=whose)
            for asset, recipient, units, whose in shares
        ]
        assert fee_shares(swap(step)) == expected
        assert fee_shares(swap(b"\x01\x02\x03\x04", step)) == expected
