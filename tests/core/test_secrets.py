"""Secrets: random enough, found by digest, sealed at rest, and still readable after keys were rotated."""

import pytest
from cryptography.fernet import InvalidToken
from django.test import override_settings

from core.secrets import decrypt, encrypt, equal_in_constant_time, lookup_digest, random_token


def test_tokens_are_long_plain_and_never_the_same() -> None:
    tokens = {random_token("sk_test_") for _ in range(1000)}
    assert len(tokens) == 1000
    assert {len(token) for token in tokens} == {len("sk_test_") + 43}
    assert all(token.removeprefix("sk_test_").isalnum() and token.isascii() for token in tokens)


def test_a_digest_finds_and_does_not_tell() -> None:
    token = random_token("sk_test_")
    assert lookup_digest(token) == lookup_digest(token) != lookup_digest(token + "x")
    assert len(lookup_digest(token)) == 64
    assert token[-8:] not in lookup_digest(token)


def test_sealed_is_not_readable_and_never_the_same() -> None:
    sealed = {encrypt(b"whsec_abc") for _ in range(10)}
    assert len(sealed) == 10
    assert all(b"whsec" not in each and decrypt(each) == b"whsec_abc" for each in sealed)
    assert decrypt(memoryview(encrypt(b"x"))) == b"x"


def test_keys_can_be_rotated() -> None:
    old, new = "old key of thirty-two characters or so", "new key of thirty-two characters or so"
    with override_settings(ENCRYPTION_KEYS=[old]):
        sealed = encrypt(b"answer")
    with override_settings(ENCRYPTION_KEYS=[new, old]):
        assert decrypt(sealed) == b"answer"
        resealed = encrypt(b"answer")
    with override_settings(ENCRYPTION_KEYS=[new]):
        assert decrypt(resealed) == b"answer"
        with pytest.raises(InvalidToken):
            decrypt(sealed)


def test_a_changed_seal_does_not_open() -> None:
    sealed = bytearray(encrypt(b"answer"))
    sealed[20] ^= 1
    with pytest.raises(InvalidToken):
        decrypt(bytes(sealed))


def test_comparison() -> None:
    assert equal_in_constant_time("é", "é")
    assert not equal_in_constant_time("a", "b")
    assert not equal_in_constant_time("a", "aa")
