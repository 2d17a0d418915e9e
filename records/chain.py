"""The chain over a record's entries: each one's hash is over the one before and itself. Pure.

A verifier makes the same bytes from the record alone: see docs/flight-record.md, The format.
"""

import hashlib
from collections.abc import Iterable, Mapping
from typing import Any, Final, NamedTuple

from proofs.canonical import canonical

RECORD: Final = "causeway.flight-record.v1"
BOUND: Final = ("number", "at", "type", "ref", "facts")
"""The keys of an entry that its hash is over: all but the hash."""


class Entry(NamedTuple):
    """Something that happened: when, what, and which of the like it is. No two of a payment have the same ``ref``."""

    at: str
    type: str
    ref: str
    facts: Mapping[str, Any]


def beginning(intent_id: str) -> str:
    """The hash before the first entry: so no entry of one payment ever fits another one's chain."""
    return hashlib.sha256(f"{RECORD}\n{intent_id}".encode()).hexdigest()


def chained(entries: Iterable[Entry], head: str, number: int) -> list[dict[str, Any]]:
    """The entries with their numbers and hashes, that follow ``number`` entries whose last hash is ``head``."""
    found = []
    for place, entry in enumerate(entries, number + 1):
        bound = {"number": place, "at": entry.at, "type": entry.type, "ref": entry.ref, "facts": dict(entry.facts)}
        head = hashlib.sha256(head.encode() + b"\n" + canonical(bound)).hexdigest()
        found.append({**bound, "hash": head})
    return found
