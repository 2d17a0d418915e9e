"""Signing and verifying, against fixed vectors and against an implementation written from the specification alone."""

import base64
import hashlib
import hmac

import pytest

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
def test_the_signature_is_the_specified_hmac() -> None:
    assert sign(SECRET, T, BODY) == by_the_book(SECRET, T, BODY) == VECTOR


def test_a_header_carries_one_v1_per_secret_newest_first() -> None:
    expected = f"t={T},v1={by_the_book(SECRET, T, BODY)},v1={by_the_book(OLD, T, BODY)}"
    assert signature_header([SECRET, OLD], T, BODY) == expected


def test_standard_headers_follow_their_specification() -> None:
    headers = standard_headers([SECRET, OLD], "evt_1", T, BODY)
    proofs = [
        base64.b64encode(hmac.new(base64.b64decode(secret[6:]), b"evt_1.%d." % T + BODY, "sha256").digest()).decode()
        for secret in (SECRET, OLD)
    ]
    assert headers == {
        "webhook-id": "evt_1",
        "webhook-timestamp": str(T),
        "webhook-signature": f"v1,{proofs[0]} v1,{proofs[1]}",
    }


def test_new_secrets_are_long_different_and_decodable() -> None:
    secrets = {new_secret() for _ in range(100)}
    assert len(secrets) == 100
    assert all(secret.startswith("whsec_") and len(base64.b64decode(secret[6:])) == 33 for secret in secrets)


@pytest.mark.spec("Events 5: reject when |now - t| exceeds 300 seconds")
@pytest.mark.parametrize(
    ("now", "refusal"),
    [
        (T, None),
        (T + 300, None),
        (T - 300, None),
        (T + 301, Refusal.TIMESTAMP_OUTSIDE_TOLERANCE),
        (T - 301, Refusal.TIMESTAMP_OUTSIDE_TOLERANCE),
    ],
)
def test_a_signature_is_fresh_for_five_minutes_both_ways(now: int, refusal: Refusal | None) -> None:
    verdict = verify(signature_header([SECRET], T, BODY), BODY, [SECRET], now)
    assert (verdict.refusal, verdict.valid, verdict.timestamp) == (refusal, refusal is None, T)


def test_either_secret_verifies_during_rotation() -> None:
    header = signature_header([SECRET, OLD], T, BODY)
    assert verify(header, BODY, [OLD], T).valid
    assert verify(header, BODY, [SECRET], T).valid
    assert verify(signature_header([OLD], T, BODY), BODY, [SECRET, OLD], T).valid
    assert verify(header, BODY, [new_secret()], T).refusal is Refusal.SIGNATURE_MISMATCH


def test_every_changed_byte_is_noticed() -> None:
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


def test_nothing_is_signed_without_a_secret() -> None:
    with pytest.raises(ValueError, match="must not be empty"):
        sign("", T, BODY)
    with pytest.raises(ValueError, match="at least one"):
        signature_header([], T, BODY)
