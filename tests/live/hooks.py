"""A token that runs foreign code when it moves, as ERC-777 and its kind do."""

_SAYS_YES = ("095ea7b3", "a9059cbb")
"""Selectors of ``approve`` and ``transfer``: they do nothing, and say yes."""
_TRANSFER_FROM = "23b872dd"


def hooking(calls: list[tuple[str, str]], value: int = 0) -> str:
    """Run-time code of a token whose ``transferFrom`` makes these calls, each a target and its calldata.

    ``value``: so much of its own coin goes with each.
    """
    code = bytearray(bytes.fromhex("60003560e01c"))
    hook_at = _branch(code, _TRANSFER_FROM)
    yes_at = [_branch(code, selector) for selector in _SAYS_YES]
    code += bytes.fromhex("50600160641b60005260206000f3")
    _land(code, [hook_at])
    contents = []
    for target, data in calls:
        content = bytes.fromhex(data[2:])
        code += _number(len(content)) + _number(0) + b"\x60\x00\x39"
        contents.append((len(code) - 5, content))
        code += b"\x60\x00\x60\x00" + _number(len(content)) + b"\x60\x00"
        code += b"\x6f" + value.to_bytes(16) + b"\x73"
        code += bytes.fromhex(target[2:]) + b"\x5a\xf1\x50"
    _land(code, yes_at)
    code += bytes.fromhex("600160005260206000f3")
    for place, content in contents:
        code[place : place + 2] = len(code).to_bytes(2)
        code += content
    return "0x" + code.hex()


def _branch(code: bytearray, selector: str) -> int:
    """Go somewhere for this selector; where to is written later, at the place that is returned."""
    code += bytes.fromhex(f"8063{selector}14") + _number(0) + b"\x57"
    return len(code) - 3


def _land(code: bytearray, places: list[int]) -> None:
    for place in places:
        code[place : place + 2] = len(code).to_bytes(2)
    code += b"\x5b"


def _number(value: int) -> bytes:
    return b"\x61" + value.to_bytes(2)
