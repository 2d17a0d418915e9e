"""I22: what is sealed of payments' records is what was signed, byte for byte, by keys that are as they are published.

Hashes and signatures are made a second time here, from docs/flight-record.md and not by whoever seals.
Source: docs/adr/0120.
"""

import json
import zlib
from collections.abc import Iterator, Sequence
from hashlib import sha256
from typing import Any

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from django.db.models import QuerySet

from operations.invariants.scope import Scope, batches
from payments.models import PaymentIntent
from proofs.models import ProofKey
from records.models import RecordSeal, SealBacklog

Keys = dict[str, str]
"""By their ids: public keys."""
BROKEN = (ValueError, KeyError, TypeError, AttributeError, zlib.error, InvalidSignature)
"""What reading something raises that is not as it was written."""


def records_are_as_they_were_sealed(scope: Scope) -> Iterator[str]:
    """I22: each entry's hash follows from the one before it; the head and all else that was signed is what stands."""
    keys: Keys = {}
    for batch in batches(_mine(scope)):
        keys = keys or dict(ProofKey.objects.values_list("id", "public_key"))
        before = _before(batch)
        for seal in batch:
            if wrong := _wrong_with(seal, before.get((seal.intent_id, seal.number - 1)), keys):
                yield f"I22 seal {seal.number} of intent {seal.intent_id} {wrong}"


def published_keys_are_as_they_were_made(scope: Scope) -> Iterator[str]:
    """I22: a key is called by its public half, and what is published is signed by the current one."""
    if scope.merchant_id is not None:
        return
    for key in scope.of_piece(ProofKey).order_by("created_at", "pk"):
        try:
            public = bytes.fromhex(key.public_key)
            listed = json.loads(key.document)
            signature = listed.pop("signature")
            is_named = key.pk == listed["signed_by"] == f"rk_{sha256(public).hexdigest()[:16]}"
            said = listed["keys"][-1]
            endorsed = (said["public_key"], said["endorsed_by"] or "", said["endorsement"] or "")
            is_named = is_named and endorsed == (key.public_key, key.endorsed_by, key.endorsement)
            _expect_signature(key.public_key, "causeway.keys.v1", _canonical(listed), signature)
        except BROKEN:
            is_named = False
        if not is_named:
            yield f"I22 proof key {key.pk} is not as it was published"


def what_settled_is_sealed(scope: Scope) -> Iterator[str]:
    """I22: a settled payment has a seal, or a worker is asked for it. Nothing is said until those of before are."""
    if not scope.notes_tables and not SealBacklog.objects.filter(finished_at__isnull=False).exists():
        return
    paid = scope.rows(PaymentIntent).filter(status__in=("settled", "refunded"), settled_at__isnull=False)
    for pk in paid.filter(seals=None, awaited_seal=None).order_by("pk").values_list("pk", flat=True).iterator():
        yield f"I22 intent {pk} settled, and its record is neither sealed nor waits to be"


def _mine(scope: Scope) -> "QuerySet[RecordSeal]":
    found = scope.of_piece(RecordSeal).order_by("pk")
    if scope.merchant_id is not None:
        found = found.filter(intent__merchant_id=scope.merchant_id)
    return found if scope.since is None else found.filter(created_at__gte=scope.since)


def _before(seals: Sequence[RecordSeal]) -> dict[tuple[Any, int], str]:
    """The statements of these payments' seals, which say how far each one went."""
    later = {seal.intent_id for seal in seals if seal.number > 1}
    rows = RecordSeal.objects.filter(intent__in=later).order_by("pk").values_list("intent_id", "number", "statement")
    return {(intent_id, number): statement for intent_id, number, statement in rows}


def _wrong_with(seal: RecordSeal, before: str | None, keys: Keys) -> str:
    """What is not as it was signed; empty where all is."""
    if seal.key_id not in keys:
        return f"is signed by {seal.key_id}, which is none of our keys"
    try:
        statement = json.loads(seal.statement)
        _expect_signature(keys[seal.key_id], statement["type"], seal.statement.encode(), seal.signature)
    except BROKEN:
        return "is not what was signed"
    if statement["payment_intent_id"] != str(seal.intent_id):
        return "was signed for another payment"
    try:
        end = _end(seal, None if before is None else json.loads(before))
    except BROKEN:
        return "holds entries that cannot be read"
    return "" if end == (statement["entries"], statement["head"]) else "holds other entries than were signed"


def _end(seal: RecordSeal, before: dict[str, Any] | None) -> tuple[int, str]:
    """The number and the hash of a seal's last entry, each computed. Raises: ValueError where one follows from none."""
    first = sha256(f"causeway.flight-record.v1\n{seal.intent_id}".encode()).hexdigest()
    begun, head = (0, first) if before is None else (before["entries"], before["head"])
    if (before is None) != (seal.number == 1):
        raise ValueError("a seal is missing")
    entries = json.loads(zlib.decompress(bytes(seal.entries)))
    for number, entry in enumerate(entries, begun + 1):
        said = entry.pop("hash")
        head = sha256(head.encode() + b"\n" + _canonical(entry)).hexdigest()
        if (said, entry["number"]) != (head, number):
            raise ValueError("an entry is another one")
    return begun + len(entries), head


def _canonical(value: object) -> bytes:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def _expect_signature(public_key: str, purpose: str, content: bytes, signature: str) -> None:
    """Raises: InvalidSignature; ValueError for what is no hexadecimal as we write it."""
    if bytes.fromhex(signature).hex() != signature or bytes.fromhex(public_key).hex() != public_key:
        raise ValueError("another way of writing it")
    message = purpose.encode() + b"\n" + content
    Ed25519PublicKey.from_public_bytes(bytes.fromhex(public_key)).verify(bytes.fromhex(signature), message)
