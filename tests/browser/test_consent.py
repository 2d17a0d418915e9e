"""A person allows an agent on the consent page: in a real browser, which is sent back to a program on this machine."""

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
    steps_up(any_screen, service, program, client_id)


def steps_up(visit: Visit, service: Embedded, program: Program, client_id: str) -> None:
    """The same agent asks for more, and is told no."""
    page = visit.open(link(service, program, client_id, f"{MONEY} refunds:write"))
    expect(page.get_by_test_id("step-up")).to_be_visible()
    expect(page.get_by_label("At most per refund or payout")).to_have_value("25.00")
    visit.look("consent-step-up")
    page.get_by_role("button", name="Cancel").click()
    expect(page).to_have_title("Agent")
    assert program.answers[-1]["error"] == "access_denied"
