"""A whole Medusa with the provider sells tea over the real service: what a shopper's browser does is done over HTTP."""

import json
import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import Request, build_opener

import psycopg
import pytest
from causeway_sdk.testing import TEST_SECRET, sign

from tests.journeys.http_caller import Caller
from tests.journeys.programs import Embedded, Program, clean_environment, embedded, run_to_end
from tests.machine import PATIENCE_SECONDS, own_port, wait_until
from tests.sdks.medusa.place import INSTALLED, place

COMMAND = ("node", str(INSTALLED / "@medusajs" / "cli" / "cli.js"))
PROVIDER, HOOK = "pp_causeway_causeway", "/hooks/payment/causeway_causeway"
OPENED = "Server is ready on port"
LOOK_SECONDS, AT_ONCE = 0.5, 4


@dataclass
class Shop:
    """Medusa, with a shopper in front of it, and its owner behind the desk."""

    port: int
    secret: str
    stock: dict[str, str] = field(default_factory=dict)

    def post(self, path: str, body: object, headers: dict[str, str] | None = None) -> tuple[int, Any]:
        """The status of an answer, and what it says."""
        raw = body if isinstance(body, bytes) else json.dumps(body).encode()
        sent = {
            "Content-Type": "application/json",
            "x-publishable-api-key": self.stock.get("key", ""),
            **(headers or {}),
        }
        request = Request(f"http://127.0.0.1:{self.port}{path}", raw, sent)  # noqa: S310 - our own address
        try:
            with build_opener().open(request, timeout=PATIENCE_SECONDS) as answer:
                status, text = answer.status, answer.read()
        except HTTPError as refusal:
            status, text = refusal.code, refusal.read()
        return status, json.loads(text) if text[:1] == b"{" else text.decode()

    def must(self, path: str, body: object) -> Any:
        """What is said to a call that has to succeed."""
        status, said = self.post(path, body)
        assert status == 200, (path, status, said)
        return said

    def desk(self, step: str, **facts: object) -> Any:
        """What the shop's owner does or sees."""
        return self.must(f"/desk?step={step}", facts)

    def cart_with_tea(self) -> tuple[str, str]:
        """A cart and its payment collection."""
        facts = {
            "region_id": self.stock["region"],
            "sales_channel_id": self.stock["channel"],
            "email": "ada@shop.example",
        }
        cart = self.must("/store/carts", {**facts, "email": "ada@shop.example"})["cart"]["id"]
        self.must(f"/store/carts/{cart}/line-items", {"variant_id": self.stock["variant"], "quantity": 1})
        return cart, self.must("/store/payment-collections", {"cart_id": cart})["payment_collection"]["id"]

    def start_paying(self, collection: str) -> dict[str, Any]:
        """The session of the one payment."""
        asked = self.must(f"/store/payment-collections/{collection}/payment-sessions", {"provider_id": PROVIDER})
        [session] = asked["payment_collection"]["payment_sessions"]
        return dict(session)

    def payment(self, cart: str) -> dict[str, Any] | None:
        """The payment of a cart that became an order."""
        seen = self.desk("look", cart=cart)
        payments = seen["payment_collection"]["payments"]
        assert len(payments) <= 1
        return dict(payments[0]) if payments and seen.get("order") else None

    def hear(self, event: dict[str, Any], secret: str = "") -> int:
        """The answer to an event that is posted with a signature."""
        raw = json.dumps(event).encode()
        return self.post(HOOK, raw, sign(raw, secret or self.secret))[0]


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Embedded]:
    with embedded(tmp_path_factory.mktemp("service"), own_port(), RATE_LIMIT_SCALE="1000") as running:
        yield running


@pytest.fixture
def merchant(service: Embedded) -> Caller:
    return service.merchant()


@pytest.fixture(scope="module")
def endpoint(service: Embedded) -> dict[str, Any]:
    """Where the shop will be: a port that nobody listens on yet."""
    asked = {"url": f"http://127.0.0.1:{own_port()}{HOOK}", "events": ["payment_intent.*"]}
    made: dict[str, Any] = service.merchant().post("/webhook-endpoints", asked).body
    return made


@pytest.fixture(scope="module")
def shop(
    service: Embedded,
    endpoint: dict[str, Any],
    tmp_path_factory: pytest.TempPathFactory,
    request: pytest.FixtureRequest,
) -> Iterator[Shop]:
    folder = tmp_path_factory.mktemp("medusa")
    home = place(folder).parent
    merchant, running = service.merchant(), Shop(urlsplit(endpoint["url"]).port or 0, endpoint["secret"])
    environment = clean_environment(
        NODE_ENV="test",
        MEDUSA_DISABLE_TELEMETRY="true",
        DATABASE_URL=own_database(f"medusa_{running.port}"),
        CAUSEWAY_API_KEY=merchant.key,
        CAUSEWAY_BASE_URL=merchant.base_url,
        CAUSEWAY_WEBHOOK_SECRET=running.secret,
    )
    run_to_end((*COMMAND, "db:migrate", "--skip-scripts"), environment, home=home)
    command = (*COMMAND, "start", "--port", str(running.port), "--host", "127.0.0.1")
    program = Program(command=command, environment=environment, log=folder / "shop.log", home=home)
    program.start()
    try:
        wait_until(lambda: OPENED in program.printed() or not program.is_alive, OPENED, poll=LOOK_SECONDS)
        assert program.is_alive, program.printed()
        running.stock = running.desk("stock")
        yield running
    finally:
        program.stop()
        if request.session.testsfailed:
            print(program.printed()[-20_000:])


def own_database(name: str) -> str:
    """The URL of a new, empty database on the server of the suite."""
    url = urlsplit(os.environ["DATABASE_URL"])
    with psycopg.connect(url._replace(path="/postgres").geturl(), autocommit=True) as server:
        server.execute(f'DROP DATABASE IF EXISTS "{name}"'.encode())
        server.execute(f'CREATE DATABASE "{name}"'.encode())
    return url._replace(path=f"/{name}").geturl()


def paid(merchant: Caller, intent: str) -> None:
    assert merchant.post(f"/test-helpers/payment-intents/{intent}/pay").status == 200


def sold(shop: Shop, merchant: Caller) -> tuple[str, dict[str, Any]]:
    """A cart that was paid, and its payment once the webhook told of it."""
    cart, collection = shop.cart_with_tea()
    session = shop.start_paying(collection)
    paid(merchant, session["data"]["id"])
    payment = wait_until(lambda: shop.payment(cart), "the order", poll=LOOK_SECONDS)
    assert payment is not None
    return cart, payment


def settled_event(session: dict[str, Any], number: str) -> dict[str, Any]:
    """News of a session's payment, as the service would post it."""
    facts = {
        "id": session["data"]["id"],
        "amount": "19.99",
        "status": "settled",
        "metadata": {"session_id": session["id"]},
    }
    about = {"type": "payment_intent", "id": facts["id"]}
    kind = {"type": "payment_intent.settled", "mode": "test", "api_version": "1.2.0", "sequence": 9, "resource": about}
    return {"id": f"evt_{number}", "created_at": "2026-11-28T12:00:00.000Z", **kind, "data": facts}


def test_tea_is_sold_when_the_webhook_says_so_and_paid_back(shop: Shop, merchant: Caller) -> None:
    cart, collection = shop.cart_with_tea()
    session = shop.start_paying(collection)
    intent = merchant.get(f"/payment-intents/{session['data']['id']}").body
    assert (intent["amount"], intent["reference"]) == ("19.99", session["id"])
    assert session["data"]["checkout_url"] == intent["checkout_url"]
    status, said = shop.post(f"/store/carts/{cart}/complete", {})
    assert (status, said["type"], shop.payment(cart)) == (400, "not_allowed", None)
    paid(merchant, intent["id"])
    payment = wait_until(lambda: shop.payment(cart), "the order", poll=LOOK_SECONDS)
    assert payment is not None
    assert [float(capture["amount"]) for capture in payment["captures"]] == [19.99]
    assert shop.post(f"/store/carts/{cart}/complete", {})[1]["type"] == "order"
    shop.desk("refund", payment_id=payment["id"], amount=5)
    [refund] = merchant.get(f"/refunds?payment_intent_id={intent['id']}").body["data"]
    assert (refund["amount_usd"], refund["failure_reason"]) == (5, "missing_destination")
    again = shop.payment(cart)
    assert again is not None
    assert [float(given["amount"]) for given in again["refunds"]] == [5.0]


def test_another_amount_is_another_payment(shop: Shop, merchant: Caller) -> None:
    cart, collection = shop.cart_with_tea()
    first = shop.start_paying(collection)
    shop.must(f"/store/carts/{cart}/line-items", {"variant_id": shop.stock["variant"], "quantity": 1})
    assert merchant.get(f"/payment-intents/{first['data']['id']}").body["status"] == "cancelled"
    second = shop.start_paying(collection)
    assert (second["data"]["amount"], second["data"]["id"] != first["data"]["id"]) == ("39.98", True)
    assert shop.hear(settled_event(first, "of_the_old_one")) == 204
    assert shop.payment(cart) is None


@pytest.fixture
def deaf(merchant: Caller, endpoint: dict[str, Any]) -> Iterator[None]:
    """Nobody tells the shop of anything."""
    path = f"/webhook-endpoints/{endpoint['id']}"
    assert merchant.send("PATCH", path, {"enabled": False}).status == 200
    yield
    assert merchant.send("PATCH", path, {"enabled": True}).status == 200


@pytest.mark.usefixtures("deaf")
def test_a_cart_that_was_paid_does_not_change(shop: Shop, merchant: Caller) -> None:
    cart, collection = shop.cart_with_tea()
    session = shop.start_paying(collection)
    paid(merchant, session["data"]["id"])
    wait_until(lambda: status_of(merchant, session) == "settled", "the payment", poll=LOOK_SECONDS)
    more = {"variant_id": shop.stock["variant"], "quantity": 1}
    status, said = shop.post(f"/store/carts/{cart}/line-items", more)
    assert (status, said["message"]) == (500, "Could not delete all payment sessions")
    seen = shop.desk("look", cart=cart)
    assert (float(seen["total"]), [item["quantity"] for item in seen["items"]]) == (19.99, [1])
    done = shop.must(f"/store/carts/{cart}/complete", {})
    assert (done["type"], float(done["order"]["total"])) == ("order", 19.99)
    payment = shop.payment(cart)
    assert payment is not None
    assert [float(capture["amount"]) for capture in payment["captures"]] == [19.99]


def status_of(merchant: Caller, session: dict[str, Any]) -> str:
    return str(merchant.get(f"/payment-intents/{session['data']['id']}").body["status"])


def test_what_is_forged_sells_nothing(shop: Shop) -> None:
    cart, collection = shop.cart_with_tea()
    event = settled_event(shop.start_paying(collection), "forged")
    assert shop.hear(event, TEST_SECRET) == 401
    assert shop.post(HOOK, event)[0] == 401
    assert shop.payment(cart) is None


def test_what_nobody_paid_is_not_sold_by_a_genuine_event(shop: Shop) -> None:
    """The service is asked, whatever an event says."""
    cart, collection = shop.cart_with_tea()
    assert shop.hear(settled_event(shop.start_paying(collection), "too_early")) == 500
    assert shop.payment(cart) is None


def test_one_event_many_times_is_one_effect(shop: Shop, merchant: Caller) -> None:
    cart, payment = sold(shop, merchant)
    session = {"id": payment["payment_session_id"], "data": payment["data"]}
    with ThreadPoolExecutor(AT_ONCE) as pool:
        answers = list(pool.map(lambda _: shop.hear(settled_event(session, "twice")), range(AT_ONCE)))
    assert answers == [204] * AT_ONCE
    after = shop.payment(cart)
    assert after is not None
    assert (after["id"], len(after["captures"])) == (payment["id"], 1)


def test_the_battery_finds_nothing(shop: Shop, merchant: Caller, endpoint: dict[str, Any]) -> None:
    path = f"/webhook-endpoints/{endpoint['id']}"
    assert merchant.post(f"{path}/certify").status == 202
    wait_until(lambda: not merchant.get(f"{path}/certificate").body["is_running"], "the battery", poll=LOOK_SECONDS)
    report = merchant.get(f"{path}/certificate").body
    assert [check for check in report["checks"] if not check["passed"]] == []
    assert (report["score"], report["out_of"]) == (12, 12)


def test_the_service_is_away_and_comes_back(shop: Shop, service: Embedded, merchant: Caller) -> None:
    cart, collection = shop.cart_with_tea()
    service.program.kill_with_children()
    path = f"/store/payment-collections/{collection}/payment-sessions"
    status, said = shop.post(path, {"provider_id": PROVIDER})
    assert (status, said["type"], said["message"][-10:]) == (500, "unexpected_state", "Try again.")
    service.start()
    session = shop.start_paying(collection)
    paid(merchant, session["data"]["id"])
    payment = wait_until(lambda: shop.payment(cart), "the order", poll=LOOK_SECONDS)
    assert payment is not None
    found = merchant.get("/payment-intents?limit=100").body["data"]
    assert len([one for one in found if one["reference"] == session["id"]]) == 1
