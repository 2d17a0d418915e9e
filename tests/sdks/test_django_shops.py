"""Shops on django-payments and on django-oscar, as their READMEs start them, sell something over the real service.

What the payer's browser does is done over HTTP; the payment itself by the test helper.
"""

import json
import os
import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.cookiejar import CookieJar
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import HTTPCookieProcessor, HTTPRedirectHandler, Request, build_opener

import pytest
from causeway_sdk.testing import sign

from scripts.suite.steps import ROOT
from tests.journeys.http_caller import Caller
from tests.journeys.programs import Embedded, Program, clean_environment, embedded, run_to_end
from tests.machine import PATIENCE_SECONDS, own_port, wait_until

pytestmark = [pytest.mark.exhaustive, pytest.mark.xdist_group("shops of Django")]

PYTHON = ROOT / ".local" / "sdks-venv" / "bin" / "python"
SHOPS = ROOT / "sdks" / "django"
PATH = os.pathsep.join(str(ROOT / "sdks" / name / "src") for name in ("python", "django"))
OPENED = "Starting development server"
LOOK_SECONDS, AT_ONCE = 0.5, 8
SOMEBODY = "0x52908400098527886E0F7030069857D2E4169EE7"


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Embedded]:
    with embedded(tmp_path_factory.mktemp("service"), own_port(), RATE_LIMIT_SCALE="1000") as running:
        yield running


@pytest.fixture
def merchant(service: Embedded) -> Caller:
    return service.merchant()


class NoRedirects(HTTPRedirectHandler):
    """Stays where it is, so that a test sees where a page leads."""

    def redirect_request(self, *_: Any) -> None:
        return None


@dataclass
class Shop:
    """A shop that runs, and a browser in front of it."""

    folder: Path
    home: Path
    port: int
    environment: dict[str, str]
    jar: CookieJar = field(default_factory=CookieJar)

    def manage(self, *arguments: str) -> str:
        """Run one of its commands."""
        return run_to_end((str(PYTHON), "manage.py", *arguments), self.environment, home=self.home)

    def ask(self, path: str, **form: str) -> tuple[int, str]:
        """Look at a page, or send a form with the page's own token: the status, and the text or where it leads."""
        url = path if path.startswith("http") else f"http://127.0.0.1:{self.port}{path}"
        sent = None
        if form:
            token = next((cookie.value for cookie in self.jar if cookie.name == "csrftoken"), "")
            sent = urlencode({**form, "csrfmiddlewaretoken": token}).encode()
        opener = build_opener(HTTPCookieProcessor(self.jar), NoRedirects)
        try:
            with opener.open(Request(url, sent), timeout=PATIENCE_SECONDS) as answer:  # noqa: S310 - our own address
                return answer.status, answer.read().decode()
        except HTTPError as other:
            return other.code, other.headers.get("Location", "") or other.read().decode()

    def lead(self, path: str, **form: str) -> str:
        """Where a page leads to, as it must."""
        status, place = self.ask(path, **form)
        assert status == 302, place[-3000:]
        return place

    def post_at_once(self, path: str, event: dict[str, Any]) -> list[int]:
        """The answers to one signed event that is posted several times at the same moment."""
        raw = json.dumps(event).encode()
        headers = sign(raw, self.environment["CAUSEWAY_WEBHOOK_SECRET"])

        def post(_: int) -> int:
            request = Request(f"http://127.0.0.1:{self.port}{path}", raw, headers)  # noqa: S310 - our own address
            with build_opener().open(request, timeout=PATIENCE_SECONDS) as answer:
                return int(answer.status)

        with ThreadPoolExecutor(AT_ONCE) as pool:
            return list(pool.map(post, range(AT_ONCE)))


@contextmanager
def open_shop(name: str, folder: Path, service: Embedded, receiver: str, *first: tuple[str, ...]) -> Iterator[Shop]:
    """Start a shop with an endpoint of its own, after what its README has done before."""
    merchant, port = service.merchant(), own_port()
    asked = {"url": f"http://127.0.0.1:{port}{receiver}", "events": ["payment_intent.*", "refund.*"]}
    endpoint = merchant.post("/webhook-endpoints", asked).body
    environment = clean_environment(
        PYTHONPATH=PATH,
        SHOP_FOLDER=str(folder),
        SHOP_HOST=f"127.0.0.1:{port}",
        SHOP_SECRET_KEY="of-one-test",
        CAUSEWAY_API_KEY=merchant.key,
        CAUSEWAY_BASE_URL=merchant.base_url,
        CAUSEWAY_WEBHOOK_SECRET=endpoint["secret"],
    )
    shop = Shop(folder=folder, home=SHOPS / name, port=port, environment=environment)
    for command in first:
        shop.manage(*command)
    serve = (str(PYTHON), "manage.py", "runserver", "--noreload", "--skip-checks", f"127.0.0.1:{port}")
    program = Program(command=serve, environment=environment, log=folder / "shop.log", home=shop.home)
    program.start()
    try:
        wait_until(lambda: OPENED in program.printed() or not program.is_alive, OPENED)
        assert program.is_alive, program.printed()
        wait_until(lambda: is_open(shop), "the shop")
        yield shop
    finally:
        program.stop()
        merchant.send("DELETE", f"/webhook-endpoints/{endpoint['id']}")


def is_open(shop: Shop) -> bool:
    try:
        return shop.ask("/")[0] < 400
    except OSError:
        return False


def paid(merchant: Caller, checkout: str) -> dict[str, Any]:
    """Pay what a checkout's address is of; the payment."""
    [intent] = [one for one in merchant.get("/payment-intents?limit=5").body["data"] if one["checkout_url"] == checkout]
    assert merchant.post(f"/test-helpers/payment-intents/{intent['id']}/pay").status == 200
    found: dict[str, Any] = intent
    return found


def test_tea_over_the_counter_of_django_payments(service: Embedded, merchant: Caller, tmp_path: Path) -> None:
    place, tables = "/payments/process/causeway/", ("migrate", "--run-syncdb")
    with open_shop("shop", tmp_path, service, place, tables) as shop:
        shop.ask("/")
        token = shop.lead("/buy", buy="1").rpartition("/")[2]
        checkout = shop.lead(f"/pay/{token}")
        assert shop.lead(f"/pay/{token}") == checkout
        assert "We wait" in shop.ask(f"/orders/{token}")[1]
        intent = paid(merchant, checkout)
        assert (intent["amount"], intent["reference"]) == ("19.99", token)
        wait_until(lambda: "Paid. Thank you!" in shop.ask(f"/orders/{token}")[1], "the webhook", poll=LOOK_SECONDS)
        assert shop.lead(f"/payments/process/{token}/?payment_intent={intent['id']}") == f"/orders/{token}"
        shop.manage("refund", token, "19.99")
        assert "on its way back" in shop.ask(f"/orders/{token}")[1]
        [refund] = merchant.get("/refunds?limit=1").body["data"]
        assert (refund["payment_intent_id"], refund["amount_usd"]) == (intent["id"], 19.99)
        merchant.post(f"/refunds/{refund['id']}/cancel")
        wait_until(lambda: "Paid. Thank you!" in shop.ask(f"/orders/{token}")[1], "the refund's end", poll=LOOK_SECONDS)


def test_tea_in_the_sandbox_of_django_oscar(service: Embedded, merchant: Caller, tmp_path: Path) -> None:
    with open_shop("sandbox", tmp_path, service, "/causeway/webhook", ("migrate",), ("stock",)) as shop:
        status, page = shop.ask("/catalogue/green-tea_1/")
        assert (status, "Green tea" in page) == (200, True), page[-3000:]
        shop.lead("/basket/add/1/", quantity="1")
        shop.ask("/checkout/")
        shop.lead("/checkout/", username="ada@shop.example", options="anonymous")
        home = {"first_name": "Ada", "last_name": "L", "line1": "1 Quay", "line4": "Boston", "postcode": "02101"}
        assert shop.lead("/checkout/shipping-address/", **home) == "/checkout/shipping-method/"
        assert shop.lead("/checkout/shipping-method/") == "/checkout/payment-method/"
        assert shop.lead("/checkout/payment-method/") == "/checkout/payment-details/"
        assert shop.lead("/checkout/preview/", action="place_order") == "/checkout/pay/"
        checkout = shop.lead("/checkout/pay/")
        assert shop.lead("/checkout/pay/") == checkout
        assert order_status(shop) == "Pending"
        intent = paid(merchant, checkout)
        assert intent["amount"] == "19.99"
        wait_until(lambda: order_status(shop) == "Paid", "the webhook", poll=LOOK_SECONDS)
        assert shop.lead("/checkout/pay/").endswith("/checkout/thank-you/")
        asked = {"intent_id": intent["id"], "amount_usd": 19.99, "destination": SOMEBODY}
        assert merchant.post("/refunds", asked).status == 201
        wait_until(lambda: order_status(shop) == "Refunded", "the refund", poll=LOOK_SECONDS)
        twice = refund_event(intent["id"])
        assert shop.post_at_once("/causeway/webhook", twice) == [204] * AT_ONCE
        look = "from oscar.apps.payment.models import Source; found = Source.objects.get()\n"
        look += "print(found.amount_debited, found.amount_refunded, found.reference)"
        shown = shop.manage("shell", "-v", "0", "-c", look)
        assert shown.split() == ["19.99", "20.99", intent["id"]]


def refund_event(intent_id: str) -> dict[str, Any]:
    """A dollar that goes back, as the service would post it."""
    facts = {
        **{"id": "one-dollar", "payment_intent_id": intent_id, "amount_usd": 1, "status": "paid", "tx_hash": "0x1"},
        **{"reason": "", "paid_at": "2026-11-28T12:00:00.000Z", "failure_reason": None},
    }
    envelope = {"id": "evt_one_dollar", "type": "refund.paid", "created_at": "2026-11-28T12:00:00.000Z", "data": facts}
    about = {"type": "refund", "id": "one-dollar"}
    return {**envelope, "mode": "test", "api_version": "1.2.0", "sequence": 1, "resource": about}


def order_status(shop: Shop) -> str:
    """What the page after an order says of it."""
    page = shop.ask("/checkout/thank-you/")[1]
    found = re.search(r'data-testid="order-status">(\w+)<', page)
    assert found, page[-3000:]
    return found[1]
