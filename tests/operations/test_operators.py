"""The operators' admin: who gets in, that it only shows, what it costs, and that others' texts stay texts."""

import re
import uuid
from datetime import timedelta
from typing import Any

import pytest
from django.contrib import admin
from django.contrib.admin.models import LogEntry
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from chains.models import ChainReader, GasAccount, NetworkProfile, SigningAccount, Transfer, TransferAttempt
from core.clock import now
from core.models import Heartbeat, InvariantCheck
from merchants.models import Merchant, User
from merchants.services import NewMerchant
from operations.invariants import hourly, schedule
from operations.invariants.schedule import GIVEN_UP_AFTER, last_check, request_check, run_due_check
from operations.screens import rows
from operations.screens.rows import ReadOnlyAdmin
from operations.screens.tables import TABLES
from payments.models import Credit
from tests.authorization.routes import served_routes
from tests.factories.money_out import account as signing_account
from tests.factories.money_out import paid_payout
from tests.factories.queue import queue
from tests.factories.refunds import paid_intent
from tests.merchants.people import PASSWORD, add_second_factor, send_form, sign_in, sign_in_by_page, text_of
from tests.payments.world import World
from webhooks.models import WebhookEndpoint

pytestmark = pytest.mark.django_db
ROOT = "root@service.example"
HOSTILE = '"><script>alert(1)</script>\u202e\u200b{{ 7|add:7 }}<img src=x onerror=alert(1)>'
INLINE = re.compile(r"<[^>]*\s(?:on\w+|style)\s*=|<script(?![^>]*\ssrc=)[^>]*>\s*\S", re.IGNORECASE)
PARAMETER = re.compile(r"<(?:\w+:)?\w+>")
PAGES = sorted({route.path for route in served_routes() if route.path.startswith("/admin/")})
MOST_QUERIES = 15


def addressed(path: str, pk: object = 1) -> str:
    """A path of the map with something in place of its parameters."""
    plain = re.sub(r"\(\?P<\w+>[^)]*\)|[\^$]", "chains", path)
    return PARAMETER.sub(str(pk), plain)


@pytest.fixture
def root() -> Client:
    User.objects.create_superuser(ROOT, PASSWORD)
    add_second_factor(ROOT)
    return sign_in(ROOT)


@pytest.fixture
def full(account: NewMerchant) -> dict[str, Any]:
    """A row of every table, with hostile texts where others write."""
    Merchant.objects.filter(pk=account.merchant.pk).update(name=HOSTILE)
    User.objects.filter(pk=account.owner.pk).update(name=HOSTILE[:120])
    intent = paid_intent(account.merchant, mode="test")
    payout = paid_payout(intent)
    endpoint = WebhookEndpoint.objects.create(
        merchant=account.merchant, mode="test", url=f"https://shop.example/{HOSTILE}", events=["*"], failing_since=now()
    )
    gas = GasAccount.objects.create(network="simulated", chain="base", address=HOSTILE[:40], backend="secret")
    return {
        "merchants/merchant": account.merchant.pk,
        "merchants/user": account.owner.pk,
        "chains/signingaccount": signing_account(payout, paused_at=now(), paused_reason=HOSTILE[:40]).pk,
        "chains/gasaccount": gas.pk,
        "chains/transfer": Transfer.objects.get(purpose="payout").pk,
        "chains/transferattempt": TransferAttempt.objects.get().pk,
        "webhooks/webhookendpoint": endpoint.pk,
        "chains/chainreader": ChainReader.objects.create(network="simulated", chain="base", lane="logs", width=500).pk,
        "chains/networkprofile": NetworkProfile.objects.get_or_create(profile="simulated")[0].pk,
    }


def test_every_table_has_a_row_here_and_shows_no_key_and_no_secret(full: dict[str, Any]) -> None:
    assert set(full) == {f"{model._meta.app_label}/{model._meta.model_name}" for model, _ in TABLES}
    assert {model: type(shown) for model, shown in admin.site._registry.items()} == dict(TABLES)
    assert {"/admin/", "/admin/jsi18n/", "/admin/autocomplete/", "/admin/queues/", "/admin/invariants/"} <= set(PAGES)
    assert any(path.endswith("/history/") for path in PAGES)
    shown = {name for _, table in TABLES for name in (*table.fields, *table.list_display)}  # type: ignore[misc]  # the stubs allow None and callables
    assert shown & {"password", "raw", "key_reference", "ciphertext", "offer"} == set()
    assert SigningAccount.objects.exists()


def test_no_page_opens_without_a_second_factor() -> None:
    User.objects.create_superuser(ROOT, PASSWORD)
    for method in ("GET", "POST"):
        client = sign_in_by_page(ROOT)
        assert client.get("/admin/", follow=True).redirect_chain[-1] == ("/accounts/2fa/", 302)
        client.handler.enforce_csrf_checks = False
        for path in PAGES:
            answer = client.generic(method, addressed(path))
            assert answer.status_code in {302, 404}, path
            if answer.status_code == 302:
                where = answer.headers["Location"].partition("?")[0]
                assert where in {"/admin/login/", "/accounts/2fa/", "/admin/"} or "logout" in path, (path, where)
    assert InvariantCheck.objects.count() == 0


def test_every_page_opens_to_an_operator_and_says_texts_as_texts(root: Client, full: dict[str, Any]) -> None:
    for place, pk in full.items():
        for path in (f"/admin/{place}/", f"/admin/{place}/{pk}/change/", f"/admin/{place}/{pk}/history/"):
            with CaptureQueriesContext(connection) as captured:
                answer = root.get(path)
            page = text_of(answer)
            assert answer.status_code == 200, path
            assert len(captured.captured_queries) <= MOST_QUERIES, path
            assert page.count("<h1>") == 1, path
            assert INLINE.findall(page) == [], path
            assert "<script>alert" not in page, path
            assert "<img src=x" not in page, path
            assert "'unsafe" not in answer.headers["Content-Security-Policy"], path
    for path in ("/admin/", "/admin/queues/", "/admin/invariants/", "/admin/merchants/", "/admin/chains/"):
        answer = root.get(path)
        assert (answer.status_code, INLINE.findall(text_of(answer))) == (200, []), path


def test_nothing_can_be_added_changed_or_deleted(root: Client, full: dict[str, Any]) -> None:
    root.handler.enforce_csrf_checks = False
    before = {model: list(model._default_manager.order_by("pk").values()) for model, _ in TABLES}
    for place, pk in full.items():
        assert root.get(f"/admin/{place}/add/").status_code == 403, place
        assert root.post(f"/admin/{place}/add/", {"name": "x"}).status_code == 403, place
        assert root.post(f"/admin/{place}/{pk}/delete/", {"post": "yes"}).status_code == 403, place
        if place != "merchants/user":
            assert root.post(f"/admin/{place}/{pk}/change/", {"name": "x", "status": "new"}).status_code == 403, place
        chosen = {"action": "delete_selected", "_selected_action": str(pk), "post": "yes"}
        assert root.post(f"/admin/{place}/", chosen).status_code in {200, 302, 403}, place
    assert {model: list(model._default_manager.order_by("pk").values()) for model, _ in TABLES} == before
    assert all(issubclass(shown, ReadOnlyAdmin) for _, shown in TABLES)


def _form_of(**fields: str) -> dict[str, str]:
    rows_below = {"TOTAL_FORMS": "0", "INITIAL_FORMS": "0", "MIN_NUM_FORMS": "0", "MAX_NUM_FORMS": "0"}
    return {f"memberships-{name}": value for name, value in rows_below.items()} | fields | {"_save": ""}


def test_a_person_is_shut_out_and_nothing_else_of_them_changes(root: Client, account: NewMerchant) -> None:
    theirs = sign_in(account.owner.email)
    assert theirs.get("/dashboard/test/").status_code == 200
    path = f"/admin/merchants/user/{account.owner.pk}/change/"
    before: dict[str, Any] = dict(User.objects.values().get(pk=account.owner.pk))
    forged = {"email": "thief@example.com", "password": "x", "is_staff": "on", "is_superuser": "on", "name": "x"}
    answer = send_form(root, path, **_form_of(**forged))
    assert answer.status_code == 302, text_of(answer)
    after: dict[str, Any] = dict(User.objects.values().get(pk=account.owner.pk))
    assert {name for name in before if before[name] != after[name]} == {"is_active"}
    assert theirs.get("/dashboard/test/").status_code == 302
    entry = LogEntry.objects.get()
    assert (entry.user.email, entry.object_id) == (ROOT, str(account.owner.pk))
    assert "may sign in" in text_of(root.get(f"/admin/merchants/user/{account.owner.pk}/history/")).lower()
    send_form(root, path, **_form_of(is_active="on"))
    assert User.objects.get(pk=account.owner.pk).is_active


def test_nobody_shuts_themselves_out_and_a_password_is_changed_on_everybodys_page(root: Client) -> None:
    root.handler.enforce_csrf_checks = False
    me = User.objects.get(email=ROOT)
    path, elsewhere = f"/admin/merchants/user/{me.pk}/change/", "/accounts/password/change/"
    assert root.post(path, _form_of()).status_code == 403
    assert User.objects.get(pk=me.pk).is_active
    page = text_of(root.get(path)).lower()
    assert "password" not in page.replace(elsewhere, "").replace(">password<", "")
    answer = root.get("/admin/password_change/")
    assert (answer.status_code, answer.headers["Location"]) == (302, elsewhere)


def test_rows_are_found_by_id_and_hash(root: Client, full: dict[str, Any]) -> None:
    transfer = Transfer.objects.get(purpose="payout")
    for text in (str(transfer.pk), str(transfer.purpose_id), transfer.tx_hash):
        assert str(transfer.pk) in text_of(root.get("/admin/chains/transfer/", {"q": text}))
    for text in ("nothing", str(uuid.uuid4()), "%", "9" * 40, HOSTILE):
        answer = root.get("/admin/chains/transfer/", {"q": text})
        assert answer.status_code == 200
        assert str(transfer.pk) not in text_of(answer)
    assert "Null characters" in text_of(root.get("/admin/chains/transfer/", {"q": "\0"}))
    assert str(full["merchants/merchant"]) in text_of(root.get("/admin/merchants/merchant/", {"q": HOSTILE}))


def test_a_list_counts_no_further_than_it_is_leafed_through(root: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rows, "MOST_ROWS", 3)
    monkeypatch.setattr(ReadOnlyAdmin, "list_per_page", 2)
    for number in range(5):
        ChainReader.objects.create(network="simulated", chain=f"c{number}", lane="logs", width=500)
    with CaptureQueriesContext(connection) as captured:
        page = text_of(root.get("/admin/chains/chainreader/"))
    asked = [query["sql"] for query in captured.captured_queries if "chainreader" in query["sql"]]
    assert [sql for sql in asked if "COUNT(" in sql] == []
    assert all("LIMIT" in sql for sql in asked)
    assert page.count("<tr>") == 1 + 2


def test_the_age_of_every_queue_is_shown(root: Client, account: NewMerchant, world: World) -> None:
    intent = paid_intent(account.merchant, mode="test")
    queue(now() - timedelta(seconds=90), pk=intent.pk)
    page = text_of(root.get("/admin/queues/"))
    for name in ("intents", "refunds", "payouts", "deliveries"):
        assert f'data-label="Queue">{name}</td>' in page
    assert '>Late</span></td><td data-label="Oldest, seconds" class="num">90</td>' in page
    assert "Silent" in page
    Heartbeat.objects.update_or_create(name="money", defaults={"at": now()})
    assert "At work" in text_of(root.get("/admin/queues/"))


def test_invariants_are_checked_hourly_when_wished_for_and_soon_after_something_was_found(
    world: World, account: NewMerchant
) -> None:
    """By one worker at a time."""
    first = run_due_check()
    assert first is not None
    assert (first.violations, first.finished_at) == ([], now())
    assert run_due_check() is None
    world.wait(3600)
    assert run_due_check() is not None
    wished = request_check()
    assert request_check() == wished
    assert run_due_check() == wished == last_check()
    assert InvariantCheck.objects.count() == 3
    InvariantCheck.objects.create(asked_at=now(), started_at=now())
    request_check()
    assert run_due_check() is None
    world.wait(GIVEN_UP_AFTER.total_seconds())
    paid_intent(account.merchant, mode="test")  # of whose steps no line tells
    found = run_due_check()
    assert found is not None
    assert found.violations != []
    world.wait(599)
    assert run_due_check() is None
    world.wait(1)
    assert run_due_check() is not None


def test_a_check_says_in_the_log_what_it_found(
    world: World, account: NewMerchant, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO", logger="causeway.invariants")
    first = run_due_check()
    assert first is not None
    assert [(line.levelname, line.getMessage()) for line in caplog.records] == [
        ("INFO", f"invariants_hold check={first.pk}")
    ]
    caplog.clear()
    intent = paid_intent(account.merchant, mode="test")
    Credit.objects.filter(intent=intent).update(base_units=1)
    request_check()
    second = run_due_check()
    assert second is not None
    lines = [f"invariant_broken check={second.pk} {sentence}" for sentence in second.violations]
    assert f"invariant_broken check={second.pk} I14 intent {intent.pk} is settled with 1 of 25000000" in lines
    assert [(line.levelname, line.getMessage()) for line in caplog.records] == [("ERROR", line) for line in lines]


def test_no_more_lines_are_written_than_somebody_reads(
    world: World, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hourly, "violations_by_now", lambda: [f"I0 {number:03} {'x' * 900}" for number in range(1000)])
    check = run_due_check()
    assert check is not None
    said = [line.getMessage() for line in caplog.records if line.name == "causeway.invariants"]
    assert len(said) == schedule.MOST_LINES + 1
    assert said[0] == f"invariant_broken check={check.pk} I0 000 {'x' * (schedule.LONGEST_LINE - 7)}"
    assert said[-1] == f"invariant_broken check={check.pk} and 150 more, at least"
    assert (len(check.violations), check.is_cut) == (200, True)


def test_what_cannot_be_true_is_shown_and_only_a_post_wishes_for_a_check(root: Client, account: NewMerchant) -> None:
    assert "Nothing was checked yet" in text_of(root.get("/admin/invariants/"))
    assert root.post("/admin/invariants/").status_code == 403  # no token
    assert InvariantCheck.objects.count() == 0
    intent = paid_intent(account.merchant, mode="test")
    Credit.objects.filter(intent=intent).update(base_units=1)
    answer = send_form(root, "/admin/invariants/")
    assert (answer.status_code, answer.headers["Location"]) == (302, "/admin/invariants/")
    assert "Waits for a worker" in text_of(root.get("/admin/invariants/"))
    check = run_due_check()
    assert check is not None
    assert str(intent.pk) in text_of(root.get("/admin/invariants/"))
    assert f"{len(check.violations)} violations" in text_of(root.get("/admin/"))
