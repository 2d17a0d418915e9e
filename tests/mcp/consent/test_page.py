"""What the page says, and to whom it offers what."""

import pytest
from django.test import override_settings

from core import rate_limits
from core.modes import Mode
from mcp.models import AgentConnection, Application, Grant
from mcp.scopes import BASIC_SCOPES, Scope
from merchants.models import Membership, Merchant, Role
from merchants.services import NewMerchant
from tests.mcp.consent.person import AUTHORIZE, NOTHING, Person, stored
from tests.mcp.oauth.flow import CALLBACK, is_read, new_application
from tests.merchants.people import add_member

EVERYTHING = " ".join(Scope)
MONEY = {Scope.WRITE_PAYOUTS, Scope.WRITE_REFUNDS}


def test_the_page_says_what_it_must(person: Person, application: Application) -> None:
    page = person.opens(application, scope=EVERYTHING)
    assert "Let <bdi>Helpful Agent</bdi> act for <bdi>Corner Shop</bdi>?" in page.text
    assert "See, make or change API keys" in page.text
    assert "Change where your money settles" in page.text
    assert page.links["Connected agents in your dashboard"] == "/dashboard/test/agents/"
    assert page.parts["mode-band"].startswith("TEST Everything is simulated.")
    assert page.fields["lifetime"] == "30"
    assert [word for word in ("<script", "<style", " style=", " onclick=", "javascript:") if word in page.text] == []


def test_a_client_is_called_what_is_known_of_it(person: Person, application: Application) -> None:
    page = person.opens(application)
    assert page.parts["identity"].startswith("Unverified: it registered itself and chose its own name.")
    client_id = "https://agent.example/client.json"
    described = {"client_id": client_id, "client_name": "Hosted Agent", "redirect_uris": [CALLBACK]}
    is_read({**described, "token_endpoint_auth_method": "none"}, client_id)
    page = person.opens(Application(client_id=client_id))
    assert page.parts["identity"] == "Verified: this program is published by agent.example."
    page = person.opens(new_application(registration_source="manual"))
    assert page.parts["identity"] == "Registered by the operator of this service."
    # Names cannot dress up.
    Application.objects.filter(pk=application.pk).update(name="<b>Cl\u202eaude\u200b</b>\n\n by  Bank" + "x" * 90)
    page = person.opens(application)
    assert "&lt;b&gt;Claude&lt;/b&gt; by Bank" in page.text
    assert not {"\u202e", "\u200b"} & set(page.text)
    assert len(page.fields["name"]) <= 80


HOSTS = {
    "https": ("https://agent.example/callback", "agent.example", ""),
    "https-port": ("https://agent.example:8443/callback", "agent.example:8443", ""),
    "long": (f"https://claude.ai.{'a' * 60}.evil.example/c", f"claude.ai.{'a' * 60}.evil.example", ""),
    "localhost": ("http://localhost:7777/oauth/callback", "localhost:7777", "localhost-warning"),
    "ipv4": ("http://127.0.0.1:33418/", "127.0.0.1:33418", "localhost-warning"),
    "ipv6": ("http://[::1]:33418/", "[::1]:33418", "localhost-warning"),
    "app": ("cursor://anysphere.cursor-mcp/oauth/callback", "cursor:", "app-warning"),
}


def test_the_redirect_is_shown_in_full_and_the_policy_lets_the_form_lead_there(person: Person) -> None:
    """Gap 11: browsers hold a form's redirects against form-action."""
    for case, (uri, host, warning) in HOSTS.items():
        page = person.opens(new_application(redirect_uris=uri), redirect_uri=uri)
        assert page.parts["redirect-host"] in {f"{host} {uri}", f"{host}{uri}"}, case
        assert {"localhost-warning", "app-warning"} & set(page.parts) == ({warning} if warning else set()), case
        policy = dict(part.strip().split(" ", 1) for part in page.headers["Content-Security-Policy"].split(";") if part)
        source = {"app": "cursor:", "ipv6": "http:"}.get(case, uri.rpartition("/oauth")[0] or uri.rpartition("/")[0])
        assert {"'self'", source} <= set(policy["form-action"].split()), case
        assert (policy["frame-ancestors"], policy["script-src"], policy["style-src"]) == ("'none'", "'self'", "'self'")
        assert page.headers["X-Frame-Options"] == "DENY"
        assert "no-store" in page.headers["Cache-Control"]


def test_an_owner_is_offered_everything_and_reading_is_fixed(person: Person, application: Application) -> None:
    page = person.opens(application, scope=None)
    assert set(page.ticked) == {"payment_intents:read", "tokens:read", "webhooks:verify"}
    page = person.opens(application, scope="tokens:read customer_data:read payouts:write")
    assert set(page.boxes) == set(Scope)
    assert set(page.ticked) == {"tokens:read", "customer_data:read", "payouts:write"}
    assert [scope for scope, box in page.boxes.items() if box["fixed"]] == ["tokens:read"]
    # What is unticked is not granted and extras that are ticked are.
    answer = person.presses(page, scopes=["customer_data:read", "payment_intents:write"])
    assert answer.status == 302
    granted = "customer_data:read payment_intents:write tokens:read"
    assert (Grant.objects.get().scope, " ".join(AgentConnection.objects.get().scopes)) == (granted, granted)


OFFERED: dict[Role, set[Scope]] = {
    Role.OWNER: set(Scope),
    Role.ADMIN: set(Scope),
    Role.DEVELOPER: set(Scope) - MONEY,
    Role.SUPPORT: set(Scope) - MONEY - {Scope.WRITE_INTENTS},
    Role.VIEWER: set(BASIC_SCOPES),
}


@pytest.mark.parametrize("role", list(Role))
def test_a_role_lends_only_what_it_may(merchant: Merchant, application: Application, role: Role) -> None:
    member = Person(user=add_member(merchant, "member@shop.example", role)).sign_in()
    page = member.opens(application, scope=EVERYTHING)
    assert set(page.boxes) == OFFERED[role]
    assert ("refused-to-role" in page.parts) == (OFFERED[role] != set(Scope))
    before = stored()
    refused = sorted(set(Scope) - OFFERED[role])
    for scope in refused:
        assert member.presses(page, scopes=[scope]).status == 200
    assert stored() == before
    assert member.presses(page).status == 302
    assert set(AgentConnection.objects.get().scopes) == OFFERED[role]


def test_the_merchant_is_chosen_where_there_are_several(
    person: Person, application: Application, other_account: NewMerchant
) -> None:
    Membership.objects.create(user=person.user, merchant=other_account.merchant, role=Role.VIEWER)
    page = person.opens(application, scope=EVERYTHING)
    assert page.here == ["Corner Shop", "Test"]
    other = person.follows(page.links["Other Shop"])
    assert (other.here, set(other.boxes)) == (["Other Shop", "Test"], OFFERED[Role.VIEWER])
    assert person.presses(other).status == 302
    connection = AgentConnection.objects.get()
    assert (connection.merchant, connection.mode) == (other_account.merchant, Mode.TEST)


def test_a_choice_is_for_its_person_and_its_request(
    person: Person, application: Application, other_account: NewMerchant
) -> None:
    """A client cannot choose for a person; nor can another person's link."""
    stranger = Person(user=other_account.merchant.memberships.get().user).sign_in()
    link = stranger.opens(application).links["Live"]
    assert person.follows(link).here == ["Test"]
    own = person.opens(application).links["Live"].partition("&choice=")[2]
    words = person.query(application, state="other")
    assert person.follows(f"{AUTHORIZE}?{words}&choice={own}").here == ["Test"]
    assert person.follows(f"{AUTHORIZE}?{words}&choice=nonsense&mode=live&merchant=1").here == ["Test"]
    assert stored() == NOTHING


def test_requests_are_counted(person: Person, application: Application) -> None:
    with override_settings(RATE_LIMIT_SCALE=0.001):  # one a minute: also a slow machine asks twice in that time
        rate_limits.forget()
        pages = [person.opens(application) for _ in range(3)]
    assert (pages[0].status, pages[2].status) == (200, 429)
    assert "Apps ask too often" in pages[2].text
    assert f"Wait {pages[2].headers['Retry-After']} second" in pages[2].text
