"""What is refused before, on and after the page, and that nothing is stored then."""

from collections.abc import Callable
from datetime import timedelta
from itertools import product
from typing import Any

import time_machine
from django.core import signing

from core.clock import now
from core.modes import Mode
from mcp.models import AgentConnection, AnsweredConsent, Application, Grant
from merchants.models import Membership, Merchant, Role
from tests.each import faults
from tests.mcp.consent.person import AUTHORIZE, NOTHING, PASSWORD, Person, stored
from tests.mcp.oauth.flow import CALLBACK, challenge_of, new_application
from tests.merchants.people import add_member

ISSUER = "http://localhost:8000"


def test_the_page_is_shown_whatever_was_granted_before(person: Person, application: Application) -> None:
    trusted = new_application(skip_authorization=True)
    assert person.opens(trusted).status == 200
    assert stored() == NOTHING
    person.presses(person.opens(application))
    before = stored()
    for word in ("approval_prompt=auto", "prompt=none", "prompt=login", "nonce=1&claims=%7B%7D"):
        answer = person.follows(f"{AUTHORIZE}?{person.query(application)}&{word}")
        assert (answer.status, "ticket" in answer.fields) == (200, True), word
    assert stored() == before


def test_strangers_sign_in_first_and_come_back(person: Person, application: Application) -> None:
    stranger = Person(user=person.user)
    answer = stranger.presses(person.opens(application))
    assert (answer.status, answer.target) == (302, "/accounts/login/")
    answer = stranger.opens(application)
    assert (answer.status, answer.target) == (302, "/accounts/login/")
    back = stranger.client.post(answer.headers["Location"], {"login": person.user.email, "password": PASSWORD})
    assert back.headers["Location"] == f"{AUTHORIZE}?{stranger.query(application)}"
    assert stranger.follows(back.headers["Location"]).status == 200
    assert stored() == NOTHING
    # An error after signing in is shown here: the browser still holds the sign-in form's policy against redirects.
    stranger = Person(user=person.user)
    stranger.opens(application, scope="everything")
    stranger.sign_in()
    answer = stranger.opens(application, scope="everything")
    assert (answer.status, "Location" in answer.headers) == (400, False)
    assert answer.links["Back to the agent"].startswith(f"{CALLBACK}?")
    assert stranger.opens(application, scope="everything").status == 302


def test_only_the_allow_button_allows(person: Person, application: Application) -> None:
    for answer in (None, "", "look", "ALLOW", "yes"):
        assert person.presses(person.opens(application), answer).status == 200, answer
    page = person.presses(person.opens(application, scope="payouts:write"), scopes=None)
    assert page.status == 200
    assert "Tick at least one permission, or cancel." in page.errors
    assert stored() == NOTHING
    cancelled = person.presses(person.opens(application), "cancel", scopes=["payouts:write"])
    assert (cancelled.status, cancelled.target) == (302, CALLBACK)
    told = {key: cancelled.answer[key] for key in ("error", "state", "iss")}
    assert told == {"error": "access_denied", "state": "xyz", "iss": ISSUER}
    assert stored() == NOTHING | {"AnsweredConsent": 1}


SENDS: dict[str, Any] = {"scopes": ["payouts:write"]}
WRONG_FORMS: list[dict[str, Any]] = [
    {"scopes": ["everything"]},
    *(SENDS | {"per_call_usd": text} for text in ("ten", "", "NaN", "0.0000001")),
    *(SENDS | {"per_day_usd": text} for text in ("-1", "Infinity")),
    SENDS | {"approval_above_usd": "1000000001"},
    *({"lifetime": days} for days in ("36500", "keep")),
    *({"name": name} for name in ("n" * 81, "a\x00b")),
]


def test_a_form_that_is_filled_in_wrongly_is_shown_again(person: Person, application: Application) -> None:
    for fields in WRONG_FORMS:
        page = person.presses(person.opens(application), **fields)
        assert (page.status, page.errors != []) == (200, True), fields
    assert stored() == NOTHING
    right = {"per_call_usd": "1", "per_day_usd": "1", "approval_above_usd": "", "name": "ok", "lifetime": "1"}
    assert person.presses(page, **right).status == 302


def test_hidden_words_of_a_form_change_nothing(person: Person, application: Application) -> None:
    other = new_application(redirect_uris="https://evil.example/callback")
    answer = person.presses(
        person.opens(application),
        client_id=other.client_id,
        redirect_uri="https://evil.example/callback",
        state="other",
        code_challenge=challenge_of("b" * 43),
        resource="https://other.example/mcp",
        merchant="1",
        mode="live",
    )
    assert (answer.target, answer.answer["state"]) == (CALLBACK, "xyz")
    grant = Grant.objects.get()
    assert (grant.application, grant.code_challenge) == (application, challenge_of(person.verifier))
    assert grant.resource == ["http://localhost:8000/mcp"]
    assert AgentConnection.objects.get().mode == Mode.TEST
    # A wider hidden scope is not honoured.
    answer = person.presses(person.opens(application), scope="payouts:write refunds:write")
    assert answer.status == 302
    assert Grant.objects.latest("pk").scope == "payment_intents:read tokens:read webhooks:verify"
    # The query of the posted address changes nothing.
    page = person.opens(application)
    words = person.query(other, redirect_uri="https://evil.example/callback", scope="payouts:write")
    posted = person.client.post(f"{AUTHORIZE}?{words}", {**page.fields, "answer": "allow"})
    assert posted.headers["Location"].startswith(f"{CALLBACK}?")
    assert Grant.objects.latest("pk").scope == "payment_intents:read tokens:read webhooks:verify"


TAMPERED: dict[str, Callable[[str], str | None]] = {
    "none": lambda _: None,
    "empty": lambda _: "",
    "nonsense": lambda _: "nonsense",
    "one-letter-else": lambda ticket: ticket[:-1] + ("A" if ticket[-1] != "A" else "B"),
    "other-salt": lambda _: signing.dumps({"query": ""}, salt="other"),
    "unsigned": lambda ticket: ticket.partition(":")[0],
}


def test_a_form_that_is_not_ours_is_refused(person: Person, application: Application, merchant: Merchant) -> None:
    page = person.opens(application)
    for case, changed in TAMPERED.items():
        assert person.presses(page, ticket=changed(page.fields["ticket"])).status == 400, case
    # A form is for the person it was drawn for.
    other = Person(user=add_member(merchant, "admin@shop.example", Role.ADMIN)).sign_in()
    assert other.presses(page).status == 400
    # Forged forms are refused.
    forger = Person(user=person.user)
    forger.client.handler.enforce_csrf_checks = True
    forger.client.cookies = person.client.cookies
    answer = forger.presses(page, csrfmiddlewaretoken=None)
    assert (answer.status, answer.headers["Content-Type"]) == (403, "text/html; charset=utf-8")
    assert stored() == NOTHING


def test_a_form_is_answered_once(person: Person, application: Application) -> None:
    for first, second in product(("cancel", "allow"), ("allow", "cancel")):
        page = person.opens(application)
        assert person.presses(page, first).status == 302
        before = stored()
        again = person.presses(page, second)
        assert again.status in {302, 400}
        assert "code" not in (again.answer if again.status == 302 else {})
        assert stored() == before


def test_a_late_form_is_drawn_again(person: Person, application: Application) -> None:
    with time_machine.travel(now(), tick=False) as clock:
        person.sign_in()
        page = person.opens(application)
        clock.shift(timedelta(seconds=901))
        answer = person.presses(page)
    assert (answer.status, answer.headers["Location"]) == (302, f"{AUTHORIZE}?{person.query(application)}")
    assert stored() == NOTHING


MEANWHILE: dict[str, Callable[[Person, Application], object]] = {
    "leaves": lambda person, _: Membership.objects.filter(user=person.user).delete(),
    "falls": lambda person, _: Membership.objects.filter(user=person.user).update(role=Role.VIEWER),
    "connects elsewhere": lambda person, application: person.presses(person.opens(application)),
}


def test_what_changed_meanwhile_is_shown_first(person: Person, application: Application) -> None:
    def is_shown_first(change: str) -> None:
        page = person.opens(application, scope="payouts:write tokens:read")
        MEANWHILE[change](person, application)
        before = stored()
        answer = person.presses(page)
        assert (answer.status, answer.target) == (302, AUTHORIZE)
        assert stored() == before

    assert faults(is_shown_first, MEANWHILE) == {}


def test_a_client_or_a_redirect_that_is_gone_gets_nothing(person: Person, application: Application) -> None:
    page = person.opens(application)
    for gone in (lambda: Application.objects.update(redirect_uris="https://agent.example/other"), application.delete):
        gone()
        answer = person.presses(page)
        assert (answer.status, "Location" in answer.headers) == (400, False)
    assert stored() == NOTHING


def test_other_methods_are_refused_and_people_without_a_merchant(person: Person, application: Application) -> None:
    for method in ("put", "patch", "delete"):
        assert getattr(person.client, method)(AUTHORIZE).status_code == 405
    assert person.client.head(f"{AUTHORIZE}?{person.query(application)}").status_code == 200
    Membership.objects.filter(user=person.user).delete()
    page = person.opens(application)
    assert (page.status, "Not allowed" in page.text) == (403, True)
    assert stored() == NOTHING


def test_answered_pages_are_forgotten_after_an_hour(person: Person, application: Application) -> None:
    person.presses(person.opens(application), "cancel")
    AnsweredConsent.objects.update(answered_at="2020-01-01T00:00:00Z")
    person.presses(person.opens(application), "cancel")
    assert AnsweredConsent.objects.count() == 1
