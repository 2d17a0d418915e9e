"""Reads a signed EVM transaction by itself: RLP as the yellow paper has it, and only the type that the service signs.

Why by hand: the checker must not believe the library, nor the code, that wrote these bytes.
"""

from dataclasses import dataclass, replace
from itertools import islice

TYPE_1559 = 2
_SHORT, _LONG, _LIST, _LONG_LIST = 0x80, 0xB8, 0xC0, 0xF8
_LENGTH_BASE, _LONG_LIST_BASE = 0xB7, 0xF7
TRANSFER_SELECTOR = "a9059cbb"
_CALL_BYTES, _MARK_BYTES = 4 + 32 + 32, 16
Item = bytes | list["Item"]


class Unreadable(Exception):
    """These bytes are no transaction of the kind that the service signs."""


@dataclass(frozen=True, kw_only=True)
class SignedTransfer:
    """What a signed transaction would do. ``recipient`` is in lower case; ``token`` is empty for the native coin.

    ``mark`` stands behind the call of a token, by which the transfer is known on its chain; empty in older ones.
    """

    chain_id: int
    nonce: int
    token: str
    recipient: str
    base_units: int
    mark: bytes = b""


def read_signed(raw: str) -> SignedTransfer:
    """What these bytes would do. Raises: Unreadable."""
    try:
        envelope = bytes.fromhex(raw.removeprefix("0x"))
        if envelope[0] != TYPE_1559:
            raise Unreadable("another type than 2")
        (fields, rest) = _item(envelope[1:])
        if rest or not isinstance(fields, list):
            raise Unreadable("not one list")
        chain_id, nonce, _, _, _, to, value, call = islice(
            (field if isinstance(field, bytes) else b"" for field in fields), 8
        )
    except (ValueError, IndexError) as error:
        raise Unreadable("broken encoding") from error
    if not call:
        return _sent(chain_id, nonce, "", to, int.from_bytes(value))
    words, mark = call[:_CALL_BYTES], call[_CALL_BYTES:]
    is_whole = len(words) == _CALL_BYTES and len(mark) in (0, _MARK_BYTES)
    if not is_whole or call[:4].hex() != TRANSFER_SELECTOR or int.from_bytes(value):
        raise Unreadable("a call that is no transfer")
    return replace(_sent(chain_id, nonce, f"0x{to.hex()}", call[16:36], int.from_bytes(words[36:])), mark=mark)


def _sent(chain_id: bytes, nonce: bytes, token: str, recipient: bytes, base_units: int) -> SignedTransfer:
    return SignedTransfer(
        chain_id=int.from_bytes(chain_id),
        nonce=int.from_bytes(nonce),
        token=token,
        recipient=f"0x{recipient.hex()}",
        base_units=base_units,
    )


def _item(encoded: bytes) -> tuple[Item, bytes]:
    """The first item, and what follows it."""
    first = encoded[0]
    if first < _SHORT:
        return encoded[:1], encoded[1:]
    is_list, start, length = _extent(encoded)
    body, rest = encoded[start : start + length], encoded[start + length :]
    if len(body) != length:
        raise ValueError("cut off")
    return (_items(body) if is_list else body), rest


def _extent(encoded: bytes) -> tuple[bool, int, int]:
    """Whether the first item is a list, where its content begins, and how long that is."""
    first = encoded[0]
    is_list = first >= _LIST
    short, long, base = (_LIST, _LONG_LIST, _LONG_LIST_BASE) if is_list else (_SHORT, _LONG, _LENGTH_BASE)
    if first < long:
        return is_list, 1, first - short
    size = first - base
    return is_list, 1 + size, int.from_bytes(encoded[1 : 1 + size])


def _items(body: bytes) -> list[Item]:
    found: list[Item] = []
    while body:
        item, body = _item(body)
        found.append(item)
    return found
