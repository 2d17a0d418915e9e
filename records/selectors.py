"""Reads of records: what was sealed, and what happened since, in one chain."""

import json
import zlib
from collections.abc import Sequence
from typing import Any

from payments.models import PaymentIntent
from records.chain import RECORD, Entry, beginning, chained
from records.entries import entries_of
from records.models import RecordSeal


def seals_of(intent: PaymentIntent) -> list[RecordSeal]:
    """What was sealed of an intent's record, the oldest first."""
    return list(RecordSeal.objects.filter(intent=intent).order_by("number"))


def sealed_entries(seals: Sequence[RecordSeal]) -> list[dict[str, Any]]:
    """The entries that these seals are over, as they were then."""
    return [entry for seal in seals for entry in json.loads(zlib.decompress(bytes(seal.entries)))]


def later_entries(intent: PaymentIntent, sealed: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """What is known by now and was not when the record was sealed last, with the hashes that follow its head.

    Why whatever is new, whenever it happened: a chain may show today what happened before the seal.
    """
    known = {entry["ref"] for entry in sealed}
    new: list[Entry] = [entry for entry in entries_of(intent) if entry.ref not in known]
    head = sealed[-1]["hash"] if sealed else beginning(str(intent.pk))
    return chained(new, head, len(sealed))


def record_of(intent: PaymentIntent) -> dict[str, Any]:
    """The whole record: what is sealed with its signatures, and what came since. Nothing is signed here."""
    seals = seals_of(intent)
    sealed = sealed_entries(seals)
    entries = [*sealed, *later_entries(intent, sealed)]
    return {
        "type": RECORD,
        "payment_intent_id": str(intent.pk),
        "entries": entries,
        "head": entries[-1]["hash"] if entries else beginning(str(intent.pk)),
        "seals": [seal_body(seal) for seal in seals],
    }


def seal_body(seal: RecordSeal) -> dict[str, Any]:
    """What was signed, and by which key."""
    return {"statement": json.loads(seal.statement), "key_id": seal.key_id, "signature": seal.signature}
