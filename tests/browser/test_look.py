"""How the pages look and weigh: for everyone, at every size, in both colour schemes, with and without scripts."""

import gzip
from typing import Any
from urllib.parse import urlsplit

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, Response, expect

from tests.browser.conftest import Visit, visit_in
from tests.browser.looks import sideways
from tests.browser.payer import expect_paid, live_intent, new_intent, part, pay_without_page
from tests.browser.people import sign_in
from tests.journeys.http_caller import Caller
from tests.journeys.programs import Embedded

MOST_BYTES, MOST_REQUESTS = 15 * 1024, 12
"""Source: experience goals, Checkout C2."""
BACK = "https://shop.example/thanks"
LONG = "a-rather-long-order-number-of-this-merchant"
ZOOMED = {"viewport": {"width": 640, "height": 480}, "device_scale_factor": 2, "color_scheme": "dark"}
LOOKS: dict[str, tuple[str, dict[str, Any]]] = {
    "narrow": ("en", {"viewport": {"width": 320, "height": 640}, "reduced_motion": "no-preference"}),
    "zoomed": ("ar", {**ZOOMED, "reduced_motion": "reduce"}),
}
"""The narrowest phone in light; and 1,280 px at 200 %, dark, from right to left, without motion."""
STATES = {
    **{"stuck": "executing", "in_doubt": "executing", "partial": "partially_filled"},
    **{"fail": "failed", "late": "expired", "settle": "cancelled"},
}
"""States that the test helper brings about by a scenario, and the status that the page then has; ``settle`` is what the
merchant cancels before.
"""
WHERE_THE_KEYBOARD_IS = """() => {
  const { outlineStyle, outlineWidth } = getComputedStyle(document.activeElement);
  return [document.activeElement.dataset.testid ?? "", `${outlineStyle} ${outlineWidth}`];
}"""
SMALL_TARGETS = """() => [...document.querySelectorAll("a, button, summary, select, input")]
  .filter((one) => one.checkVisibility() && one.getBoundingClientRect().width)
  .filter((one) => Math.min(one.getBoundingClientRect().height, one.getBoundingClientRect().width) < 24)
  .map((one) => one.outerHTML.slice(0, 90))"""


def unkind(page: Page) -> list[str]:
    """What a state of the checkout does to somebody: axe's finds of any weight, small targets, sideways scrolling."""
    found = [f"{fault['id']}: {fault['nodes']}" for fault in Axe().run(page).response["violations"]]
    small = [f"smaller than 24 px: {target}" for target in page.evaluate(SMALL_TARGETS)]
    return [*found, *small, *sideways(page)]


@pytest.mark.exhaustive
@pytest.mark.parametrize("look", list(LOOKS))
def test_every_state_of_the_checkout_is_kind_to_everyone(chromium: Browser, shop: Caller, look: str) -> None:
    language, options = LOOKS[look]
    visit = visit_in(chromium.new_context(**options), look)
    page, intent = visit.page, new_intent(shop, reference=LONG)
    found: dict[str, list[str]] = {}

    def note(state: str) -> None:
        visit.picture(state)
        found[state] = unkind(page)

    def see(path: str, waited_for: str, state: str) -> None:
        visit.open(f"{path}?locale={language}")
        expect(part(page, waited_for).first).to_be_visible()
        note(state)

    see(intent["checkout_url"], "wallet-option", "wallets")
    part(page, "wallet-option").first.click()
    for state, shown in (("tokens", "token-option"), ("quote", "pay-button"), ("done", "print-button")):
        expect(part(page, shown).first).to_be_visible()
        note(state)
        if state != "done":
            part(page, shown).first.click()
    assert page.evaluate("document.getAnimations().length") == 0 or options["reduced_motion"] != "reduce"
    see(f"{intent['checkout_url']}/receipt", "payment-id", "receipt")
    for scenario, status in STATES.items():
        other = new_intent(shop, scenario, **({"return_url": BACK} if status == "executing" else {}))
        if status == "cancelled":
            assert shop.post(f"/payment-intents/{other['id']}/cancel").status == 200
        else:
            pay_without_page(shop, other["id"], scenario)
        visit.open(f"{other['checkout_url']}?locale={language}")
        expect(part(page, "status")).to_have_attribute("data-status", status)
        note(f"{status}-{scenario}")
    assert {state: faults for state, faults in found.items() if faults} == {}
    visit.is_quiet()
    page.context.close()


def test_what_a_payer_loads_is_light(visit: Visit, service: Embedded) -> None:
    """In live mode, for the simulated wallets of test mode are no payer's load: all of one place, few files, light."""
    answers: list[Response] = []
    visit.page.context.on("response", lambda answer: answers.append(answer))  # noqa: PLW0108 - the driver wants one
    page = visit.open(live_intent(service)["checkout_url"])
    page.wait_for_load_state("networkidle")
    files = [answer for answer in answers if "/api/" not in answer.url]
    assert {urlsplit(answer.url).netloc for answer in answers} == {urlsplit(page.url).netloc}
    assert len(files) <= MOST_REQUESTS, [answer.url for answer in files]
    assert sum(len(gzip.compress(answer.body())) for answer in files) <= MOST_BYTES


def test_the_keyboard_alone_pays(visit: Visit, shop: Caller) -> None:
    """From load to paid with Tab and Enter; where the keyboard is, is always seen."""
    intent = new_intent(shop)
    page = visit.open(intent["checkout_url"])
    for name in ("wallet-option", "token-option", "pay-button"):
        expect(part(page, name).first).to_be_visible()
        for _ in range(12):
            page.keyboard.press("Tab")
            at, ring = page.evaluate(WHERE_THE_KEYBOARD_IS)
            assert ring == "solid 3px", at
            if at == name:
                break
        assert at == name
        page.keyboard.press("Enter")
    expect_paid(page, shop, intent["id"])


def test_the_other_pages_are_accessible(any_screen: Visit, service: Embedded) -> None:
    for path in ("/", "/docs/", "/docs/quickstart", "/docs/errors", "/agents/", "/demo/", "/accounts/login/"):
        any_screen.open(service.base_url + path)
        any_screen.look(f"page{path.replace('/', '-')}")
    page = any_screen.open(service.demo["dashboard_url"])
    sign_in(page, service)
    expect(page).to_have_title("[TEST] Home · Demo Shop")
    any_screen.look("dashboard")


def test_what_a_link_of_docs_leads_to_stands_below_the_top(any_screen: Visit, service: Embedded) -> None:
    page = any_screen.open(f"{service.base_url}/docs/errors#intent_not_settled")
    below = "document.querySelector(':target').getBoundingClientRect().top >= "
    page.wait_for_function(f"{below}document.querySelector('.guides .top').getBoundingClientRect().bottom")
