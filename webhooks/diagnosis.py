"""Why a webhook's signature did not verify: tries what receivers get wrong, and names the step. Pure; keeps nothing.

Source: docs/adr/0034.
"""

import base64
import binascii
import hmac
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from webhooks.rewriting import NO_JSON, Change, differing, read_json, undone
from webhooks.signatures import SECRET_PREFIX, TOLERANCE_SECONDS, Refusal, read_header


class Fault(StrEnum):
    """The step that fails. ``RIGHT``: none does."""

    RIGHT = "right"
    NO_SECRET = "no_secret"  # noqa: S105 - a word, not a secret
    HEADER_MISSING = "header_missing"
    HEADER_UNREADABLE = "header_unreadable"
    TIME_MISSING = "time_missing"
    TIME_REPEATED = "time_repeated"
    TIME_IN_MILLISECONDS = "time_in_milliseconds"
    SIGNATURE_MISSING = "signature_missing"
    SECRET_SPACES = "secret_spaces"  # noqa: S105 - as above
    SECRET_OVER = "secret_over"  # noqa: S105 - as above
    OTHER_ENDPOINT = "other_endpoint"
    BODY_CHANGED = "body_changed"
    BODY_DIFFERS = "body_differs"
    PREFIX_STRIPPED = "prefix_stripped"
    KEY_DECODED = "key_decoded"
    TIME_LEFT_OUT = "time_left_out"
    STOP_LEFT_OUT = "stop_left_out"
    OTHER_SCHEME = "other_scheme"
    UPPER_CASE = "upper_case"
    IN_BASE64 = "in_base64"
    TOO_OLD = "too_old"
    IN_THE_FUTURE = "in_the_future"
    UNEXPLAINED = "unexplained"


@dataclass(frozen=True, kw_only=True)
class KnownSecret:
    """A secret that may have signed, and whose it is. ``is_over``: its grace after a rotation has ended."""

    secret: str = field(repr=False)
    owner: str
    is_chosen: bool = True
    is_over: bool = False


@dataclass(frozen=True, kw_only=True)
class Evidence:
    """What a receiver had in hand. ``computed`` is what its own code came to; ``stored`` is the event as it was sent.

    Units: now_seconds in unix seconds.
    """

    header: str
    body: bytes
    secrets: Sequence[KnownSecret]
    now_seconds: int
    computed: str = ""
    stored: bytes | None = None


@dataclass(frozen=True, kw_only=True)
class Diagnosis:
    """The verdict. ``seconds`` is how far the time is off; ``of_code``: the header is right, the receiver's code not.

    ``detail`` is the part of the header, or the places in the body, that the fault is about.
    """

    fault: Fault
    seconds: int = 0
    changes: tuple[Change, ...] = ()
    owner: str = ""
    detail: str = ""
    of_code: bool = False


_REFUSALS = {
    Refusal.HEADER_MISSING: Fault.HEADER_MISSING,
    Refusal.HEADER_MALFORMED: Fault.HEADER_UNREADABLE,
    Refusal.TIMESTAMP_MISSING: Fault.TIME_MISSING,
    Refusal.TIMESTAMP_REPEATED: Fault.TIME_REPEATED,
    Refusal.SIGNATURE_MISSING: Fault.SIGNATURE_MISSING,
}
PATHS_NAMED = 5
_MILLISECONDS = re.compile(r"[0-9]{13}")


def diagnose(evidence: Evidence) -> Diagnosis:
    """The first step of the check that fails, in the order in which a receiver takes them, and why."""
    times, signatures, refusal = read_header(evidence.header)
    if refusal is not None:
        return _header_fault(evidence.header, times, refusal)
    if not any(known.secret.strip() for known in evidence.secrets):
        return Diagnosis(fault=Fault.NO_SECRET)
    found = _explained(evidence, times[0], signatures)
    if found.fault is not Fault.RIGHT:
        return found
    if (computed := evidence.computed.strip()) and computed not in signatures:
        own = _explained(evidence, times[0], [computed])
        return Diagnosis(**{**vars(own), "of_code": True})
    return _time_fault(int(times[0]), evidence.now_seconds)


def _header_fault(header: str, times: list[str], refusal: Refusal) -> Diagnosis:
    if times and _MILLISECONDS.fullmatch(times[0]):
        return Diagnosis(fault=Fault.TIME_IN_MILLISECONDS, detail=times[0])
    unreadable = [part.strip() for part in header.split(",") if "=" not in part]
    return Diagnosis(fault=_REFUSALS[refusal], detail=(unreadable or times or [""])[0][:80])


def _time_fault(timestamp: int, now_seconds: int) -> Diagnosis:
    age = now_seconds - timestamp
    if age > TOLERANCE_SECONDS:
        return Diagnosis(fault=Fault.TOO_OLD, seconds=age)
    if age < -TOLERANCE_SECONDS:
        return Diagnosis(fault=Fault.IN_THE_FUTURE, seconds=-age)
    return Diagnosis(fault=Fault.RIGHT, seconds=age)


def _explained(evidence: Evidence, time: str, signatures: Sequence[str]) -> Diagnosis:
    """How these signatures came about: the secret, then how it was used, then what became of the body."""
    given = set(signatures)
    head = f"{time}.".encode()
    for known in evidence.secrets:
        if known.secret and _hex(known.secret.encode(), head + evidence.body) in given:
            return _whose(known)
    for known in evidence.secrets:
        for fault, key, signed in _misuses(known.secret, time, evidence.body):
            if _hex(key, signed) in given:
                return Diagnosis(fault=fault, owner="" if known.is_chosen else known.owner)
    for known in evidence.secrets:
        if spelling := _misspelt(known.secret, head + evidence.body, given):
            return Diagnosis(fault=spelling, owner="" if known.is_chosen else known.owner)
    return _body_fault(evidence, head, given) or Diagnosis(fault=Fault.UNEXPLAINED)


def _whose(known: KnownSecret) -> Diagnosis:
    if known.is_over:
        return Diagnosis(fault=Fault.SECRET_OVER, owner=known.owner)
    if known.is_chosen:
        return Diagnosis(fault=Fault.RIGHT)
    return Diagnosis(fault=Fault.OTHER_ENDPOINT, owner=known.owner)


def _misuses(secret: str, time: str, body: bytes) -> Iterator[tuple[Fault, bytes, bytes]]:
    """Each way of signing that looks right and is not: the key that is used, and the text that is signed."""
    key, head, bare = secret.encode(), f"{time}.".encode(), secret.strip().removeprefix(SECRET_PREFIX)
    if secret.strip() != secret:
        yield Fault.SECRET_SPACES, secret.strip().encode(), head + body
    yield Fault.SECRET_SPACES, f"{secret}\n".encode(), head + body
    yield Fault.PREFIX_STRIPPED, bare.encode(), head + body
    decoded = _decoded(bare)
    if decoded:
        yield Fault.KEY_DECODED, decoded, head + body
        found = re.search(rb'"id"\s*:\s*"(evt_[0-9a-f]{32})"', body)
        event_id = found[1] if found else b""
        yield Fault.OTHER_SCHEME, decoded, event_id + b"." + head + body
    yield Fault.TIME_LEFT_OUT, key, body
    yield Fault.STOP_LEFT_OUT, key, time.encode() + body


def _decoded(text: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return b""


def _misspelt(secret: str, signed: bytes, given: set[str]) -> Fault | None:
    """Right, but written in another way than small hexadecimal digits."""
    digest = hmac.digest(secret.encode(), signed, "sha256")
    if digest.hex().upper() in given or digest.hex() in {text.lower() for text in given}:
        return Fault.UPPER_CASE
    return Fault.IN_BASE64 if base64.b64encode(digest).decode() in given else None


def _hex(key: bytes, signed: bytes) -> str:
    return hmac.digest(key, signed, "sha256").hex()


def _body_fault(evidence: Evidence, head: bytes, given: set[str]) -> Diagnosis | None:
    """What was done to the body: the fewest changes whose undoing makes any of the secrets match."""
    for changes, body in undone(evidence.body, evidence.stored):
        for known in evidence.secrets:
            if _hex(known.secret.encode(), head + body) in given:
                owner = "" if known.is_chosen else known.owner
                return Diagnosis(fault=Fault.BODY_CHANGED, changes=changes, owner=owner)
    if evidence.stored is None:
        return None
    for known in evidence.secrets:
        if _hex(known.secret.encode(), head + evidence.stored) in given:
            return _compared(evidence.body, evidence.stored, "" if known.is_chosen else known.owner)
    return None


def _compared(body: bytes, stored: bytes, owner: str) -> Diagnosis:
    """How a body differs from the event as it was sent, where nothing simpler explains it."""
    received, sent = read_json(body), read_json(stored)
    if received is not NO_JSON and received == sent:
        return Diagnosis(fault=Fault.BODY_CHANGED, changes=(Change.NUMBERS,), owner=owner)
    paths = [] if received is NO_JSON else list(differing(received, sent))[:PATHS_NAMED]
    return Diagnosis(fault=Fault.BODY_DIFFERS, owner=owner, detail=", ".join(paths))
