"""LI.FI calls as its backend encodes them, made by another library than the one under test."""

from typing import Any

from eth_abi.abi import encode
from eth_utils.crypto import keccak

SWAP = "(address,address,address,address,uint256,bytes,bool)"
BRIDGE = "(bytes32,string,string,address,address,address,uint256,uint256,bool,bool)"
ACROSS = "(bytes32,bytes32,bytes32,bytes32,uint256,uint128,bytes32,uint32,uint32,uint32,bytes)"
_SWAP_HEAD = "bytes32,string,string,address,uint256"

SIGNATURES = {
    **{
        f"swapTokens{many}V3{pair}": f"({_SWAP_HEAD},{SWAP}{'[]' * (many == 'Multiple')})"
        for many in ("Single", "Multiple")
        for pair in ("ERC20ToERC20", "ERC20ToNative", "NativeToERC20")
    },
    "startBridgeTokensViaAcrossV4": f"({BRIDGE},{ACROSS})",
    "swapAndStartBridgeTokensViaAcrossV4": f"({BRIDGE},{SWAP}[],{ACROSS})",
}


def call(name: str, arguments: tuple[Any, ...]) -> bytes:
    types = SIGNATURES[name]
    members = _members(types)
    return keccak(text=name + types)[:4] + encode(members, list(arguments))


def _members(types: str) -> list[str]:
    """The types between the outer brackets."""
    found, depth, start = [], 0, 1
    for at, letter in enumerate(types):
        depth += (letter == "(") - (letter == ")")
        if depth == 0 or (letter == "," and depth == 1):
            found.append(types[start:at])
            start = at + 1
    return found
