"""Checks a payment's flight record or receipt without the service. It uses nothing but Python's own library.

    python records.py record.json --keys causeway-receipt-keys.json

To ask nodes as well (``--node``) it needs ``nodes.py`` beside it.

The form of records: docs/flight-record.md of the service. Signatures: https://www.rfc-editor.org/rfc/rfc8032, 5.1.7.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import sys
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, cast

RECORD, RECEIPT, SEAL = "causeway.flight-record.v1", "causeway.receipt.v1", "causeway.seal.v1"
KEY, KEYS = "causeway.key.v1", "causeway.keys.v1"
_RECORD = {"type", "payment_intent_id", "entries", "head", "seals"}
_ENTRY = {"number", "at", "type", "ref", "facts", "hash"}
_SEAL = {"statement", "key_id", "signature"}
_KEYS = {"type", "keys", "signed_by", "signature"}
_KEY = {"id", "algorithm", "public_key", "created_at", "retired_at", "endorsed_by", "endorsement"}
_TOLD = ("payment_intent_id", "mode", "merchant", "amount", "currency", "status", "settled_at", "settlement", "custody")
_TAKEN_BACK = {"payment.reverse", "credit.reversed", "credit.vanished"}


@dataclass
class Report:
    """What was found: ``problems`` name what does not hold; without any, all of ``facts`` is proven.

    ``unasked``: what a node was to say of them, and could not. It proves nothing, and refutes nothing.
    """

    problems: list[str] = field(default_factory=list[str])
    notes: list[str] = field(default_factory=list[str])
    facts: dict[str, Any] = field(default_factory=dict[str, Any])
    unasked: list[str] = field(default_factory=list[str])

    @property
    def holds(self) -> bool:
        """Whether everything is as it was signed."""
        return not self.problems


class Unreadable(ValueError):
    """The file is no JSON of the form that is expected; the message says where."""


def verify(record: bytes, keys: bytes) -> Report:
    """Check a flight record, or one seal of it, against the published keys."""
    report = Report()
    try:
        known = _read_keys(keys, report)
        found = _parse(record, "the record")
        if set(found) == _SEAL:
            _check_seal(found, "the receipt", known, report)
            _tell(found["statement"], report)
        else:
            _check_record(found, known, report)
    except Unreadable as error:
        report.problems.append(str(error))
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        report.problems.append(f"the record or the key file has another form: {error!r}")
    return report


def _check_record(record: dict[str, Any], known: dict[str, Any], report: Report) -> None:
    _expect(record, _RECORD, "the record")
    if record["type"] != RECORD:
        report.problems.append(f"type: {record['type']!r} is not {RECORD!r}")
    hashes = [_sha256(f"{RECORD}\n{record['payment_intent_id']}".encode())]
    for number, entry in enumerate(record["entries"], 1):
        _expect(entry, _ENTRY, f"entry {number}")
        bound = {name: value for name, value in entry.items() if name != "hash"}
        if entry["number"] != number or _sha256(hashes[-1].encode() + b"\n" + canonical(bound)) != entry["hash"]:
            report.problems.append(f"entry {number} ({entry['type']}) is not what its hash is over")
        hashes.append(entry["hash"])
    if record["head"] != hashes[-1]:
        report.problems.append("head: it is not the hash of the last entry")
    sealed = 0
    for number, seal in enumerate(record["seals"], 1):
        _check_seal(seal, f"seal {number}", known, report)
        sealed = _check_place(number, record, hashes, sealed, report)
    later = [entry["type"] for entry in record["entries"][_receipt_end(record) :]]
    report.notes += [f"after the receipt: {name}" for name in later if name in _TAKEN_BACK]
    if len(record["entries"]) > sealed:
        report.notes.append(f"entries {sealed + 1} to {len(record['entries'])} are chained and not signed yet")


def _check_place(number: int, record: dict[str, Any], hashes: list[str], before: int, report: Report) -> int:
    """Whether a seal is over entries of this record; up to which."""
    name, statement = f"seal {number}", record["seals"][number - 1]["statement"]
    entries = statement["entries"]
    if statement["payment_intent_id"] != record["payment_intent_id"]:
        report.problems.append(f"{name}: it is another payment's")
    if not isinstance(entries, int) or not before < entries < len(hashes) or hashes[entries] != statement["head"]:
        report.problems.append(f"{name}: its head is not the hash of entry {entries}")
        return before
    if statement["type"] == RECEIPT:
        _tell(statement, report)
        _check_transactions(statement, record["entries"][:entries], name, report)
    return entries


def _check_transactions(statement: dict[str, Any], entries: list[dict[str, Any]], name: str, report: Report) -> None:
    counted = [_transfer(entry["facts"]) for entry in entries if entry["type"] == "credit.counted"]
    for one in statement["transactions"]:
        if _transfer(one) not in counted:
            report.problems.append(f"{name}: transaction {one.get('tx_hash')} is in no entry")


def _transfer(facts: dict[str, Any]) -> list[Any]:
    """Which transfer it is. Why without its block: a chain may move it to another one."""
    return [facts.get(name) for name in ("chain", "tx_hash", "position", "token_address", "recipient", "base_units")]


def _check_seal(seal: dict[str, Any], name: str, known: dict[str, Any], report: Report) -> None:
    _expect(seal, _SEAL, name)
    statement = seal["statement"]
    key = known.get(seal["key_id"])
    if key is None:
        report.problems.append(f"{name}: key {seal['key_id']!r} is not among the published keys")
    elif statement.get("type") not in {RECEIPT, SEAL}:
        report.problems.append(f"{name}: {statement.get('type')!r} is no statement of a record")
    elif not _is_signed(key, statement["type"], statement, seal["signature"]):
        report.problems.append(f"{name}: the signature is not over this statement")
    elif key["retired_at"] and datetime.fromisoformat(statement["signed_at"]) > _last_use(key["retired_at"]):
        report.problems.append(f"{name}: it was signed after its key was retired")


def _last_use(retired_at: str) -> datetime:
    """Until when a key may have signed. Why an hour more: two machines' clocks may differ."""
    return datetime.fromisoformat(retired_at) + timedelta(hours=1)


def _receipt_end(record: dict[str, Any]) -> int:
    ends = [s["statement"]["entries"] for s in record["seals"] if s["statement"].get("type") == RECEIPT]
    return max((end for end in ends if isinstance(end, int)), default=len(record["entries"]))


def _tell(statement: dict[str, Any], report: Report) -> None:
    report.facts = {name: statement[name] for name in _TOLD if name in statement}
    report.facts["transactions"] = statement.get("transactions", [])
    if statement.get("mode") == "test":
        report.notes.append("test mode: no money moved")
    settled_at = statement.get("settled_at") or statement["signed_at"]
    if datetime.fromisoformat(statement["signed_at"]) - datetime.fromisoformat(settled_at) > timedelta(hours=1):
        report.notes.append(f"settled at {settled_at}, signed only at {statement['signed_at']}")


def _read_keys(keys: bytes, report: Report) -> dict[str, Any]:
    """The published keys by their names, once the list holds."""
    listed = _parse(keys, "the key file")
    _expect(listed, _KEYS, "the key file")
    known: dict[str, Any] = {}
    for number, key in enumerate(listed["keys"], 1):
        name = f"key {number} of the key file"
        _expect(key, _KEY, name)
        facts = {part: key[part] for part in ("id", "algorithm", "public_key", "created_at")}
        if key["id"] != f"rk_{hashlib.sha256(_bytes(key['public_key'], 32, name)).hexdigest()[:16]}":
            report.problems.append(f"{name}: its id is not that of its public key")
        endorser = known.get(key["endorsed_by"] or "")
        if key["endorsed_by"] and not (endorser and _is_signed(endorser, KEY, facts, key["endorsement"])):
            report.problems.append(f"{name}: {key['endorsed_by']!r} did not endorse it")
        if number > 1 and not key["endorsed_by"]:
            report.notes.append(f"{name} is endorsed by none before it")
        known[key["id"]] = key
    if listed == {"type": KEYS, "keys": [], "signed_by": None, "signature": None}:
        return known  # nothing was signed yet
    newest = known.get(listed["signed_by"])
    unsigned = {name: value for name, value in listed.items() if name != "signature"}
    if newest is None or listed["type"] != KEYS or not _is_signed(newest, KEYS, unsigned, listed["signature"]):
        report.problems.append("the key file: its signature is not over it")
    return known


def _is_signed(key: dict[str, Any], purpose: str, value: Any, signature: Any) -> bool:
    message = purpose.encode() + b"\n" + canonical(value)
    public = _bytes(key["public_key"], 32, "the public key")
    is_hex = isinstance(signature, str) and re.fullmatch("[0-9a-f]{128}", signature) is not None
    return key["algorithm"] == "Ed25519" and is_hex and verify_ed25519(public, message, bytes.fromhex(signature))


def canonical(value: Any) -> bytes:
    """The bytes that hashes and signatures are over: keys in order, nothing between. RFC 8785, without fractions."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode()


def _parse(text: bytes, name: str) -> dict[str, Any]:
    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        if len({key for key, _ in pairs}) < len(pairs):
            raise Unreadable(f"{name}: a key stands twice in one object")
        return dict(pairs)

    def never(number: str) -> None:
        raise Unreadable(f"{name}: {number} is no whole number")

    try:
        found = json.loads(text.decode(), object_pairs_hook=once, parse_float=never, parse_constant=never)
    except (UnicodeDecodeError, json.JSONDecodeError) as error:
        raise Unreadable(f"{name} is no JSON: {error}") from None
    if not isinstance(found, dict):
        raise Unreadable(f"{name} is no object")
    return cast("dict[str, Any]", found)


def _expect(value: Any, names: set[str], place: str) -> None:
    parts = set(cast("dict[str, Any]", value)) if isinstance(value, dict) else set[str]()
    if parts != names:
        raise Unreadable(f"{place}: its parts are not those of its form: {sorted(parts ^ names)}")


def _bytes(text: Any, length: int, name: str) -> bytes:
    if not isinstance(text, str) or not re.fullmatch(f"[0-9a-f]{{{length * 2}}}", text):
        raise Unreadable(f"{name}: {text!r} is not {length} bytes in hexadecimal")
    return bytes.fromhex(text)


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


# Ed25519, after the reference of RFC 8032 (6.): points are (X, Y, Z, T) with x = X/Z, y = Y/Z, xy = T/Z.
_P = 2**255 - 19
_L = 2**252 + 27742317777372353535851937790883648493
_D = -121665 * pow(121666, -1, _P) % _P
_Point = tuple[int, int, int, int]


def _add(a: _Point, b: _Point) -> _Point:
    low, high = (a[1] - a[0]) * (b[1] - b[0]) % _P, (a[1] + a[0]) * (b[1] + b[0]) % _P
    t, z = 2 * a[3] * b[3] * _D % _P, 2 * a[2] * b[2] % _P
    e, f, g, h = high - low, z - t, z + t, high + low
    return e * f % _P, g * h % _P, f * g % _P, e * h % _P


def _times(scalar: int, point: _Point) -> _Point:
    found: _Point = (0, 1, 1, 0)
    while scalar:
        if scalar & 1:
            found = _add(found, point)
        point, scalar = _add(point, point), scalar >> 1
    return found


def _point(text: bytes) -> _Point | None:
    y = int.from_bytes(text, "little")
    sign, y = y >> 255, y & (1 << 255) - 1
    if y >= _P:
        return None
    square = (y * y - 1) * pow(_D * y * y + 1, -1, _P) % _P
    x = pow(square, (_P + 3) // 8, _P)
    if (x * x - square) % _P:
        x = x * pow(2, (_P - 1) // 4, _P) % _P
    if (x * x - square) % _P or (x == 0 and sign):
        return None
    x = _P - x if x & 1 != sign else x
    return x, y, 1, x * y % _P


def verify_ed25519(public: bytes, message: bytes, signature: bytes) -> bool:
    """Whether the owner of a public key signed a message."""
    key, first, base = _point(public), _point(signature[:32]), _point((4 * pow(5, -1, _P) % _P).to_bytes(32, "little"))
    s = int.from_bytes(signature[32:], "little")
    if key is None or first is None or base is None or s >= _L:
        return False
    h = int.from_bytes(hashlib.sha512(signature[:32] + public + message).digest(), "little") % _L
    left, right = _times(s, base), _add(first, _times(h, key))
    same_x = (left[0] * right[2] - right[0] * left[2]) % _P == 0
    return same_x and (left[1] * right[2] - right[1] * left[2]) % _P == 0


def main(arguments: list[str] | None = None) -> int:
    """The program: 0 where everything holds, 1 where something does not, 3 where a node could not be asked."""
    reader = argparse.ArgumentParser(description="Check a flight record or a receipt.")
    reader.add_argument("record", type=Path)
    reader.add_argument("--keys", type=Path, required=True, help="causeway-receipt-keys.json of the service")
    reader.add_argument("--node", metavar="CHAIN=URL", action="append", default=[], help="also ask a node of a chain")
    asked = reader.parse_args(arguments)
    report = verify(asked.record.read_bytes(), asked.keys.read_bytes())
    if asked.node:
        try:
            from causeway_sdk.nodes import ask_nodes  # noqa: PLC0415 - nothing else of this file needs another one
        except ImportError:
            from nodes import ask_nodes  # type: ignore[import-not-found,no-redef]  # noqa: PLC0415 - copied beside it
        ask_nodes(report, asked.node)
    print(json.dumps({"holds": report.holds, **vars(report)}, indent=2, ensure_ascii=False))
    return 1 if not report.holds else 3 if report.unasked else 0


if __name__ == "__main__":
    sys.exit(main())
