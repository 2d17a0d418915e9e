"""Law: a record is one line, also in an outage, and no form of a secret stands in it."""

import logging
import string
import sys
from collections.abc import Callable
from datetime import timedelta

import psycopg
import pytest
import redis
from django.conf import settings
from django.db import OperationalError
from hypothesis import given
from hypothesis import strategies as st

from config.log_settings import log_settings, own_secrets
from core import repeats
from core.clock import is_set as clock_is_set
from core.clock import now, set_to
from core.logs import LONGEST_LINE, LineFormatter
from core.repeats import MOST_CAUSES, OncePerCause

_LETTERS = string.ascii_letters + string.digits


def _text(alphabet: str, least: int, most: int = 60) -> st.SearchStrategy[str]:
    return st.text(alphabet=alphabet, min_size=least, max_size=most)


SECRET_FORMS: dict[str, tuple[str, st.SearchStrategy[str]]] = {
    "secret key": ("sk_live_%s", _text(_LETTERS, 8)),
    "restricted key": ("rk_test_%s", _text(_LETTERS, 8)),
    "publishable key": ("pk_live_%s", _text(_LETTERS, 8)),
    "signing secret of a webhook": ("whsec_%s", _text(_LETTERS + "+/=-_", 8)),
    "invitation": ("/invitation/inv_%s/", _text(_LETTERS, 20)),
    "link that sets a password": ("https://pay.example/accounts/password/reset/key/%s/", _text(_LETTERS + "-", 8)),
    "link that opens an account": ("https://pay.example/signup/%s/", _text(_LETTERS + "-_:", 16)),
    "token": ("Authorization: Bearer %s", _text(_LETTERS + "._~+/-", 8)),
    "token in another case": ("authorization: bearer %s", _text(_LETTERS + "._~+/-", 8)),
    "password of a database": ("postgres://causeway:%s@db:5432/causeway", _text(_LETTERS + "/:+%!$&*?#", 8)),
    "password of Redis": ("redis://:%s@cache:6379/0", _text(_LETTERS + "/+", 8)),
    "key as the user of an address": ("https://%s@node.example/", _text(_LETTERS, 8)),
    "form field": ("grant_type=refresh_token&refresh_token=%s&client_id=x", _text(_LETTERS + "-._~", 8)),
}


def _line(message: str, *arguments: object, formatter: LineFormatter | None = None, **named: object) -> str:
    record = logging.makeLogRecord({"name": "causeway.test", "levelno": logging.INFO, "levelname": "INFO"})
    record.msg, record.args = message, arguments
    record.__dict__.update(named)
    return (formatter or LineFormatter()).format(record).partition(" INFO causeway.test ")[2]


def _raised(make: Callable[[], BaseException]) -> tuple[type[BaseException], BaseException, object]:
    try:
        raise make()
    except BaseException:
        found = sys.exc_info()
        assert found[0] is not None
        return found


@pytest.mark.parametrize("form", SECRET_FORMS)
@given(data=st.data())
def test_no_form_of_a_secret_stays_in_a_line(form: str, data: st.DataObject) -> None:
    """Not as the text, not as an argument, not in an error: and what stands around it does."""
    template, values = SECRET_FORMS[form]
    secret = data.draw(values)
    text = template.replace("%s", secret)
    around = _lines_about(template.replace("%s", "another0" * 3))
    for written, with_another in zip(_lines_about(text), around, strict=True):
        assert "[credential]" in written
        assert [part for part in _pieces(secret) if part in written and part not in with_another] == []
    assert _line("before %s after", text).startswith("before ")
    assert _line("before %s after", text).endswith(" after")


def _lines_about(text: str) -> tuple[str, str, str]:
    """It as the message, as an argument, and in an error."""
    error = _raised(lambda: ValueError(text))
    return _line(text), _line("it said %s here", text), _line("it broke", exc_info=error)


def _pieces(secret: str) -> list[str]:
    """Every eight characters of it."""
    return [secret[start : start + 8] for start in range(len(secret) - 7)]


@pytest.mark.parametrize(
    "url",
    [
        "https://mainnet.infura.io/v3/0123456789abcdef0123456789abcdef",
        "https://node.example/rpc?apikey=0123456789abcdef0123456789abcdef",
        "https://" + "user:0123456789abcdef0123456789abcdef@node.example/",
        "rediss://" + ":0123456789abcdef0123456789abcdef@cache:6379/0",
    ],
)
def test_this_services_own_secrets_are_replaced_wherever_they_stand(url: str) -> None:
    secrets = own_secrets(
        ["a key without any form", "short"], {"default": {"PASSWORD": "hunter2hunter2"}, "other": {"NAME": "x"}}, [url]
    )
    formatter = LineFormatter(secrets)
    for text in ("max retries exceeded with url: /v3/0123456789abcdef0123456789abcdef", f"asked {url}"):
        assert "0123456789abcdef" not in _line(text, formatter=formatter)
    said = _line("password hunter2hunter2 and a key without any form, short", formatter=formatter)
    assert said == "password [credential] and [credential], short"


def test_the_service_writes_its_log_so() -> None:
    """What the settings of this process say: no line may hold its own key, whoever writes it."""
    formatter = settings.LOGGING["formatters"]["line"]
    assert settings.SECRET_KEY in formatter["secrets"]
    assert settings.LOGGING["handlers"]["stderr"]["filters"] == ["played", "counted", "repeats"]
    assert log_settings("INFO", ["x" * 12], folds=True)["formatters"]["line"]["folds"] is True


def test_a_traceback_stands_in_the_same_line_and_an_endless_one_is_cut() -> None:
    error = _raised(lambda: ValueError("first\nsecond\r\n\u2028third"))
    folded = _line("it broke", exc_info=error)
    assert folded.startswith("it broke\\nTraceback (most recent call last):\\n")
    assert folded.endswith("ValueError: first\\nsecond\\r\\n\\u2028third")
    assert len(folded.splitlines()) == 1
    whole = _line("it broke", formatter=LineFormatter(folds=False), exc_info=error)
    assert whole.splitlines()[:2] == ["it broke", "Traceback (most recent call last):"]
    assert len(LineFormatter().format(logging.makeLogRecord({"msg": "x" * 100_000}))) == LONGEST_LINE


def _refused_by_postgresql() -> BaseException:
    """As Django reports it."""
    error = OperationalError("connection failed: refused")
    error.__cause__ = _raised(lambda: psycopg.OperationalError("connection failed: refused\n\tIs it running?"))[1]
    return error


@pytest.mark.parametrize(
    ("make", "written"),
    [
        (
            _refused_by_postgresql,
            "task: OperationalError: connection failed: refused\\n\\tIs it running?",
        ),
        (lambda: redis.ConnectionError("Error 111"), "task: ConnectionError: Error 111"),
        (lambda: ConnectionResetError("reset"), "task: ConnectionResetError: reset"),
        (lambda: TimeoutError("too late"), "task: TimeoutError: too late"),
    ],
)
def test_of_an_outage_the_line_says_what_is_away_and_not_where_it_was_noticed(
    make: Callable[[], BaseException], written: str
) -> None:
    assert _line("task", exc_info=_raised(make)) == written


@pytest.mark.parametrize(
    "make",
    [
        lambda: psycopg.errors.DeadlockDetected("deadlock detected"),
        lambda: psycopg.errors.LockNotAvailable("canceling statement due to lock timeout"),
        lambda: FileNotFoundError("no such file"),
    ],
)
def test_what_befell_one_statement_or_file_keeps_its_place(make: Callable[[], BaseException]) -> None:
    assert "Traceback" in _line("task", exc_info=_raised(make))


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    moment = [100.0]
    monkeypatch.setattr(repeats, "ticks", lambda: moment[0])
    return moment


def _record(
    error: BaseException | None = None, *, name: str = "causeway.payments", text: str = "x"
) -> logging.LogRecord:
    facts = {"name": name, "levelno": logging.ERROR, "msg": text}
    return logging.makeLogRecord(facts | ({"exc_info": _raised(lambda: error)} if error is not None else {}))


def test_one_line_a_second_for_one_cause_with_a_count(clock: list[float]) -> None:
    """Whoever reports it, and wherever it was noticed: parts that miss the database have one cause."""
    only = OncePerCause()
    written = [only.filter(_record(_refused_by_postgresql(), name=f"causeway.part{n}")) for n in range(300)]
    assert written == [True, *[False] * 299]
    clock[0] += 0.99
    assert not only.filter(_record(_refused_by_postgresql()))
    clock[0] += 0.01
    later = _record(_refused_by_postgresql())
    assert only.filter(later)
    try:  # noticed somewhere else
        raise psycopg.OperationalError("connection failed: refused")
    except psycopg.OperationalError:
        elsewhere = logging.makeLogRecord({"name": "causeway.refunds", "exc_info": sys.exc_info()})
    assert not only.filter(elsewhere)
    assert _line("task", left_out=later.__dict__["left_out"]) == "task (and 300 more since the last such line)"
    assert only.take_left_out() == 1


def test_another_cause_is_written_at_once_and_what_we_say_of_money_always(clock: list[float]) -> None:
    only = OncePerCause()
    assert only.filter(_record(_refused_by_postgresql()))
    assert only.filter(_record(redis.ConnectionError("away")))
    assert [only.filter(_record(text="funds_owed: 5 USD")) for _ in range(5)] == [True] * 5
    assert [only.filter(_record(name="django.request", text="%s: %s")) for _ in range(5)] == [True, *[False] * 4]
    assert only.filter(_record(name="django.request", text="another"))
    assert (only.take_left_out(), only.take_left_out()) == (4, 0)


def test_faults_are_told_apart_by_the_place_where_they_were_raised(clock: list[float]) -> None:
    only = OncePerCause()
    here, there = (_raised(lambda: KeyError("a")), _raised(lambda: KeyError("a")))
    records = [logging.makeLogRecord({"name": "causeway.x", "exc_info": error}) for error in (here, there, here)]
    assert [only.filter(record) for record in records] == [True, False, False]  # raised in one line, above
    try:
        raise KeyError("a")
    except KeyError:
        elsewhere = logging.makeLogRecord({"name": "causeway.x", "exc_info": sys.exc_info()})
    assert only.filter(elsewhere)


def test_no_number_of_causes_fills_the_memory(clock: list[float]) -> None:
    only = OncePerCause()
    for number in range(MOST_CAUSES + 50):
        assert only.filter(_record(name=f"library{number}"))
    assert not only.filter(_record(name=f"library{MOST_CAUSES + 49}"))
    assert only.filter(_record(name="library0"))


def test_nobody_is_called_to_what_was_only_played() -> None:
    record = logging.LogRecord("causeway.payments", logging.ERROR, "", 0, "credit_reversed: it is gone", (), None)
    played = settings.LOGGING["filters"]["played"]["callback"]
    with set_to(now() - timedelta(days=1)):
        assert (played(record), clock_is_set()) == (False, True)
    assert (played(record), clock_is_set()) == (True, False)
