"""Which answers pages of other origins may read, and to which pages a payer may be sent back."""

import re
from typing import Any

import pytest
from django.test import Client, override_settings

from core.modes import Mode
from merchants.models import AllowedOrigin
from merchants.principal import Principal
from merchants.services.origins import allow_origin
from payments.models import PaymentIntent
from tests.authorization.doors import CHECKOUT, V1, served_operations
from tests.authorization.routes import api_routes
from tests.checkout.pages import LIVE, read_page, visit
from tests.conftest import ApiClient
from tests.core.error_form import KEYS
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
    asked = {"Origin": origin, "Access-Control-Request-Method": method, "Access-Control-Request-Headers": "x"}
    return Client(headers=asked).options(path)


@pytest.mark.usefixtures("db")
@pytest.mark.slow
def test_pages_of_others_are_told_of_and_may_read_the_checkout_and_nothing_else() -> None:
    assert set(served_operations()) >= FOR_EMBEDDING
    named = ("intent_id", "refund_id", "payout_id", "endpoint_id", "delivery_id", "event_id", "replay_id")
    ids = dict.fromkeys(named, ANY_ID)
    for route, method in [(one, method) for one in api_routes() for method in sorted(one.methods)]:
        name, path = f"{method} {route.path}", route.filled(ids)
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
        assert set(reply.body) == KEYS
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


NO_ADDRESSES = [
    *("javascript:alert(1)", "JaVaScRiPt://shop.example/%0aalert(1)", "data:text/html,<script>alert(1)</script>"),
    *("blob:https://shop.example/5b1f6bb8", "file:///etc/passwd", "ftp://shop.example/", "//evil.example/"),
    *("\\\\evil.example/", "/\\evil.example", "https:/evil.example/", "https:evil.example", "https:///evil.example"),
    *("https:\\\\evil.example/", "http://shop.example/", "https://shop.example@evil.example/"),
    *("https://shop.example:443@evil.example/", "https://shop.example\\@evil.example/"),
    *("https://shop.example\\.evil.example/", "https://evil.example\t.shop.example/", "https://evil.example\n/"),
    *("https://shop.example /", "https://evil。example/", "https://ｅvil.example/"),
    *("https://shop.example／.evil.example/", "https://sh\u043ep.example/"),
    *("https://shop.example\u200b.evil.example/", "https://shop.example%2eevil.example/"),
    *("https://shop.example%2f%2eevil.example/", "https://shop.example%00.evil.example/", "https://shop.example/%00"),
    *("https://shop.example/%0d%0aLocation:%20https://evil.example", "https://shop.example/\u202ecod.exe"),
    *("https://shop.example./", "https://*.shop.example/", "https://2130706433/", "https://0x7f000001/"),
    *("https://127.1/", "https://0177.0.0.1/", "https://0.0.0.0/", "https://[::]/", "https://[fe80::1%25eth0]/"),
    *("https://[::1/", "https://shop.example:0/", "https://shop.example:99999/", "https://shop.example:"),
    *("https://xn--a/", "https://shop_example/", "https://shop.example/thänks"),
]
ONLY_IN_TEST = [
    *("http://localhost:3000/", "https://localhost/", "https://shop.localhost/", "https://127.0.0.1/"),
    *("https://[::1]/", "https://10.0.0.8/", "https://192.168.1.1/", "https://169.254.169.254/latest/"),
    *("https://100.64.0.1/", "https://[fd00::1]/", "https://[::ffff:10.0.0.1]/"),
]
NOT_LISTED = [
    *("https://evil.example/", "https://shop.example.evil.example/", "https://evilshop.example/"),
    *("https://shop.example:8443/", "https://www.shop.example/", "https://evil.example/https://shop.example/"),
    *("https://evil.example#@shop.example/", "https://evil.example?https://shop.example"),
    *("https://xn--shp-0ce.example/", "https://93.184.215.14/"),
]
LISTED = [
    *("https://shop.example", "https://shop.example/", "https://shop.example/thanks?order=17&x=%20a#paid"),
    *("https://shop.example:443/thanks", "HTTPS://SHOP.Example/Thanks", "https://shop.example/@ann/orders"),
    *("https://shop.example/a?next=https://else.example/", "https://shop.example#@evil.example/"),
    *("https://shop.example/th%C3%A4nks", "https://pay.stores.example/", "https://xn--bcher-kva.example/dank"),
]


def refusal(api: ApiClient, url: str, **more: Any) -> tuple[int, str, str]:
    """How an intent with this return address is refused; nothing was written."""
    before = all_rows()
    reply = api.post("/payment-intents", {"amount": 25, "return_url": url, **more})
    assert all_rows() == before
    [problem] = reply.body["details"]["fields"]
    return reply.status, reply.body["code"], f"{problem['field']} {problem['code']}"


@pytest.fixture
def listed(principal: Principal, api: ApiClient) -> Principal:
    for origin in ("https://shop.example", "https://*.stores.example", "https://bücher.example"):
        allow_origin(principal, origin)
    return principal


@pytest.mark.slow
def test_tricks_are_no_addresses_in_either_mode_and_own_machines_are_for_test_mode(
    api: ApiClient, live_api: ApiClient
) -> None:
    for url in NO_ADDRESSES:
        assert refusal(api, url) == (400, "invalid_request", "return_url format"), url
    for url in [*NO_ADDRESSES, *ONLY_IN_TEST]:
        assert refusal(live_api, url, **LIVE) == (400, "invalid_request", "return_url format"), url
    for url in [*LISTED, *NOT_LISTED, *ONLY_IN_TEST]:
        assert create(api, return_url=url)["return_url"] == url, "without a list any honest address is taken"
    assert create(live_api, return_url="https://any.example/", **LIVE)["return_url"] == "https://any.example/"


@pytest.mark.slow
def test_a_list_is_kept_to_but_for_our_own_pages(api: ApiClient, listed: Principal) -> None:
    for url in [*LISTED, "http://localhost:8000/demo/orders/1"]:
        assert create(api, return_url=url)["return_url"] == url
    for url in NOT_LISTED:
        assert refusal(api, url) == (400, "return_url_not_allowed", "return_url unknown_value"), url
    assert refusal(api, "http://localhost:8000.evil.example/") == (400, "invalid_request", "return_url format")


def test_each_mode_has_its_own_list(live_api: ApiClient, listed: Principal) -> None:
    assert create(live_api, return_url="https://else.example/", **LIVE)["return_url"] == "https://else.example/"
    allow_origin(Principal(merchant_id=listed.merchant_id, mode=Mode.LIVE, actor="key:live"), "https://live.example")
    assert refusal(live_api, "https://else.example/", **LIVE)[1] == "return_url_not_allowed"
    assert refusal(live_api, "https://shop.example/", **LIVE)[1] == "return_url_not_allowed"


def test_a_page_leads_nowhere_that_was_taken_off_the_list(api: ApiClient, listed: Principal) -> None:
    intent = create(api, return_url="https://shop.example/thanks")
    assert read_page(visit(intent["id"])).by_test_id["cancel-link"].attributes["href"] == "https://shop.example/thanks"
    AllowedOrigin.objects.filter(origin="https://shop.example").delete()
    assert Payer.of(intent).state()["return_url"] is None
    answer = visit(intent["id"])
    assert "cancel-link" not in read_page(answer).by_test_id
    assert re.search(rb"shop\.example", answer.content) is None
    assert PaymentIntent.objects.get(pk=intent["id"]).return_url == "https://shop.example/thanks"
