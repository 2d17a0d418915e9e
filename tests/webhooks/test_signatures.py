"""Signing and verifying: against fixed vectors, the specification's sentence in other words, and the printed recipe."""

import base64
import hashlib
import hmac
import re
from pathlib import Path
from typing import Any

import pytest

from merchants.principal import Principal
from tests.webhooks.actors import Subscriber, happen
from tests.webhooks.receivers import Receiver
from webhooks.catalog import EVENT_TYPES
from webhooks.delivery import drain
from webhooks.signatures import Refusal, new_secret, sign, signature_header, standard_headers, verify

SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw7f0c1d2e3f4A"
OLD = "whsec_b2xkLXNlY3JldC1vbGQtc2VjcmV0LW9sZC1zZWNyZXQh"
BODY = b'{"id":"evt_0123456789abcdef0123456789abcdef","type":"ping"}'
T = 1_700_000_000
VECTOR = "467df46116dfbd0c73d8bc06f3a8a279256c1828f748ffaa37a5f79bc4e2a358"


def by_the_book(secret: str, timestamp: int, body: bytes) -> str:
    """The specification's sentence, in other words than the service's."""
    machine = hmac.new(secret.encode("utf-8"), digestmod=hashlib.sha256)
    machine.update(str(timestamp).encode("ascii"))
    machine.update(b".")
    machine.update(body)
    return machine.hexdigest()


@pytest.mark.spec("Events 2: v1 is the hex HMAC-SHA256 of <t>.<raw body>")
def test_both_headers_carry_the_specified_proof_of_each_secret_newest_first() -> None:
    assert sign(SECRET, T, BODY) == by_the_book(SECRET, T, BODY) == VECTOR
    assert all(f"`{value}`" in GUIDE for value in (SECRET, str(T), BODY.decode(), VECTOR))
    expected = f"t={T},v1={by_the_book(SECRET, T, BODY)},v1={by_the_book(OLD, T, BODY)}"
    assert signature_header([SECRET, OLD], T, BODY) == expected
    proofs = [
        base64.b64encode(hmac.new(base64.b64decode(secret[6:]), b"evt_1.%d." % T + BODY, "sha256").digest()).decode()
        for secret in (SECRET, OLD)
    ]
    assert standard_headers([SECRET, OLD], "evt_1", T, BODY) == {
        "webhook-id": "evt_1",
        "webhook-timestamp": str(T),
        "webhook-signature": f"v1,{proofs[0]} v1,{proofs[1]}",
    }


def test_new_secrets_are_long_different_and_decodable() -> None:
    secrets = {new_secret() for _ in range(100)}
    assert len(secrets) == 100
    assert all(secret.startswith("whsec_") and len(base64.b64decode(secret[6:])) == 33 for secret in secrets)


@pytest.mark.spec("Events 5: reject when |now - t| exceeds 300 seconds")
def test_a_signature_is_fresh_for_five_minutes_both_ways() -> None:
    old = Refusal.TIMESTAMP_OUTSIDE_TOLERANCE
    for now, refusal in ((T, None), (T + 300, None), (T - 300, None), (T + 301, old), (T - 301, old)):
        verdict = verify(signature_header([SECRET], T, BODY), BODY, [SECRET], now)
        assert (verdict.refusal, verdict.valid, verdict.timestamp) == (refusal, refusal is None, T)


def test_either_secret_verifies_during_rotation_and_every_changed_byte_is_noticed() -> None:
    header = signature_header([SECRET, OLD], T, BODY)
    assert verify(header, BODY, [OLD], T).valid
    assert verify(header, BODY, [SECRET], T).valid
    assert verify(signature_header([OLD], T, BODY), BODY, [SECRET, OLD], T).valid
    assert verify(header, BODY, [new_secret()], T).refusal is Refusal.SIGNATURE_MISMATCH
    header = signature_header([SECRET], T, BODY)
    for place in range(len(BODY)):
        changed = BODY[:place] + bytes([BODY[place] ^ 1]) + BODY[place + 1 :]
        assert verify(header, changed, [SECRET], T).refusal is Refusal.SIGNATURE_MISMATCH


GOOD = by_the_book(SECRET, T, BODY)


@pytest.mark.parametrize(
    ("header", "refusal"),
    [
        ("", Refusal.HEADER_MISSING),
        ("   ", Refusal.HEADER_MISSING),
        ("nonsense", Refusal.HEADER_MALFORMED),
        (f"t={T},", Refusal.HEADER_MALFORMED),
        (f"v1={GOOD}", Refusal.TIMESTAMP_MISSING),
        (f"t={T},t={T},v1={GOOD}", Refusal.TIMESTAMP_REPEATED),
        (f"t={T},v1={GOOD},t={T + 1}", Refusal.TIMESTAMP_REPEATED),
        (f"t={T}", Refusal.SIGNATURE_MISSING),
        (f"t={T},v0={GOOD}", Refusal.SIGNATURE_MISSING),
        (f"t=,v1={GOOD}", Refusal.HEADER_MALFORMED),
        (f"t=-{T},v1={GOOD}", Refusal.HEADER_MALFORMED),
        (f"t={T}.0,v1={GOOD}", Refusal.HEADER_MALFORMED),
        (f"t=١٧٠٠٠٠٠٠٠٠,v1={GOOD}", Refusal.HEADER_MALFORMED),
        (f"t={T},v1=", Refusal.SIGNATURE_MISMATCH),
        (f"t={T},v1={GOOD[:-1]}", Refusal.SIGNATURE_MISMATCH),
        (f"t={T},v1={GOOD.upper()}", Refusal.SIGNATURE_MISMATCH),
        (f"t={T},v1=é{GOOD[1:]}", Refusal.SIGNATURE_MISMATCH),
        (f"t={T + 1},v1={GOOD}", Refusal.SIGNATURE_MISMATCH),
        (f"t={T},v1={GOOD}" + ",v0=x" * 2000, Refusal.HEADER_MALFORMED),
    ],
)
def test_a_header_that_proves_nothing_is_refused(header: str, refusal: Refusal) -> None:
    assert verify(header, BODY, [SECRET], T).refusal is refusal


def test_spaces_and_unknown_schemes_are_left_alone() -> None:
    assert verify(f" t={T} , v1={GOOD}, v2=later ", BODY, [SECRET], T).valid


@pytest.mark.parametrize("secrets", [[], [""], ["  "], [SECRET, ""]])
def test_an_empty_secret_is_refused_and_not_a_key(secrets: list[str]) -> None:
    forged = f"t={T},v1={hmac.new(b'', b'%d.' % T + BODY, 'sha256').hexdigest()}"
    assert verify(forged, BODY, secrets, T).refusal is Refusal.SECRET_EMPTY
    with pytest.raises(ValueError, match="must not be empty"):
        sign("", T, BODY)
    with pytest.raises(ValueError, match="at least one"):
        signature_header([], T, BODY)


GUIDE = (Path(__file__).resolve().parents[2] / "docs" / "guides" / "webhooks.md").read_text(encoding="utf-8")


@pytest.mark.spec("Contract 10.2")
def test_the_table_is_the_catalogue() -> None:
    rows = re.findall(r"^\| `([a-z_]+(?:\.[a-z_]+)?)` \| ([\d.]+) \| (.+) \|$", GUIDE, re.MULTILINE)
    assert rows == [(entry.name, entry.since, entry.when) for entry in EVENT_TYPES]


@pytest.mark.spec("Events 1 to 5: how a receiver verifies")
def test_the_recipe_verifies_what_is_sent_and_nothing_else(
    principal: Principal, subscriber: Subscriber, receiver: Receiver
) -> None:
    """The recipe is run exactly as it is printed."""
    [recipe] = re.findall(r"```python\n(import hashlib.*?)```", GUIDE, re.DOTALL)
    printed: dict[str, Any] = {}
    exec(recipe, printed)  # noqa: S102 - our own page
    is_genuine = printed["is_genuine"]
    happen(principal)
    drain()
    [request] = receiver.received
    header = request.headers["Svc-Signature"]
    assert is_genuine(header, request.body, subscriber.secret)
    assert not is_genuine(header, request.body + b" ", subscriber.secret)
    assert not is_genuine(header, request.body, subscriber.secret[:-1])
    assert not is_genuine(header, request.body, "")
    assert [is_genuine(bad, request.body, subscriber.secret) for bad in (None, "", "t=²,v1=²", "t=1,v1=\xff")] == [
        False
    ] * 4
    signed_at = header.partition(",")[0]
    assert not is_genuine(f"{header},{signed_at}", request.body, subscriber.secret)
    stale = header.replace(signed_at, f"t={int(signed_at.removeprefix('t=')) - 301}")
    assert not is_genuine(stale, request.body, subscriber.secret)
