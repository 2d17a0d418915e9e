"""The checkout inside pages of shops: the demo shop and the three examples, at origins other than the service's."""

import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import FrameLocator, Page, expect

from tests.browser.conftest import Visit
from tests.browser.payer import LOOK_SECONDS, expect_paid, expect_title, new_intent, part, pay
from tests.journeys.http_caller import Caller
from tests.journeys.programs import ROOT, Embedded, Program, clean_environment
from tests.machine import own_port, wait_until

EXAMPLES = ROOT / "examples"
WRITTEN_FOR = "http://localhost:8000"
OPENED = "The shop is open"


@contextmanager
def running(folder: Path, opened: str, *command: object, **environment: str) -> Iterator[None]:
    """A shop's program, as its README says, from when it says that it is open."""
    shop = Program(
        command=(sys.executable, *map(str, command)),
        environment=clean_environment(**environment),
        log=folder / "shop.log",
    )
    shop.start()
    try:
        wait_until(lambda: opened in shop.printed(), opened)
        yield
    finally:
        shop.stop()


def filled_in(example: str, folder: Path, service: Embedded, key: str) -> Path:
    """A copy of an example's files with the address and the key that its README tells to fill in."""
    copy = folder / example
    shutil.copytree(EXAMPLES / example, copy)
    page = copy / "index.html"
    text = page.read_text().replace(WRITTEN_FOR, service.base_url)
    page.write_text(text.replace("pk_test_your_publishable_key", key))
    return copy


def pay_in(page: Page) -> FrameLocator:
    frame = page.frame_locator("iframe")
    pay(frame)
    return frame


def test_the_demo_shop_is_paid_in_its_own_page_in_four_clicks(visit: Visit, service: Embedded) -> None:
    page = visit.open(f"http://127.0.0.1:{service.port}/demo/")
    part(page, "pay-here-bridge").click()
    page.wait_for_url("**/pay")
    frame = page.frame_locator("iframe")
    expect(frame.get_by_test_id("wallet-option")).to_have_count(2)
    visit.picture("demo-pay-here")
    assert visit.violations() == []
    pay_in(page)
    expect(part(page, "order-state")).to_have_text("Paid. Thank you!")
    assert page.url.startswith(f"http://127.0.0.1:{service.port}/demo/orders/")


@pytest.mark.exhaustive
def test_the_plain_page(visit: Visit, service: Embedded, shop: Caller, key: str, tmp_path: Path) -> None:
    intent, port = new_intent(shop)["id"], own_port()
    files = ("-m", "http.server", port, "--bind", "127.0.0.1", "--directory")
    with running(tmp_path, "Serving HTTP", *files, filled_in("plain-page", tmp_path, service, key)):
        page = visit.open(f"http://127.0.0.1:{port}/index.html?intent={intent}")
        expect_paid(pay_in(page), shop, intent)
        expect(page.get_by_role("status")).to_contain_text("Paid.")
        visit.picture("example-plain-page")
        assert visit.violations() == []


@pytest.mark.exhaustive
def test_the_django_view(visit: Visit, service: Embedded, shop: Caller, key: str, tmp_path: Path) -> None:
    port = own_port()
    made = shop.post("/webhook-endpoints", {"url": f"http://127.0.0.1:{port}/webhook", "events": ["payment_intent.*"]})
    keys = {"CAUSEWAY_API_KEY": shop.key, "CAUSEWAY_PUBLISHABLE_KEY": key, "CAUSEWAY_BASE_URL": service.base_url}
    keys |= {"CAUSEWAY_WEBHOOK_SECRET": made.body["secret"], "PORT": str(port)}
    with running(tmp_path, OPENED, EXAMPLES / "django-view" / "shop.py", **keys):
        page = visit.open(f"http://127.0.0.1:{port}")
        page.get_by_role("button").click()
        expect_title(pay_in(page), "Paid.")
        visit.picture("example-django-view")
        assert visit.violations() == []
        wait_until(lambda: "Thank you" in page.reload().text(), "the webhook", poll=LOOK_SECONDS)  # type: ignore[union-attr]  # a page
        assert page.locator("iframe").count() == 0
    assert shop.send("DELETE", f"/webhook-endpoints/{made.body['id']}").status == 200


@pytest.mark.exhaustive
def test_the_static_shop(visit: Visit, service: Embedded, shop: Caller, key: str, tmp_path: Path) -> None:
    folder, port = filled_in("static-shop", tmp_path, service, key), str(own_port())
    keys = {"CAUSEWAY_API_KEY": shop.key, "CAUSEWAY_BASE_URL": service.base_url, "FOLDER": str(folder), "PORT": port}
    with running(tmp_path, OPENED, EXAMPLES / "static-shop" / "create_payment.py", **keys):
        page = visit.open(f"http://127.0.0.1:{port}")
        page.get_by_role("button", name="$40.00").click()
        expect_title(pay_in(page), "Paid.")
        visit.picture("example-static-shop")
        assert visit.violations() == []
        expect(page.get_by_role("status")).to_contain_text("Paid.")
    [latest] = shop.get("/payment-intents?limit=1").body["data"]
    assert (latest["amount"], latest["status"], latest["metadata"]) == ("40.00", "settled", {"product": "harbour"})
