"""What stands in the way of sending a token of Token-2022, read from its mint's bytes.

Its extensions are a list of type, length and content behind the mint's first form. What is not known to leave a plain
transfer alone is in the way. Source: https://github.com/solana-program/token-2022, interface/src/extension;
docs/money-out.md, On Solana.
"""

from collections.abc import Iterator

from chains.instructions.accounts import MINT_BYTES, AccountState
from chains.instructions.programs import TOKEN_PROGRAM

_KIND_AT, _LIST_AT, _HEAD_BYTES, _MINT_KIND = 165, 166, 4, 1
_FEE, _DEFAULT_STATE, _HOOK, _PAUSABLE = 1, 6, 14, 26
_LENGTHS = {_FEE: 108, _DEFAULT_STATE: 1, _HOOK: 64}
_HARMLESS = frozenset({3, 4, 10, 16, 18, 19, 20, 21, 22, 23, 25})
"""Closing, confidential balances beside the plain one, how amounts are shown, names and groups."""
_NAMES = {_FEE: "a fee", _DEFAULT_STATE: "frozen accounts", 9: "no transfers", 12: "a permanent delegate"}
_MORE_NAMES = {_HOOK: "a hook", _PAUSABLE: "a pause"}
_INITIALIZED = b"\x01"
_OLDER_MOST, _OLDER_RATE = slice(80, 88), slice(88, 90)
_NEWER_MOST, _NEWER_RATE = slice(98, 106), slice(106, 108)


def hazard_of(mint: AccountState) -> str:
    """Why a token is not sent, in two words; empty where nothing is in the way.

    Refused are a fee, a hook, a delegate or a pause over everybody's tokens, accounts that start frozen, and whatever
    is not known here. A fee of nothing and a hook without a program are as none.
    """
    if mint.program == TOKEN_PROGRAM or len(mint.content) == MINT_BYTES:
        return ""
    if len(mint.content) < _LIST_AT or mint.content[_KIND_AT] != _MINT_KIND:
        return "no mint"
    for kind, content in _extensions(mint.content):
        if not (kind in _HARMLESS or _is_idle(kind, content)):
            return {**_NAMES, **_MORE_NAMES}.get(kind, "an extension")
    return ""


def _is_idle(kind: int, content: bytes) -> bool:
    """Whether an extension that could be in the way is not."""
    if len(content) != _LENGTHS.get(kind):
        return False
    if kind == _FEE:
        old = any(content[_OLDER_MOST]) and any(content[_OLDER_RATE])
        new = any(content[_NEWER_MOST]) and any(content[_NEWER_RATE])
        return not old and not new
    return content == _INITIALIZED if kind == _DEFAULT_STATE else not any(content[32:])


def _extensions(content: bytes) -> Iterator[tuple[int, bytes]]:
    """Each extension's type and content; one that does not fit in the account is of type 0."""
    place = _LIST_AT
    while place + _HEAD_BYTES <= len(content):
        kind = int.from_bytes(content[place : place + 2], "little")
        length = int.from_bytes(content[place + 2 : place + 4], "little")
        if kind == 0 and not any(content[place:]):
            return
        place += _HEAD_BYTES
        yield (kind if place + length <= len(content) else 0), content[place : place + length]
        place += length
