"""Which answers pages of other origins may read, and what a browser is told before it sends. Nothing goes by cookie."""

from typing import Any

import pytest
from django.conf import settings
from django.test import Client, override_settings

from tests.authorization.doors import CHECKOUT, V1, served_operations
from tests.authorization.routes import api_routes
from tests.conftest import ApiClient
from tests.factories.rows import all_rows
from tests.payments.payer import Payer
from tests.payments.world import create

SHOP = "https://shop.example"
ANY_ID = "5b1f6bb8-43bc-4e6e-9d3a-000000000000"
FOR_EVERYBODY = {f"GET {V1}/tokens", f"GET {CHECKOUT}"}
FOR_EMBEDDING = FOR_EVERYBODY | {
    f"POST {CHECKOUT}/session",
    f"GET {CHECKOUT}/state",
    *(f"POST {CHECKOUT}/{action}" for action in ("wallet", "quote", "start", "submitted", "rejected")),
    f"POST {CHECKOUT}/simulated-wallet/transactions",
}
NEVER = "Access-Control-Allow-Credentials"


def preflight(path: str, method: str, origin: str) -> Any:
    """What a browser is told before it sends."""
    asked = {"Origin": origin, "Access-Control-Request-Method": method, "Access-Control-Request-Headers": "x"}
    return Client(headers=asked).options(path)


def addresses() -> list[tuple[str, str, str]]:
    """Every operation of the API, with its method and a path to ask."""
    ids = dict.fromkeys(("intent_id", "refund_id", "payout_id", "endpoint_id", "delivery_id"), ANY_ID)
    return [(f"{m} {route.path}", m, route.filled(ids)) for route in api_routes() for m in sorted(route.methods)]


@pytest.mark.usefixtures("db")
def test_pages_of_others_are_told_of_and_may_read_the_checkout_and_nothing_else() -> None:
    assert set(served_operations()) >= FOR_EMBEDDING
    for name, method, path in addresses():
        reader = None if name not in FOR_EMBEDDING else "*" if name in FOR_EVERYBODY else SHOP
        answer = Client(headers={"Origin": SHOP}, raise_request_exception=False).generic(method, path)
        told = preflight(path, method, SHOP)
        for one in (answer, told):
            assert one.headers.get("Access-Control-Allow-Origin") == reader, name
            assert NEVER not in one.headers, name
            assert not one.cookies, name
        if reader is None:
            assert [header for header in told.headers if header.startswith("Access-Control-")] == [], name
            continue
        assert (told.status_code, told.content) == (204, b""), name
        assert method in told.headers["Access-Control-Allow-Methods"].split(", "), name
        needed = {"Authorization", "Checkout-Token", "Content-Type", "Idempotency-Key", "If-None-Match"}
        assert needed <= set(told.headers["Access-Control-Allow-Headers"].split(", "))
        assert 60 <= int(told.headers["Access-Control-Max-Age"]) <= 7200


def test_refusals_can_be_read_and_tell_no_secret(api: ApiClient, account: Any, other_account: Any) -> None:
    intent = create(api, customer_email="ann@buyer.example")
    token = Payer.of(intent).token
    path = f"/checkout/{intent['id']}"
    asked: list[tuple[str, str, object, dict[str, str], int]] = [
        ("POST", f"{path}/session", None, {"Authorization": "Bearer pk_test_nobody"}, 401),
        ("POST", f"{path}/session", None, {"Authorization": f"Bearer {account.test.secret_key}"}, 401),
        ("POST", f"{path}/session", None, {"Authorization": f"Bearer {other_account.test.publishable_key}"}, 404),
        ("POST", f"{path}/session", None, {"Checkout_Token": token}, 403),
        ("GET", f"{path}/state", None, {"Checkout_Token": token}, 403),
        ("GET", f"{path}/state", None, {}, 401),
        ("PUT", f"{path}/state", None, {"Checkout_Token": token}, 405),
        ("POST", f"{path}/wallet", b"{", {"Checkout_Token": token}, 403),
        ("GET", f"/checkout/{ANY_ID}/state", None, {"Checkout_Token": token}, 404),
        ("GET", f"/checkout/{ANY_ID}", None, {}, 404),
        ("GET", "/tokens?chain=nowhere", None, {}, 400),
    ]
    before = all_rows()
    for method, where, body, headers, status in asked:
        reply = ApiClient("").send(method, where, body, Origin=SHOP, **headers)
        assert reply.status == status, (method, where, reply.body)
        assert reply.headers["Access-Control-Allow-Origin"] in {SHOP, "*"}
        assert "Request-Id" in reply.headers["Access-Control-Expose-Headers"]
        assert set(reply.body) == {"error", "code", "details", "request_id"}
        for secret in (token, account.test.secret_key, "ann@", account.merchant.name):
            assert secret.encode() not in reply.raw
    assert all_rows() == before


def test_the_answer_names_the_page_that_asks_and_caches_know(api: ApiClient, account: Any) -> None:
    intent = create(api)
    key = ApiClient(account.test.publishable_key)
    for origin in (SHOP, "https://other.example:8443", "http://127.0.0.1:3000"):
        reply = key.post(f"/checkout/{intent['id']}/session", Origin=origin)
        assert (reply.status, reply.headers["Access-Control-Allow-Origin"]) == (200, origin)
        assert reply.headers["Vary"] == "Origin"
        assert reply.headers["Cache-Control"] == "no-store"
        assert {"ETag", "Retry-After", "Request-Id"} <= set(reply.headers["Access-Control-Expose-Headers"].split(", "))
    view = ApiClient("").get(f"/checkout/{intent['id']}", Origin=SHOP)
    assert (view.status, view.headers["Access-Control-Allow-Origin"], view.headers.get("Vary")) == (200, "*", None)
    assert Payer.of(intent).send("GET", "/state").headers.get("Access-Control-Allow-Origin") is None


def test_nobodys_origin_is_never_named(api: ApiClient, account: Any) -> None:
    path = f"/api/public/v1/checkout/{create(api)['id']}/session"
    key = {"Authorization": f"Bearer {account.test.publishable_key}"}
    for origin in ("null", "", f"{SHOP}\r\nX-Evil: 1", "https://shöp.example", f"{SHOP}\x00", "\t"):
        for headers, status in (({}, 401), (key, 403 if origin else 200)):
            answer = Client(headers={"Origin": origin, **headers}).post(path)
            assert not {"Access-Control-Allow-Origin", "X-Evil"} & set(answer.headers), origin
            assert answer.status_code == status, origin
        assert "Access-Control-Allow-Origin" not in preflight(path, "POST", origin).headers


def test_a_question_beforehand_is_not_counted(api: ApiClient) -> None:
    intent = create(api)
    where = f"/api/public/v1/checkout/{intent['id']}"
    with override_settings(RATE_LIMIT_SCALE=0.02):
        assert [preflight(f"{where}/session", "POST", SHOP).status_code for _ in range(6)] == [204] * 6
        assert [ApiClient("").send("OPTIONS", where).status for _ in range(3)] == [200, 200, 429]


def test_a_cookie_changes_nothing(api: ApiClient, account: Any) -> None:
    """Somebody signed in on the dashboard is nobody here, with any cookie, from any page."""
    intent = create(api)
    browser = Client(enforce_csrf_checks=True)
    browser.force_login(account.owner)
    before = all_rows()
    for origin in (SHOP, settings.BASE_URL):
        for action in ("session", "wallet", "quote", "start", "submitted", "rejected"):
            answer = browser.post(
                f"/api/public/v1/checkout/{intent['id']}/{action}", "{}", "application/json", headers={"Origin": origin}
            )
            assert (answer.status_code, answer.json()["code"]) == (401, "checkout_token_invalid")
            assert not answer.cookies
    assert all_rows() == before
    opened = Client().post(
        f"/api/public/v1/checkout/{intent['id']}/session",
        headers={"Origin": SHOP, "Authorization": f"Bearer {account.test.publishable_key}"},
    )
    assert (opened.status_code, dict(opened.cookies)) == (200, {})
    assert "Set-Cookie" not in opened.headers
