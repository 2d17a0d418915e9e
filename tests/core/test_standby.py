"""What may be a second old is read from a standby, and from the primary where that one is late, lost or not enough.

A PostgreSQL of its own follows the suite's, as in production.
"""

import re
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import psycopg
import pytest
from django.conf import settings as given
from django.db import Error, connection, connections, router, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext

from config.environment import standby_options
from core import standby as module
from core.asking import any_of_each, count_each
from core.clock import now
from core.models import Heartbeat
from core.replica import REPLICA, ReadsAsChosen, chosen_database, reading_from
from core.standby import LOOK_STANDS_SECONDS, LOST_SECONDS, OWN_WRITES_COOKIE, standby
from dashboard.urls import PAGES
from merchants.models import Merchant, User
from merchants.services import NewMerchant
from operations.readiness import STANDBY_MAY_BE_AWAY_SECONDS
from payments.models import PaymentIntent
from scripts.service_process import HOST
from tests.conftest import ApiClient
from tests.core.replication import running_standby
from tests.machine import PATIENCE_SECONDS, own_port, wait_until
from tests.merchants.people import OWNER, PASSWORD, add_second_factor, proven, send_form, sign_in, text_of
from tests.operations.test_health import READY, all_alive

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True, databases=["default", REPLICA])]
LIST, HOME = "/dashboard/test/payments/", "/dashboard/test/"
BEHIND = [page for page in PAGES if page.may_be_behind]
ASKED_WITH = {"search/": "?q=A-7", "books/asset/": "?chain=base&token=0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"}
"""What a page shows nothing without."""
Asked = Callable[[Client, str], tuple[Any, list[str]]]


@pytest.fixture(scope="module")
def follower() -> Iterator[int]:
    """The port of a server that follows the suite's own."""
    with running_standby(given.DATABASE_URL) as port:
        yield port


@pytest.fixture(autouse=True, scope="module")
def _named(django_db_setup: None, follower: int) -> Iterator[None]:
    """As the settings name it, before a test asks for databases."""
    named = {"ENGINE": "core.postgresql.standby", "HOST": HOST, "PORT": str(follower)}
    patient = {"connect_timeout": PATIENCE_SECONDS, "tcp_user_timeout": PATIENCE_SECONDS * 1000}
    more = {"OPTIONS": standby_options(pooled=False) | patient, "TEST": {"MIRROR": "default"}}
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(connections.settings, REPLICA, {**connection.settings_dict, **named, **more})
        yield
        connections[REPLICA].close()
        del connections[REPLICA]


@pytest.fixture
def ticking(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The seconds that this process counts; they pass when a test says so."""
    passed = [1000.0]
    monkeypatch.setattr("core.clock.monotonic", lambda: passed[0])
    return passed


@pytest.fixture
def there(follower: int, ticking: list[float], monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """The connection to the standby, of which nothing is known yet."""
    monkeypatch.setattr(router, "routers", [ReadsAsChosen()])
    monkeypatch.setattr(module, "LOOK_SECONDS", float(PATIENCE_SECONDS))
    standby.forget()
    yield connections[REPLICA]
    connections[REPLICA].close()
    connections[REPLICA].settings_dict.update(HOST=HOST, PORT=str(follower))
    standby.forget()


@pytest.fixture
def paused(there: Any, follower: int) -> Iterator[None]:
    """The standby hears of what is written, and does not follow."""
    server = psycopg.conninfo.make_conninfo(given.DATABASE_URL, host=HOST, port=follower, dbname="postgres")
    with psycopg.connect(server, autocommit=True) as asked:
        follow()
        asked.execute("SELECT pg_wal_replay_pause()")
        state = "SELECT pg_get_wal_replay_pause_state()"
        wait_until(lambda: asked.execute(state).fetchone() == ("paused",), "the standby to pause")
        yield
        asked.execute("SELECT pg_wal_replay_resume()")


def follow() -> None:
    """Until the standby holds all that was written."""
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET LOCAL synchronous_commit = on")  # so that nothing written before waits for the disk
        cursor.execute("SELECT pg_logical_emit_message(true, '', '')")
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_current_wal_lsn()::text")
        [position] = cursor.fetchone()

    def holds_all() -> bool:
        with connections[REPLICA].cursor() as cursor:
            cursor.execute("SELECT pg_last_wal_replay_lsn() >= %s::pg_lsn", [position])
            standby.forget()
            return cursor.fetchone() == (True,) and standby.may_be_asked()

    wait_until(holds_all, "the standby to follow")


def asked(client: Client, path: str) -> tuple[Any, list[str]]:
    """What a page shows, and the questions for it that the standby got."""
    questions: list[str] = []

    def note(execute: Callable[..., Any], sql: str, *rest: Any) -> Any:
        questions.extend([] if sql == module._HOLDS else [sql])
        return execute(sql, *rest)

    with connections[REPLICA].execute_wrapper(note):
        answer: Any = client.get(path)
        if answer.streaming:
            answer.shown = b"".join(answer.streaming_content)
            answer.close()
    return answer, questions


def shown(answer: Any) -> str:
    """What the answer says, without what differs each time."""
    if answer.streaming:
        return str(answer.shown.decode())
    return re.sub(r'name="csrfmiddlewaretoken" value="\w+"', "", text_of(answer))


@pytest.fixture
def owner(account: NewMerchant) -> Client:
    return proven(OWNER)


@pytest.fixture
def payment(api: ApiClient) -> str:
    body = {"amount": 25, "settlement_chain": "base", "settlement_token": "USDC", "reference": "A-7"}
    made = api.post("/payment-intents", {**body, "settlement_address": "0x7e57000000000000000000000000000000000001"})
    assert made.status == 201
    return str(made.body["id"])


@pytest.mark.usefixtures("there")
def test_a_list_is_read_from_the_standby_and_who_looks_from_the_primary(owner: Client, payment: str) -> None:
    follow()
    answer, questions = asked(owner, LIST)
    assert (answer.status_code, payment in answer.content.decode()) == (200, True)
    tables = [name for name in ("payments_paymentintent", "session", "membership", "_user") if name in str(questions)]
    assert tables == ["payments_paymentintent"]


@pytest.mark.usefixtures("world", "there", "payment")
@pytest.mark.parametrize("path", [HOME, *(f"/dashboard/test/{page.path}" for page in BEHIND)])
def test_every_such_page_shows_from_there_what_the_primary_shows(owner: Client, path: str) -> None:
    sought = path + ASKED_WITH.get(path.removeprefix("/dashboard/test/"), "")
    follow()
    answer, questions = asked(owner, sought)
    assert questions
    owner.cookies[OWN_WRITES_COOKIE] = "1"
    same, none = asked(owner, sought)
    assert none == []
    assert (answer.status_code, shown(answer)) == (same.status_code, shown(same))


def test_pages_of_one_row_forms_and_changes_are_never_behind() -> None:
    """They are where somebody is led to who just changed something, and where it is decided about money."""
    assert [page.name for page in BEHIND if "<" in page.path] == []
    assert {page.name for page in BEHIND} == {
        *("payments", "export_payments", "refunds", "export_refunds", "payouts", "export_payouts", "search"),
        *("books", "book", "export_books"),
        *("requests", "events", "agent_log", "export_agent_log", "audit", "export_audit"),
    }


@pytest.mark.usefixtures("there")
def test_a_file_is_made_by_another_thread(owner: Client, payment: str) -> None:
    """As the web server does; a connection belongs to the thread that opened it."""
    follow()
    answer: Any = owner.get(f"{LIST}export/")

    def made() -> bytes:
        try:
            return b"".join(answer.streaming_content)
        finally:
            connections.close_all()

    with ThreadPoolExecutor(1) as elsewhere:
        assert payment in elsewhere.submit(made).result().decode()
    assert standby.may_be_asked() is True


@pytest.mark.usefixtures("there", "payment")
def test_whoever_takes_the_lines_of_a_file_reads_elsewhere(owner: Client) -> None:
    follow()
    answer: Any = owner.get(f"{LIST}export/")
    assert [chosen_database() for _ in answer.streaming_content] == ["default", "default"]


@pytest.mark.usefixtures("there")
def test_operators_lists_are_read_from_there(account: NewMerchant) -> None:
    User.objects.create_superuser("root@service.example", PASSWORD)
    add_second_factor("root@service.example")
    root = sign_in("root@service.example")
    follow()
    answer, questions = asked(root, "/admin/merchants/merchant/")
    assert (answer.status_code, account.merchant.name in text_of(answer)) == (200, True)
    tables = [name for name in ("merchants_merchant", "session", "permission") if name in str(questions)]
    assert tables == ["merchants_merchant"]


@pytest.mark.usefixtures("there", "payment")
def test_nothing_is_written_or_locked_there(account: NewMerchant) -> None:
    follow()
    with reading_from(REPLICA):
        merchant = Merchant.objects.get(pk=account.merchant.pk)
        assert merchant._state.db == REPLICA
        merchant.name = "Renamed"
        merchant.save()
        assert (count_each([PaymentIntent.objects.all()]), any_of_each([PaymentIntent.objects.all()])) == ([1], [True])
    assert Merchant.objects.using("default").get(pk=merchant.pk).name == "Renamed"
    for act in (
        lambda: Merchant.objects.using(REPLICA).update(name="Written there"),
        lambda: list(Merchant.objects.using(REPLICA).select_for_update()),
        lambda: Heartbeat.objects.using(REPLICA).create(name="planted", at=now()),
    ):
        with pytest.raises(Error, match="read-only transaction"), transaction.atomic(using=REPLICA):
            act()


def test_a_primary_that_is_named_for_a_standby_is_not_written_either(there: Any, account: NewMerchant) -> None:
    there.settings_dict.update(HOST=connection.settings_dict["HOST"], PORT=connection.settings_dict["PORT"])
    with pytest.raises(Error, match="read-only transaction"):
        Merchant.objects.using(REPLICA).update(name="Written")
    assert standby.may_be_asked() is False


@pytest.mark.usefixtures("paused")
def test_one_that_is_behind_is_not_asked(owner: Client, api: ApiClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAY_BE_BEHIND", timedelta(0))
    made = api.post("/payment-intents", {"amount": 25})
    standby.forget()
    answer, questions = asked(owner, LIST)
    assert (answer.status_code, made.body["id"] in answer.content.decode(), questions) == (200, True, [])


@pytest.mark.usefixtures("paused")
def test_one_that_lacks_only_what_is_newer_than_a_second_is_asked(api: ApiClient, monkeypatch: Any) -> None:
    monkeypatch.setattr(module, "MAY_BE_BEHIND", timedelta(hours=1))
    api.post("/payment-intents", {"amount": 25})
    standby.forget()
    assert standby.may_be_asked() is True


def test_a_look_stands_for_a_second(there: Any, ticking: list[float]) -> None:
    follow()
    with CaptureQueriesContext(there) as looks:
        assert [standby.may_be_asked() for _ in range(5)] == [True] * 5
        assert len(looks) == 0
        ticking[0] += LOOK_STANDS_SECONDS
        assert [standby.may_be_asked() for _ in range(5)] == [True] * 5
        assert len(looks) == 1


def test_while_somebody_looks_others_do_not_wait(there: Any, ticking: list[float]) -> None:
    """One that hangs would hold them all."""
    follow()
    ticking[0] += LOOK_STANDS_SECONDS
    with standby._looks, CaptureQueriesContext(there) as looks:
        assert standby.may_be_asked() is True
        ticking[0] += LOOK_STANDS_SECONDS
        assert standby.may_be_asked() is False
    assert len(looks) == 0


@pytest.mark.parametrize("path", [LIST, HOME, f"{LIST}export/", "/dashboard/test/audit/export/"])
def test_where_it_is_lost_the_page_comes_from_the_primary(
    there: Any, owner: Client, payment: str, path: str, ticking: list[float]
) -> None:
    follow()
    there.close()
    there.settings_dict["PORT"] = str(own_port())
    answer, questions = asked(owner, path)
    assert (answer.status_code, questions) == (200, [])
    assert "audit" in path or payment in (answer.shown if answer.streaming else answer.content).decode()
    ticking[0] += LOOK_STANDS_SECONDS
    with CaptureQueriesContext(connection) as looks:
        assert standby.may_be_asked() is False
    assert len(looks) == 0
    ticking[0] += LOST_SECONDS
    with CaptureQueriesContext(connection) as looks:
        assert standby.may_be_asked() is False
    assert len(looks) == 1


def test_one_that_does_not_answer_is_given_up(there: Any) -> None:
    with there.cursor() as cursor:
        cursor.execute("SELECT 1")
    with pytest.raises(Error), there.answering_within(0.01), there.cursor() as cursor:
        cursor.execute("SELECT pg_sleep(600)")
    assert there.connection.closed


@pytest.mark.usefixtures("there")
def test_whoever_changed_something_reads_where_it_was_written(owner: Client) -> None:
    follow()
    assert asked(owner, LIST)[1]
    sent = send_form(owner, "/dashboard/test/settings/name/", name="Another name")
    mark = sent.cookies[OWN_WRITES_COOKIE]
    assert (sent.status_code, mark.value, mark["max-age"], mark["httponly"]) == (302, "1", 5, True)
    assert asked(owner, LIST)[1] == []
    del owner.cookies[OWN_WRITES_COOKIE]
    assert asked(owner, LIST)[1]


def test_readiness_names_one_that_cannot_be_read_from(there: Any, anonymous: ApiClient, ticking: list[float]) -> None:
    follow()
    all_alive()
    reply = anonymous.get(READY)
    assert reply.body["checks"]["standby"] == {"status": "ok", "age_seconds": 0, "detail": "It is read from."}
    assert reply.status == 200
    there.close()
    there.settings_dict["PORT"] = str(own_port())
    lost = {"detail": "It is lost or behind; the primary is read."}
    for passed, status in ((STANDBY_MAY_BE_AWAY_SECONDS, "ok"), (1, "unavailable")):
        ticking[0] += passed
        reply = anonymous.get(READY)
        age = int(ticking[0]) - 1000
        assert reply.body["checks"]["standby"] == {"status": status, "age_seconds": age, **lost}
    assert reply.status == 503


def test_without_one_nothing_is_asked_and_nothing_marked(
    owner: Client, anonymous: ApiClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(connections.settings, REPLICA)
    with CaptureQueriesContext(connection) as looks:
        assert standby.may_be_asked() is False
    assert len(looks) == 0
    sent = send_form(owner, "/dashboard/test/settings/name/", name="Another name")
    assert (sent.status_code, OWN_WRITES_COOKIE in sent.cookies) == (302, False)
    assert "standby" not in anonymous.get(READY).body["checks"]
