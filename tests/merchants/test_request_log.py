"""The request log: what is kept of a request, what never is, who sees it, and that nobody waits for it."""

from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
import time_machine
from django.db import connection
from django.test import Client

from core.clock import now
from core.modes import Mode
from merchants.models import ApiKey, KeyKind, RequestRecord
from merchants.principal import Principal
from merchants.request_redaction import shown_body, shown_path, shown_query
from merchants.services import NewMerchant, forget_old_requests, revoke_key
from tests.conftest import ApiClient
from tests.merchants.log_lines import INTENTS, logged, put
from tests.merchants.people import text_of

CANARY = "canary_7f3a9"


def test_a_request_is_kept_with_its_answer(account: NewMerchant, api: ApiClient) -> None:
    reply = api.post("/payment-intents", {"amount": 25.5, "customer_email": "ann@shop.example"}, User_Agent="shop/1.0")
    [row] = logged()
    key = ApiKey.objects.get(merchant=account.merchant, mode=Mode.TEST, kind=KeyKind.SECRET)
    assert (row.merchant_id, row.mode, row.key_id) == (account.merchant.pk, "test", key.pk)
    assert (row.method, row.path, row.route, row.status, row.code) == ("POST", INTENTS, "payment-intents", 201, "")
    assert (row.request_id, row.address, row.user_agent) == (reply.headers["Request-Id"], "127.0.0.1", "shop/1.0")
    assert row.object_id == UUID(reply.body["id"])
    assert row.body == '{"amount":25.5,"customer_email":"[text, 16 characters]"}'
    assert timedelta(0) <= now() - row.created_at < timedelta(minutes=5)


def test_what_a_payment_is_named_by(api: ApiClient) -> None:
    intent = api.post("/payment-intents", {"amount": 25}).body["id"]
    for path in (f"/payment-intents/{intent}", f"/payment-intents/pi_{intent.replace('-', '')}/cancel"):
        api.send("POST" if path.endswith("cancel") else "GET", path)
    api.post("/refunds", {"intent_id": intent, "amount_usd": 1})
    api.get("/payment-intents")
    rows = logged()
    assert [row.object_id for row in rows] == [UUID(intent)] * 4 + [None]
    assert (rows[3].status, rows[3].code) == (409, "intent_not_settled")
    assert rows[3].body == f'{{"intent_id":"{intent}","amount_usd":1}}'


def test_refusals_of_known_keys_are_kept_and_of_unknown_ones_not(
    account: NewMerchant, principal: Principal, api: ApiClient
) -> None:
    ApiClient(account.test.publishable_key).get("/payment-intents")
    revoke_key(principal, ApiKey.objects.get(merchant=account.merchant, mode="test", kind=KeyKind.SECRET))
    api.get("/payment-intents")
    for key in ("", "sk_test_unknown", "x" * 200):
        ApiClient(key).get("/payment-intents")
    api.get("/tokens")
    assert [(row.status, row.code) for row in logged()] == [(401, "secret_key_required"), (401, "revoked_api_key")]


@pytest.mark.parametrize("method", ["GET", "POST", "PATCH", "DELETE"])
def test_no_secret_and_no_customer_reaches_the_table(account: NewMerchant, api: ApiClient, method: str) -> None:
    """A canary wherever a caller can put text: headers, path, query, names and values of the body."""
    names = ("amount", "currency", "reference", "destination", "settlement_address", "reason", CANARY)
    body = {
        **dict.fromkeys((*names, "intent_id", "since"), CANARY),
        "customer_email": f"{CANARY}@shop.example",
        "metadata": {CANARY: CANARY},
        "url": f"https://{CANARY}.example/{CANARY}?{CANARY}",
        "events": [f"sk_live_{CANARY}"],
        "scenario": f"sk_test_{CANARY}",
        "data": {CANARY: [CANARY]},
    }
    headers = {"Idempotency_Key": CANARY, "Cookie": CANARY, "X_Other": CANARY, "Referer": f"https://{CANARY}"}
    for path in ("/payment-intents", f"/payment-intents/{CANARY}", f"/webhook-endpoints/{CANARY}/rotate-secret"):
        for query in ("", f"?q={CANARY}&customer_email={CANARY}&metadata[{CANARY}]={CANARY}&{CANARY}=1&limit={CANARY}"):
            api.send(method, path + query, body, **headers)
            api.send(method, path + query, CANARY.encode(), **headers)
    assert len(logged()) == 12
    with connection.cursor() as cursor:
        cursor.execute("SELECT * FROM merchants_requestrecord")
        stored = repr(cursor.fetchall())
    assert "canary" not in stored.lower()
    for secret in (account.test.secret_key, account.test.publishable_key):
        assert secret[8:] not in stored


KEPT: tuple[tuple[Any, str], ...] = (
    *((None, ""), ([], ""), ({}, "")),
    ({"amount": True}, '{"amount":"[true or false]"}'),
    ({"amount": "25"}, '{"amount":"[text, 2 characters]"}'),
    ({"amount": 10**30}, '{"amount":"[number]"}'),
    ({"metadata": {"a": 1}, "reason": None}, '{"metadata":"[object, 1 keys]","reason":null}'),
    ({"events": ["*", "payment_intent.settled", "refund.*"]}, '{"events":["*","payment_intent.settled","refund.*"]}'),
    ({"events": ["payment_intent.settled", "Ann"]}, '{"events":"[list, 2 items]"}'),
    ({"enabled": False, "what": 1, "ever": 2}, '{"enabled":false,"[other fields]":2}'),
    ({"since": "2026-05-04T12:00:00Z", "seconds": 60}, '{"since":"2026-05-04T12:00:00Z","seconds":60}'),
    ({"type": "whsec_abcdefghijklmnopqrstuv"}, '{"type":"[text, 28 characters]"}'),
)


def test_bodies_queries_and_paths() -> None:
    assert [shown_body(body) for body, _ in KEPT] == [kept for _, kept in KEPT]
    asked = {"limit": "20", "status": "settled,failed", "q": "ann@shop.example", "metadata[order]": "42", "x": "1"}
    assert shown_query(asked) == "limit=20&status=settled,failed&q=...&metadata=...&...=1"
    assert shown_query({"limit": "sk_live_x", "created_gte": "2026-05-04T12:00:00Z"}) == (
        "limit=...&created_gte=2026-05-04T12:00:00Z"
    )
    route = "api/public/v1/payment-intents/<str:intent_id>/cancel"
    uuid = "5b1f6bb8-43bc-4e6e-9d3a-000000000000"
    assert shown_path(f"/x/{uuid}", route, {"intent_id": uuid}) == f"/x/{uuid}"
    assert shown_path("/x/sk_live_x", route, {"intent_id": "sk_live_x"}) == (
        "/api/public/v1/payment-intents/{intent_id}/cancel"
    )


def test_a_request_that_cannot_be_noted_is_answered_all_the_same(api: ApiClient) -> None:
    """More words in a query than Django reads: whoever asks for the first one is refused."""
    reply = api.post("/payment-intents?" + "&".join(f"a{number}=1" for number in range(1500)), {"amount": 25})
    assert reply.status in {201, 400, 413}
    assert logged() == [] or logged()[0].status == reply.status


@pytest.mark.spec("Rulings B9.1")
def test_a_request_waits_for_no_write(api: ApiClient, django_assert_num_queries: Any) -> None:
    api.get("/payment-intents")  # by which this process learns of the key and of its merchant
    with django_assert_num_queries(2):
        api.get("/payment-intents")
    assert RequestRecord.objects.count() == 0
    assert len(logged()) == 2


def test_thirty_days_and_to_the_end_of_the_last_one(account: NewMerchant) -> None:
    with time_machine.travel("2026-05-04T12:00:00Z", tick=False) as clock:
        put(account, 5)
        clock.shift(timedelta(days=30))
        put(account, 2)
        assert forget_old_requests(at_once=2) == 0
        clock.move_to("2026-06-03T23:59:59.999Z")
        assert forget_old_requests(at_once=2) == 0
        clock.shift(timedelta(milliseconds=1))
        assert forget_old_requests(at_once=2) == 5
    assert RequestRecord.objects.count() == 2


def test_lines_that_were_written_late_are_forgotten_with_those_around_them(account: NewMerchant) -> None:
    with time_machine.travel("2026-05-04T12:00:00Z", tick=False):
        ages = (40, 20, 40, 31, 20, 20, 40)
        rows = [put(account, created_at=now() - timedelta(days=days))[-1].pk for days in ages]
        assert forget_old_requests(at_once=2) == 3
        assert list(RequestRecord.objects.order_by("pk").values_list("pk", flat=True)) == [rows[1], *rows[4:]]
        assert forget_old_requests(at_once=3) == 0
        assert forget_old_requests(at_once=4) == 1


@pytest.mark.slow
def test_what_is_rare_is_looked_for_so_far_and_then_further(
    owner: Client, account: NewMerchant, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dashboard.account.requests.LOOKED_THROUGH", 10)
    rare = put(account, method="POST", request_id="req_" + "b" * 32)[0].pk
    rows = put(account, 25)
    page, shown = "/dashboard/test/requests/", 'data-label="Request"'
    assert text_of(owner.get(page)).count(shown) == 26
    for before, end in (("", rows[16].pk), (f"&before={rows[16].pk}", rows[6].pk)):
        found = text_of(owner.get(f"{page}?method=POST{before}"))
        assert (shown in found, "No request is like that so far." in found) == (False, True)
        assert "10 requests were looked through." in found
        assert f'href="?method=POST&amp;before={end}"' in found
    found = text_of(owner.get(f"{page}?method=POST&before={rows[6].pk}"))
    assert (found.count(shown), f"/requests/{rare}/" in found, "looked through" in found) == (1, True, False)
    by_name = text_of(owner.get(f"{page}?method=POST&request=req_{'b' * 32}"))
    assert (by_name.count(shown), "looked through" in by_name) == (1, False)


@pytest.mark.slow
def test_the_page_filters_and_pages(owner: Client, account: NewMerchant) -> None:
    assert "No request yet" in text_of(owner.get("/dashboard/test/requests/"))
    rows = put(account, 52)
    asked: dict[str, Any] = {"method": "POST", "path": "/api/public/v1/refunds", "request_id": "req_" + "b" * 32}
    put(account, status=404, code="not_found", **asked)
    put(account, status=500, code="internal_error", key_id=77)
    first = text_of(owner.get("/dashboard/test/requests/"))
    assert first.count('data-label="Request"') == 50
    older = f"?before={rows[4].pk}"
    assert f'href="{older}"' in first
    assert text_of(owner.get(f"/dashboard/test/requests/{older}")).count('data-label="Request"') == 4
    for query, lines in (
        ("status=4", 1),
        ("status=5", 1),
        ("status=2&method=POST", 0),
        ("path=/api/public/v1/refunds", 1),
        ("key=77", 1),
        ("request=req_" + "b" * 32, 1),
    ):
        assert text_of(owner.get(f"/dashboard/test/requests/?{query}")).count('data-label="Request"') == lines, query


@pytest.mark.slow
def test_what_makes_no_sense_is_told_and_the_search_box_finds_a_request(owner: Client, account: NewMerchant) -> None:
    [row] = put(account, request_id="req_" + "e" * 32)
    for query in ("status=9", "method=BREW", "path=x", "key=٣", "request=req_", "key=" + "9" * 30):
        answer = owner.get(f"/dashboard/test/requests/?{query}")
        assert (answer.status_code, 'role="alert"' in text_of(answer)) == (400, True)
        assert 'data-label="Request"' not in text_of(answer)
    found = owner.get("/dashboard/test/search/", {"q": row.request_id}, follow=True)
    assert row.request_id in text_of(found)


@pytest.mark.slow
def test_one_request_as_a_command(owner: Client, account: NewMerchant) -> None:
    [row] = put(account, method="POST", body='{"amount":25,"reason":"[text, 3 characters]"}', query="limit=1")
    page = text_of(owner.get(f"/dashboard/test/requests/{row.pk}/"))
    assert "curl -X POST &#x27;http://localhost:8000/api/public/v1/payment-intents?limit=1&#x27;" in page
    assert "Authorization: Bearer $CAUSEWAY_API_KEY" in page
    assert "put your own values there" in page


@pytest.mark.slow
def test_others_see_nothing_of_it(owner: Client, account: NewMerchant, other_account: NewMerchant) -> None:
    [theirs] = put(other_account, request_id="req_" + "c" * 32)
    [live] = put(account, mode="live", request_id="req_" + "d" * 32)
    page = text_of(owner.get("/dashboard/test/requests/"))
    assert (theirs.request_id in page, live.request_id in page) == (False, False)
