"""Consent in a real browser: a person signs in and allows an agent, which asks for more and is told no."""

from urllib.parse import urlsplit

from playwright.sync_api import expect

from tests.browser.conftest import Visit
from tests.browser.oauth import MONEY, Program, exchange, link, register
from tests.browser.people import sign_in
from tests.journeys.programs import Embedded


def test_a_person_signs_in_and_allows(any_screen: Visit, service: Embedded, program: Program) -> None:
    client_id = register(service, program, f"Helpful Agent {any_screen.screen}")
    page = any_screen.open(link(service, program, client_id, MONEY))
    sign_in(page, service)
    expect(page.get_by_test_id("redirect-host")).to_contain_text(urlsplit(program.callback).netloc)
    expect(page.get_by_test_id("localhost-warning")).to_be_visible()
    expect(page.get_by_label("At most per refund or payout")).to_have_value("1000.00")
    any_screen.look("consent-test")
    page.get_by_label("At most per refund or payout").fill("25")
    page.get_by_role("button", name="Allow").click()
    expect(page).to_have_title("Agent")
    [answer] = program.answers
    assert {key: answer[key] for key in ("state", "iss")} == {"state": "state-of-the-agent", "iss": service.base_url}
    assert exchange(service, program, client_id, answer["code"])["scope"].split() == sorted(MONEY.split())
    page = any_screen.open(link(service, program, client_id, f"{MONEY} refunds:write"))
    expect(page.get_by_test_id("step-up")).to_be_visible()
    expect(page.get_by_label("At most per refund or payout")).to_have_value("25.00")
    any_screen.look("consent-step-up")
    page.get_by_role("button", name="Cancel").click()
    expect(page).to_have_title("Agent")
    assert program.answers[-1]["error"] == "access_denied"
