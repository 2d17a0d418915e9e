"""A scenario file is sent in on the dashboard, and its moments are gone through by slider and keyboard."""

import json

from playwright.sync_api import expect

from tests.browser.conftest import Visit
from tests.browser.test_dashboard_journeys import see
from tests.journeys.programs import Embedded
from tests.theatre.files import ARRIVAL, one_try

TAKEN_BACK = one_try(
    {"arrivals": [ARRIVAL | {"final_ms": 90_000, "gone_ms": 40_000, "back_ms": 60_000}]},
    {"status": "settled", "received_usd": "25.00"},
    {"status": "confirmed", "base_units": "25000000"},
)


def test_a_file_is_played_and_looked_at_moment_by_moment(owner: Visit, service: Embedded) -> None:
    page = owner.open(f"{service.base_url}/dashboard/test/scenarios/")
    name = f"taken back {owner.screen}.json"
    content = json.dumps(TAKEN_BACK).encode()
    page.get_by_label("Scenario file").set_input_files(
        {"name": name, "mimeType": "application/json", "buffer": content}
    )
    page.get_by_role("button", name="Play it").click()
    see(page, "Moment by moment")
    expect(page.get_by_test_id("verdict")).to_have_text("Same end")
    slider = page.get_by_role("slider")
    expect(page.locator("[data-step]:visible")).to_have_count(1)
    expect(page.get_by_text("It is there again")).to_be_hidden()
    slider.focus()
    page.keyboard.press("Home")
    expect(page.locator("output")).to_have_text("1 of 10, at 0:00.000")
    for _ in range(7):
        page.keyboard.press("ArrowRight")
    expect(page.get_by_text("A reorganisation takes it away")).to_be_visible()
    expect(page.get_by_text("payment_intent.settlement_reversed")).to_be_visible()
    owner.look("theatre")
    page.goto(f"{service.base_url}/dashboard/test/scenarios/")
    expect(page.get_by_role("link", name=name)).to_be_visible()
    owner.look("theatre-list")
