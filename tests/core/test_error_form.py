"""Every failure leaves in the one form, whichever layer it comes from, and says nothing of the inside."""

import logging
from itertools import product

import pytest
from django.test import Client

from merchants.services import NewMerchant
from tests.conftest import ApiClient, Reply, read_reply
from tests.core.error_form import assert_error_form, assert_refused
from tests.core.failing_urls import FAILURES


def visit(path: str, method: str = "GET", **headers: str) -> Reply:
    sent = {name.replace("_", "-"): value for name, value in headers.items()}
    return read_reply(Client(raise_request_exception=False, headers=sent).generic(method, path))


@pytest.mark.spec("Contract 5.1; Contract 5.15; Contract 5.19; Errors: body")
@pytest.mark.urls("tests.core.failing_urls")
def test_every_failure_has_the_one_form_and_people_get_a_page(caplog: pytest.LogCaptureFixture) -> None:
    for layer, (name, (_, status, code)) in product(("/api/view/", "/api/plain/", "/oauth/plain/"), FAILURES.items()):
        reply = visit(layer + name)
        assert_refused(reply, status, code)
        assert b"secret inside" not in reply.raw, name
        if reply.status >= 500:
            assert reply.body["details"]["retryable"] is True, name
        if reply.status == 503:
            assert reply.headers["Retry-After"] == "1", name
    assert_refused(visit("/mcp/broken"), 500, "internal_error")
    for name, status in (("runtime", 500), ("missing", 404), ("suspicious", 400)):
        reply = visit(f"/page/{name}")
        assert (reply.status, reply.headers["Content-Type"][:9], reply.headers["Request-Id"][:4]) == (
            *(status, "text/html"),
            "req_",
        )
        assert b"secret inside" not in reply.raw
    caplog.clear()
    with caplog.at_level(logging.ERROR, "causeway.errors"):
        visit("/api/view/runtime")
    [record] = [record for record in caplog.records if record.name == "causeway.errors"]
    assert record.exc_info is not None
    assert "secret inside" in str(record.exc_info[1])


UNKNOWN = (
    *("/api/", "/api/public", "/api/public/v1/", "/api/public/v1/payment-intent", "/api/public/v1/payment-intents/"),
    *("/api/public/v2/payment-intents", "/mcp/nothing", "/oauth/nothing", "/.well-known/nothing"),
)


@pytest.mark.spec("Contract 5.2; Contract 21.10")
@pytest.mark.spec("Errors: body; 404")
@pytest.mark.spec("Contract 21.10")
@pytest.mark.django_db
def test_unknown_paths_answer_programs_in_json_and_people_in_html() -> None:
    for path, method in product(UNKNOWN, ("GET", "POST", "DELETE", "PROPFIND")):
        assert_refused(visit(path, method), 404, "not_found")
    reply = visit("/nothing/here")
    assert reply.status == 404
    assert reply.headers["Content-Type"].startswith("text/html")


ALLOWED = {
    "DELETE /payment-intents": "GET, POST, HEAD, OPTIONS",
    "GET /payment-intents/x/cancel": "POST, OPTIONS",
    "TRACE /tokens": "GET, HEAD, OPTIONS",
    "BREW /tokens": "GET, HEAD, OPTIONS",
}
"""Usual methods are tried on every path in tests/authorization."""


@pytest.mark.spec("Contract 5.15")
def test_a_wrong_method_is_told_the_right_ones_and_head_has_no_body(api: ApiClient) -> None:
    for asked, allowed in ALLOWED.items():
        reply = api.send(*asked.split())
        assert_refused(reply, 405, "method_not_allowed")
        assert {*reply.headers["Allow"].split(", ")} == {*allowed.split(", ")}, asked
    reply = api.send("HEAD", "/tokens")
    assert (reply.status, reply.raw) == (200, b"")
    assert reply.headers["Request-Id"].startswith("req_")


@pytest.mark.spec("Contract 5.2")
def test_json_is_the_answer_whatever_is_accepted(api: ApiClient) -> None:
    for accept in ("text/html", "application/xml", "image/png", "application/json;q=0", "*/*", "//"):
        reply = api.get("/payment-intents", Accept=accept)
        assert (reply.status, reply.headers["Content-Type"]) == (200, "application/json"), accept


@pytest.mark.spec("Contract 5.1")
@pytest.mark.spec("Errors: request identifier")
def test_each_request_has_its_own_name(api: ApiClient) -> None:
    names = {api.get("/payment-intents").headers["Request-Id"] for _ in range(20)}
    names |= {visit("/api/nothing", Request_Id="req_mine").headers["Request-Id"]}
    assert len(names) == 21
    assert "req_mine" not in names
    assert all(len(name) == len("req_") + 32 for name in names)


def test_a_strange_host_breaks_nothing(account: NewMerchant) -> None:
    for host in ("evil.example", "localhost:99999", "a b", "[::1", ""):
        headers = {"Authorization": f"Bearer {account.test.secret_key}", "Host": host}
        client = Client(raise_request_exception=False, headers=headers)
        reply = read_reply(client.get("/api/public/v1/payment-intents"))
        assert reply.status < 500, host
        if reply.status >= 400:
            assert_error_form(reply)


NOBODY = "00000000-0000-4000-8000-000000000000"
STRANGE = (
    *("limit=-1", "limit=0", "limit=101", "limit=abc", "limit=", "limit=1e1", "limit=%D9%A2", "limit=%00", "limit=+5"),
    *("limit=5%20", "limit=1_0", "limit=0x5", "limit=10.0", f"limit={'9' * 5000}", "limit=5&limit=x", "status=%00"),
    *("status=paid", "status=", "status=settled,nothing", f"status={'settled,' * 1000}x", "starting_after=x"),
    *("starting_after=%00", "starting_after=", f"starting_after={NOBODY}", "ending_before=..%2F"),
    *(f"starting_after={NOBODY}&ending_before={NOBODY}", "created_gte=yesterday", "created_gte=%00"),
    *("created_lt=99999-01-01T00:00:00Z", "created_lt=2026-13-45T00:00:00Z"),
)


@pytest.mark.spec("Errors: 400; Limits: list limit")
def test_a_strange_query_is_refused_and_a_strange_filter_breaks_nothing(api: ApiClient) -> None:
    codes = {query: api.get(f"/payment-intents?{query}").body["code"] for query in STRANGE}
    assert codes == dict.fromkeys(STRANGE, "invalid_parameter")
    assert_refused(api.get("/payment-intents?limit=0"), 400, "invalid_parameter")
    filters = (
        *("%00=%00", "q=%00", "reference=%00", "customer_email=%00", "metadata[%00]=%00", "metadata[]=", "&&&="),
        "%",
    )
    for query in filters:
        reply = api.get(f"/payment-intents?{query}")
        assert reply.status in {200, 400}, reply.raw[:300]
        if reply.status == 400:
            assert_error_form(reply)
        else:
            assert reply.body["data"] == [], query
