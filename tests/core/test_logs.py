"""Logs tell a story line by line, and no line can be used to act as somebody."""

import logging
import sys

import pytest

from core import request_id
from core.logs import LineFormatter, is_no_readiness_answer
from core.secrets import random_token
from merchants.services import NewMerchant
from tests.conftest import ApiClient


def line(message: str, *arguments: object, exc_info: object = None) -> str:
    """A record as it is written."""
    record = logging.LogRecord("causeway.test", logging.INFO, "file.py", 1, message, arguments, exc_info)  # type: ignore[arg-type]  # the stub is narrower than the library
    return LineFormatter().format(record).partition(" INFO causeway.test ")[2]


@pytest.mark.parametrize("prefix", ["sk_test_", "sk_live_", "pk_live_", "rk_test_", "whsec_"])
def test_every_kind_of_credential_is_replaced(prefix: str) -> None:
    token = random_token(prefix)
    assert token not in line(f"seen {token} here")


@pytest.mark.parametrize(
    "text",
    [
        "key=sk_live_abcdefgh",
        "my_sk_test_abcdefgh",
        "Authorization: Bearer eyJhbGciOi.J9._-abc==",
        "authorization: bearer   abcdefghijkl",
        "Basic dXNlcjpwYXNzd29yZA==",
        "postgres://" + "causeway:hunter2hunter2@db:5432/causeway",
        "redis://" + ":hunter2hunter2@cache:6379/0",
    ],
)
def test_credentials_are_replaced(text: str) -> None:
    written = line(f"before {text} after")
    assert "[credential]" in written
    assert written.startswith("before ")
    assert written.endswith(" after")
    for part in ("hunter2", "eyJ", "dXNlcjpw", text[-20:].rpartition("@")[0] or text[-8:]):
        assert part not in written


def test_credentials_in_arguments_and_tracebacks_are_replaced() -> None:
    try:
        raise ValueError("sk_live_abcdefgh")
    except ValueError:
        written = line("failed with %s", "whsec_abcdefgh", exc_info=sys.exc_info())
    assert "abcdefgh" not in written
    assert "Traceback" in written


@pytest.mark.parametrize("text", ["sk_test", "the bearer of bad news", "https://shop.example/a@b", "task_1", "pk_2"])
def test_other_text_is_left_alone(text: str) -> None:
    assert line(text) == text


def test_a_record_cannot_pretend_to_be_two() -> None:
    written = line("path %s", "/x\r\n2026-01-01 00:00:00 INFO causeway paid\x1b[31m\u2028\x00")
    assert written == "path /x\\r\\n2026-01-01 00:00:00 INFO causeway paid\\x1b[31m\\u2028\\x00"


def test_a_record_names_its_task() -> None:
    request_id.begin_task("0e6b2f0a-8a3e-4a5e-9c57-0f5f4f3f2a11")
    try:
        assert line("swept") == "swept [task_0e6b2f0a8a3e4a5e9c570f5f4f3f2a11]"
        assert len(request_id.current_request_id()) <= 40  # noqa: PLR2004 - the history's column
    finally:
        request_id._current.set("")


def test_no_request_writes_its_key(
    account: NewMerchant, capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    key = account.test.secret_key
    with caplog.at_level(logging.DEBUG):
        ApiClient(key).post("/payment-intents", {"amount": 25})
        ApiClient(key).get(f"/payment-intents/{key}")
        ApiClient(key + "x").get("/payment-intents")
    assert key not in capsys.readouterr().err


def test_a_service_that_starts_up_logs_no_error(api: ApiClient, caplog: pytest.LogCaptureFixture) -> None:
    """Without a worker readiness answers 503; every other 5xx is still an error."""
    requests = logging.getLogger("django.request")
    assert is_no_readiness_answer in [getattr(one, "callback", None) for one in requests.filters]
    assert api.get("/api/public/health/ready").status == 503
    assert [record for record in caplog.records if record.name == "django.request"] == []
