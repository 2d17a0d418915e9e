"""Reads the committed list of tokens. Every row says in ``source`` where its address and decimals were read."""

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path

_LIST = Path(__file__).with_name("bundled.json")


@dataclass(frozen=True, kw_only=True, slots=True)
class BundledToken:
    """One row of the committed list; the fields mean what they mean on ``Token``."""

    chain: str
    address: str
    symbol: str
    name: str
    decimals: int
    verified: bool
    is_native: bool
    is_usd_stablecoin: bool
    source: str


@cache
def bundled_tokens() -> tuple[BundledToken, ...]:
    """The committed list. Raises: TypeError if a row lacks a field or has one too many."""
    return tuple(BundledToken(**row) for row in json.loads(_LIST.read_text(encoding="utf-8")))


@cache
def bundled_by_place() -> dict[tuple[str, str], BundledToken]:
    """The same by chain and address."""
    return {(row.chain, row.address): row for row in bundled_tokens()}
