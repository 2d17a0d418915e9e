"""Secrets: random enough, found by digest, sealed at rest, readable after keys were rotated, and never in a log."""

import base64
import hashlib
import logging
import re
import sys
from contextvars import copy_context

import pytest
from cryptography.fernet import Fernet
from django.conf import settings
from django.test import override_settings

from core.logs import LineFormatter, is_no_readiness_answer
from core.request_id import begin_task, current_request_id
from core.secrets import (
    SecretUnreadable,
    decrypt,
    decrypt_text,
    encrypt,
    encrypt_text,
    lookup_digest,
    random_token,
)
from merchants.services import NewMerchant
from tests.conftest import ApiClient


def test_tokens_are_long_plain_and_never_the_same_and_a_digest_finds_and_does_not_tell() -> None:
    tokens = {random_token("sk_test_") for _ in range(1000)}
    assert (len(tokens), {len(token) for token in tokens}) == (1000, {len("sk_test_") + 43})
    assert all(token.removeprefix("sk_test_").isalnum() and token.isascii() for token in tokens)
    token = tokens.pop()
    assert lookup_digest(token) == lookup_digest(token) != lookup_digest(token + "x")
    assert len(lookup_digest(token)) == 64
    assert token[-8:] not in lookup_digest(token)


def test_sealed_is_not_readable_never_the_same_and_does_not_open_when_it_was_changed() -> None:
    sealed = {encrypt(b"whsec_abc") for _ in range(10)}
    assert len(sealed) == 10
    assert all(b"whsec" not in each and decrypt(each) == b"whsec_abc" for each in sealed)
    assert decrypt(memoryview(encrypt(b"x"))) == b"x"
    one = sealed.pop()
    for place in range(len(one)):
        changed = bytearray(one)
        changed[place] ^= 1
        with pytest.raises(SecretUnreadable):
            decrypt(bytes(changed))
    for cut in range(len(one)):
        with pytest.raises(SecretUnreadable):
            decrypt(one[:cut])


def test_sealed_text_fits_an_address_and_text_that_is_none_opens_nothing() -> None:
    sealed = encrypt_text("ann@shop.example ü")
    assert re.fullmatch(r"[A-Za-z0-9_=-]+", sealed)
    assert decrypt_text(sealed) == "ann@shop.example ü"
    for text in ("", "x", "٣", "gAAAAA==", "A" * 40, sealed[:-4], sealed[4:]):
        with pytest.raises(SecretUnreadable):
            decrypt_text(text)


def test_what_fernet_sealed_before_is_still_read() -> None:
    key = base64.urlsafe_b64encode(hashlib.sha256(f"at-rest:{settings.ENCRYPTION_KEYS[0]}".encode()).digest())
    token = Fernet(key).encrypt(b"whsec_abc")
    assert decrypt(token) == b"whsec_abc"
    assert decrypt_text(token.decode()) == "whsec_abc"
    assert len(encrypt(b"a" * 1000)) < 0.75 * len(Fernet(key).encrypt(b"a" * 1000))


def test_keys_can_be_rotated() -> None:
    old, new = "old key of thirty-two characters or so", "new key of thirty-two characters or so"
    with override_settings(ENCRYPTION_KEYS=[old]):
        sealed = encrypt(b"answer")
    with override_settings(ENCRYPTION_KEYS=[new, old]):
        assert decrypt(sealed) == b"answer"
        resealed = encrypt(b"answer")
    with override_settings(ENCRYPTION_KEYS=[new]):
        assert decrypt(resealed) == b"answer"
        with pytest.raises(SecretUnreadable):
            decrypt(sealed)


def line(message: str, *arguments: object, exc_info: object = None) -> str:
    record = logging.LogRecord("causeway.test", logging.INFO, "file.py", 1, message, arguments, exc_info)  # type: ignore[arg-type]  # the stub is narrower than the library
    return LineFormatter().format(record).partition(" INFO causeway.test ")[2]


def test_credentials_are_replaced_and_other_text_is_left_alone() -> None:
    for prefix in ("sk_test_", "sk_live_", "pk_live_", "rk_test_", "whsec_"):
        token = random_token(prefix)
        assert token not in line(f"seen {token} here")
    for text in (
        *("key=sk_live_abcdefgh", "my_sk_test_abcdefgh", "Authorization: Bearer eyJhbGciOi.J9._-abc=="),
        *("authorization: bearer   abcdefghijkl", "Basic dXNlcjpwYXNzd29yZA=="),
        "postgres://" + "causeway:hunter2hunter2@db:5432/causeway",
        "redis://" + ":hunter2hunter2@cache:6379/0",
    ):
        written = line(f"before {text} after")
        assert "[credential]" in written
        assert (written[:7], written[-6:]) == ("before ", " after")
        parts = ("hunter2", "eyJ", "dXNlcjpw", text[-20:].rpartition("@")[0] or text[-8:])
        assert [part for part in parts if part in written] == []
    try:
        raise ValueError("sk_live_abcdefgh")
    except ValueError:
        written = line("failed with %s", "whsec_abcdefgh", exc_info=sys.exc_info())
    assert "abcdefgh" not in written
    assert "Traceback" in written
    for text in ("sk_test", "the bearer of bad news", "https://shop.example/a@b", "task_1", "pk_2"):
        assert line(text) == text


def test_a_record_cannot_pretend_to_be_two_and_names_its_task() -> None:
    written = line("path %s", "/x\r\n2026-01-01 00:00:00 INFO causeway paid\x1b[31m\u2028\x00")
    assert written == "path /x\\r\\n2026-01-01 00:00:00 INFO causeway paid\\x1b[31m\\u2028\\x00"
    task = copy_context()
    task.run(begin_task, "0e6b2f0a-8a3e-4a5e-9c57-0f5f4f3f2a11")
    assert task.run(line, "swept") == "swept [task_0e6b2f0a8a3e4a5e9c570f5f4f3f2a11]"
    assert len(task.run(current_request_id)) <= 40  # noqa: PLR2004 - the history's column


def test_no_request_writes_its_key(
    account: NewMerchant, capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    key = account.test.secret_key
    with caplog.at_level(logging.DEBUG):
        ApiClient(key).post("/payment-intents", {"amount": 25})
        ApiClient(key).get(f"/payment-intents/{key}")
        ApiClient(key + "x").get("/payment-intents")
    assert key not in capsys.readouterr().err


@pytest.mark.slow
def test_a_service_that_starts_up_logs_no_error(api: ApiClient, caplog: pytest.LogCaptureFixture) -> None:
    """Without a worker readiness answers 503; every other 5xx is still an error."""
    requests = logging.getLogger("django.request")
    assert is_no_readiness_answer in [getattr(one, "callback", None) for one in requests.filters]
    assert api.get("/api/public/health/ready").status == 503
    assert [record for record in caplog.records if record.name == "django.request"] == []
