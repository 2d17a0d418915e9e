"""A strict reader of ABI-encoded arguments: it accepts the one canonical encoding of a value, and nothing else.

Why not a library's decoder: those follow offsets wherever they point, so that bytes may hide between, behind or
twice inside the arguments. Here every byte is read once, in order.
Source: https://docs.soliditylang.org/en/latest/abi-spec.html.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

WORD = 32
MOST_BYTES = 64 * 1024
"""Of a whole call. Why: nodes refuse transactions above 128 KiB, and honest calls are far below."""
MOST_ITEMS = 32
"""Of one list."""
_ADDRESS_BITS = 160


class CalldataError(Exception):
    """The bytes are not this call in its canonical form; ``reason`` says in a few words why."""

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__(reason)


@dataclass(frozen=True)
class ListOf:
    """A list of so many items of one type as the bytes say."""

    item: "AbiType"


AbiType: TypeAlias = "str | tuple[AbiType, ...] | ListOf"
"""A type: its name, such as ``uint256``; the types of a tuple's members; or a list of one type."""


def read_arguments(types: Sequence[AbiType], encoded: bytes) -> tuple[object, ...]:
    """The arguments of a call, without its selector. Addresses come in lower case.

    Raises: CalldataError.
    """
    if len(encoded) > MOST_BYTES:
        raise CalldataError("too long")
    values, end = _read_tuple(tuple(types), encoded, 0)
    if end != len(encoded):
        raise CalldataError("bytes after the arguments")
    return values


def _read_tuple(types: tuple[AbiType, ...], encoded: bytes, start: int) -> tuple[tuple[object, ...], int]:
    """The members of a tuple, and where its last byte ends: heads first, then what is of no fixed size, in order."""
    head, tail = start, start + sum(_head_size(one) for one in types)
    values: list[object] = []
    for one in types:
        if _is_dynamic(one):
            if _word(encoded, head) != tail - start:
                raise CalldataError("an offset that skips bytes")
            value, tail = _read_dynamic(one, encoded, tail)
            head += WORD
        else:
            value, head = _read_static(one, encoded, head)
        values.append(value)
    return tuple(values), tail


def _read_static(one: AbiType, encoded: bytes, at: int) -> tuple[object, int]:
    if isinstance(one, tuple):
        return _read_tuple(one, encoded, at)
    assert isinstance(one, str)  # noqa: S101 - a list is dynamic
    return _SIMPLE[one](_word(encoded, at)), at + WORD


def _read_dynamic(one: AbiType, encoded: bytes, at: int) -> tuple[object, int]:
    if isinstance(one, ListOf):
        count = _word(encoded, at)
        if count > MOST_ITEMS:
            raise CalldataError("too many items")
        return _read_tuple((one.item,) * count, encoded, at + WORD)
    if isinstance(one, tuple):
        return _read_tuple(one, encoded, at)
    text, end = _read_bytes(encoded, at)
    return (_utf8(text) if one == "string" else text), end


def _read_bytes(encoded: bytes, at: int) -> tuple[bytes, int]:
    length, start = _word(encoded, at), at + WORD
    end = start + -(-length // WORD) * WORD
    if length > len(encoded) or end > len(encoded):
        raise CalldataError("ends too early")
    if any(encoded[start + length : end]):
        raise CalldataError("padding that is not zero")
    return encoded[start : start + length], end


def _word(encoded: bytes, at: int) -> int:
    if at + WORD > len(encoded):
        raise CalldataError("ends too early")
    return int.from_bytes(encoded[at : at + WORD])


def _head_size(one: AbiType) -> int:
    if _is_dynamic(one):
        return WORD
    return sum(_head_size(member) for member in one) if isinstance(one, tuple) else WORD


def _is_dynamic(one: AbiType) -> bool:
    if isinstance(one, tuple):
        return any(_is_dynamic(member) for member in one)
    return isinstance(one, ListOf) or one in {"bytes", "string"}


def _utf8(text: bytes) -> str:
    try:
        return text.decode()
    except UnicodeDecodeError:
        raise CalldataError("text that is not UTF-8") from None


def _number(bits: int) -> Callable[[int], int]:
    def read(word: int) -> int:
        if word >> bits:
            raise CalldataError("a number that does not fit its type")
        return word

    return read


_SIMPLE: dict[str, Callable[[int], object]] = {
    "uint256": _number(256),
    "uint128": _number(128),
    "uint32": _number(32),
    "address": lambda word: f"0x{_number(_ADDRESS_BITS)(word):040x}",
    "bool": lambda word: bool(_number(1)(word)),
    "bytes32": lambda word: word.to_bytes(WORD),
}
