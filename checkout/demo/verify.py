"""How a receiver checks a webhook. Copy this file: it needs the standard library and nothing of the service."""

import hashlib
import hmac
import re
from dataclasses import dataclass

TOLERANCE_SECONDS = 300
LONGEST_HEADER = 4096


@dataclass(frozen=True)
class Step:
    """One check: what was asked, with which values, and whether it held."""

    question: str
    values: tuple[tuple[str, str], ...]
    passed: bool


def verify(raw_body: bytes, header: str, secret: str, now_seconds: int) -> list[Step]:
    """Check ``Svc-Signature`` and return the steps taken; the request is genuine when every step passed.

    ``raw_body`` must be the bytes as they came: parsing and writing them again changes them.
    """
    pairs = [part.strip().partition("=") for part in header.split(",")]
    times = [value for name, _, value in pairs if name == "t"]
    given = [value for name, _, value in pairs if name == "v1"]
    whole = len(header) <= LONGEST_HEADER and all(equals for _, equals, _ in pairs)
    readable = whole and len(times) == 1 and re.fullmatch("[0-9]{1,12}", times[0]) is not None and given != []
    steps = [Step("Is there one time and at least one signature?", (("Svc-Signature", header or "(none)"),), readable)]
    if not readable:
        return steps

    age = now_seconds - int(times[0])
    fresh = abs(age) <= TOLERANCE_SECONDS
    clock = (("our clock", str(now_seconds)), ("t", times[0]), ("difference", f"{age} s, at most {TOLERANCE_SECONDS}"))
    steps.append(Step("Was it signed just now?", clock, fresh))

    signed = times[0].encode() + b"." + raw_body
    expected = hmac.new(secret.encode(), signed, hashlib.sha256).hexdigest()
    matches = [hmac.compare_digest(expected.encode(), value.encode(errors="replace")) for value in given]
    made = (
        ("signed text", f"{times[0]}. and {len(raw_body)} bytes of body, exactly as they came"),
        ("our secret", f"{secret[:6]}…{secret[-4:]}"),
        ("HMAC-SHA256", expected),
        *(("v1", value) for value in given),
    )
    steps.append(Step("Is one signature the one we compute?", made, any(matches) and secret.strip() != ""))
    return steps
