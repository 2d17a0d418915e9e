"""Who gets the fee in LI.FI's calls, as two libraries agree on it."""

from typing import Any

import pytest
from eth_abi.abi import encode
from eth_utils.crypto import keccak

from chains.calldata.lifi import SwapCall, SwapStep
from chains.calldata.lifi_fees import FeeShare, fee_shares

TOKEN = "0x" + "aa" * 20
NATIVE = "0x" + "00" * 20
OURS, LIFIS = "0x" + "01" * 20, "0x" + "02" * 20
SHARES = "(address,uint256)[]"


def encoded(name: str, types: list[str], given: list[Any]) -> bytes:
    """A call as another library writes it."""
    return keccak(text=f"{name}({','.join(types)})")[:4] + encode(types, given)


def swap(*calls: bytes) -> SwapCall:
    """A swap with such steps."""
    steps = tuple(
        SwapStep(
            call_to=LIFIS, approve_to=LIFIS, sending_asset=TOKEN, receiving_asset=TOKEN, from_amount=10_000,
            calldata=call, requires_deposit=True,
        )
        for call in calls
    )  # fmt: skip
    return SwapCall(
        takes_native=False, gives_native=False, is_single=False, transaction_id=bytes(32), integrator="i",
        referrer="", receiver=OURS, min_amount_out=1, steps=steps,
    )  # fmt: skip


FORWARDED = encoded("forwardERC20Fees", ["address", SHARES], [TOKEN, [(OURS, 100), (LIFIS, 25)]])


@pytest.mark.parametrize(
    ("call", "shares"),
    [
        (FORWARDED, [(TOKEN, OURS, 100, None), (TOKEN, LIFIS, 25, None)]),
        (encoded("forwardNativeFees", [SHARES], [[(OURS, 7)]]), [(NATIVE, OURS, 7, None)]),
        (
            encoded("collectTokenFees", ["address", "uint256", "uint256", "address"], [TOKEN, 100, 25, OURS]),
            [(TOKEN, OURS, 100, True), (TOKEN, "", 25, False)],
        ),
        (
            encoded("collectNativeFees", ["uint256", "uint256", "address"], [100, 25, OURS]),
            [(NATIVE, OURS, 100, True), (NATIVE, "", 25, False)],
        ),
        (encoded("swap", ["address", "uint256"], [TOKEN, 5]), []),
        (FORWARDED[:-1], []),
        (FORWARDED + bytes(32), []),
        (b"", []),
    ],
    ids=["forwarded", "forwarded coin", "collected", "collected coin", "a swap", "cut", "longer", "nothing"],
)
def test_shares_are_read_from_their_one_form(call: bytes, shares: list[tuple[str, str, int, bool | None]]) -> None:
    expected = [
        FeeShare(asset=asset, recipient=recipient, base_units=units, is_integrators=whose)
        for asset, recipient, units, whose in shares
    ]
    assert fee_shares(swap(call)) == expected
    assert fee_shares(swap(b"\x01\x02\x03\x04", call)) == expected
