"""The token calls that the service writes: to transfer, and for a payment by a router what it may take. Pure."""

from chains.calldata.abi import WORD

_APPROVE = bytes.fromhex("095ea7b3")
"""Selector of ``approve(address,uint256)``."""
_ALLOWANCE = bytes.fromhex("dd62ed3e")
"""Selector of ``allowance(address,address)``."""
_TRANSFER = bytes.fromhex("a9059cbb")
"""Selector of ``transfer(address,uint256)``."""


def approve_call(spender: str, base_units: int) -> str:
    """Calldata that lets a spender take so much of the caller's tokens, and no more."""
    return "0x" + (_APPROVE + int(spender, 16).to_bytes(WORD) + base_units.to_bytes(WORD)).hex()


def allowance_call(owner: str, spender: str) -> str:
    """Calldata that asks how much a spender may take of an owner's tokens."""
    return "0x" + (_ALLOWANCE + int(owner, 16).to_bytes(WORD) + int(spender, 16).to_bytes(WORD)).hex()


def transfer_call(recipient: str, base_units: int) -> str:
    """Calldata that moves so much of the caller's tokens."""
    return "0x" + (_TRANSFER + int(recipient, 16).to_bytes(WORD) + base_units.to_bytes(WORD)).hex()
