"""``manage.py migrate`` on PostgreSQL while the service goes on: short tries, no limit of statements, words."""

import io
import os
import signal
from collections.abc import Iterator
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection, transaction
from django.db.migrations.recorder import MigrationRecorder
from django.db.models.signals import pre_migrate
from django.test import override_settings

from core.migrating import in_short_tries
from merchants.models import Merchant
from payments.models import PaymentIntent
from tests.factories.refunds import paid_intent
from tests.races.reading import Pauses, reading

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]

BEFORE, HELD, NEWEST = "0014_routes_by_age", "0015_queued_intents", "0018_one_index_of_merchants"
TABLE = "payments_paymentintent"
AGAIN = "What was applied stays. Run migrate again; programs of before go on meanwhile. See docs/upgrade.md."


def migrate(*to: str) -> str:
    """To this migration of payments, or to the newest; what was printed."""
    printed = io.StringIO()
    call_command("migrate", "payments", *to, verbosity=1, stdout=printed, no_color=True)
    return printed.getvalue()


def applied() -> list[str]:
    """Which of the one that is held up and the newest are applied."""
    known = MigrationRecorder(connection).applied_migrations()
    return [name for name in (HELD, NEWEST) if ("payments", name) in known]


def limits() -> list[str]:
    with connection.cursor() as cursor:
        found = []
        for name in ("lock_timeout", "statement_timeout"):
            cursor.execute(f"SHOW {name}")
            found.append(cursor.fetchone()[0])
        return found


@pytest.fixture
def _before(merchant: Merchant) -> Iterator[None]:
    """Tables of a release before, with a payment in them; however the test ends, the next one's are those of now."""
    paid_intent(merchant, status="executing")
    migrate(BEFORE)
    yield
    call_command("migrate", verbosity=0)  # what stands on payments went with them


@pytest.fixture
def told() -> Iterator[list[Any]]:
    """What a receiver of ``pre_migrate`` notes; the first entry, if it can be called, is called by it."""
    noted: list[Any] = []

    def look(**_: Any) -> None:
        if noted and callable(noted[0]):
            noted.pop(0)()
        noted.append(limits())

    pre_migrate.connect(look)
    yield noted
    pre_migrate.disconnect(look)


@pytest.mark.usefixtures("_before")
def test_it_waits_for_a_reader_in_short_tries_and_nobody_stands_behind_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def others() -> None:
        """Behind a change that waits without an end they would wait with it."""
        PaymentIntent.objects.filter(status="executing").update(status="executing")

    with reading(TABLE) as ends:
        pauses = Pauses(3, ends, others).planted(monkeypatch)
        printed = migrate()
    assert (pauses.seconds, applied()) == ([2, 2, 2], [HELD, NEWEST])
    lines = [line for line in printed.splitlines() if line.startswith("A table is in use.")]
    assert [line[-13:] for line in lines] == [f"Try {number} of 150." for number in (1, 2, 3)]
    assert all("The longest open transaction is " in line for line in lines)
    assert limits() == ["2s", "30s"], "those of requests"


@pytest.mark.usefixtures("_before")
def test_it_gives_up_in_one_sentence_and_goes_on_where_it_stood(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.migrating.in_short_tries.__kwdefaults__", {"tries": 2, "say": print})
    with reading(TABLE) as ends:
        Pauses(0, ends).planted(monkeypatch)
        with pytest.raises(CommandError) as refusal:
            migrate()
    assert str(refusal.value).startswith("A table was in use in each of 2 tries. The longest open transaction is ")
    assert str(refusal.value).endswith(AGAIN)
    assert applied() == []
    migrate()
    assert applied() == [HELD, NEWEST]


def test_a_statement_may_take_as_long_as_it_takes_and_a_lock_may_not(told: list[Any]) -> None:
    migrate()
    assert set(map(tuple, told)) == {("250ms", "0")}
    assert limits() == ["2s", "30s"]


def test_each_tenth_try_waits_until_postgresqls_own_vacuum_gives_way(monkeypatch: pytest.MonkeyPatch) -> None:
    Pauses(0, lambda: None).planted(monkeypatch)
    waited = []

    def change() -> None:
        waited.append(limits()[0])
        if len(waited) < 11:
            with reading(TABLE), transaction.atomic(), connection.cursor() as cursor:
                cursor.execute("SET LOCAL lock_timeout = 1")
                cursor.execute(f"LOCK TABLE {TABLE}")

    try:
        in_short_tries(connection, change)
    finally:
        connection.close()
    assert waited == [*["250ms"] * 9, "1500ms", "250ms"]


def test_two_at_once_are_refused_and_so_is_one_through_a_pool() -> None:
    other: Any = connection.copy()
    with other.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_lock(hashtextextended('migrate', 0))")
    try:
        with pytest.raises(CommandError, match=r"^Another migrate is at work on this database\. Wait for its end\.$"):
            migrate()
    finally:
        other.close()
    with override_settings(DATABASE_POOLED=True), pytest.raises(CommandError, match="^migrate goes past the pool: "):
        migrate()
    migrate()


def test_who_is_ended_says_what_to_do_and_leaves_the_signal_as_it_was(told: list[Any]) -> None:
    before = signal.getsignal(signal.SIGTERM)
    told.append(lambda: os.kill(os.getpid(), signal.SIGTERM))
    with pytest.raises(CommandError) as refusal:
        migrate()
    assert str(refusal.value) == f"Interrupted. {AGAIN}"
    assert signal.getsignal(signal.SIGTERM) is before
    assert limits() == ["2s", "30s"]
