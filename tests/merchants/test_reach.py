"""Who reaches what on the dashboard and by a key: every cell of docs/reach.md, tried on the pages."""

from itertools import product
from uuid import uuid4

import pytest
from django.test import Client

from config.reach_page import PAGE, PAIR, written
from core.modes import Mode
from merchants.key_terms import KeyTerms
from merchants.models import ApiKey, Change, KeyKind, Role
from merchants.principal import Principal
from merchants.scopes import KeyScope
from merchants.services import NewMerchant, create_restricted_key
from merchants.services.keys import newest_key_id
from tests.factories.refunds import paid_intent
from tests.factories.rows import Rows, rows_of
from tests.merchants.people import OWNER, add_member, add_second_factor, confirm_identity, sign_in, text_of
from tests.reach import KEYS, PEOPLE, cells


@pytest.fixture
def people(account: NewMerchant) -> dict[Role, Client]:
    emails = {role: OWNER if role == Role.OWNER else f"{role}@shop.example" for role in Role}
    for role in set(Role) - {Role.OWNER}:
        add_member(account.merchant, emails[role], role)
    for email in emails.values():
        add_second_factor(email)
    browsers = {role: sign_in(email) for role, email in emails.items()}
    for browser in browsers.values():
        confirm_identity(browser)
    return browsers


def keys_and_deeds() -> Rows:
    """Every key, and all that the audit says was done."""
    return rows_of([ApiKey, Change])


def send(client: Client, path: str, **fields: object) -> int:
    """A form as the page would send it, hidden fields and all; the status of the answer."""
    client.handler.enforce_csrf_checks = False  # the roles are tried here, and forged forms in test_every_page
    return int(client.post(path, fields).status_code)


@pytest.mark.parametrize("mode", Mode)
@pytest.mark.slow
def test_nobody_reaches_by_a_key_what_the_role_does_not(
    mode: Mode, people: dict[Role, Client], account: NewMerchant
) -> None:
    owner = Principal(merchant_id=account.merchant.pk, mode=mode, actor="user:1")
    said, at = cells(KEYS), f"/dashboard/{mode}/keys/"
    for scope, (role, client) in product(KeyScope, people.items()):
        may = role in said[scope, mode]
        made = create_restricted_key(owner, KeyTerms(name="Till", scopes=(scope,)), shown_key_id=newest_key_id(owner))
        terms = {"name": "New", "scopes": [scope], "shown_key_id": newest_key_id(owner)}
        before = keys_and_deeds()
        refused = 400 if role in said[KeyScope.READ_INTENTS, mode] else 403  # the form itself is a builder's
        assert send(client, f"{at}new/", **terms) == (200 if may else refused), (role, scope)
        assert (keys_and_deeds() == before) is not may
        if may:
            newest = ApiKey.objects.latest("pk")
            assert newest.scopes == [scope]
            newest.delete()
        for deed, fields, done in (
            ("edit", {"name": "Other", "scopes": [scope]}, 302),
            ("roll", {"grace": "24"}, 200),
            ("revoke", {}, 302),
        ):
            before = keys_and_deeds()
            status = send(client, f"{at}{made.key.pk}/{deed}/", **fields)
            assert status == (done if may else 403), (role, scope, deed)
            assert (keys_and_deeds() == before) is not may
        ApiKey.objects.filter(kind=KeyKind.RESTRICTED).delete()


@pytest.mark.parametrize("mode", Mode)
@pytest.mark.slow
def test_nobody_widens_a_key_beyond_the_own_reach_nor_takes_the_pair(
    mode: Mode, people: dict[Role, Client], account: NewMerchant
) -> None:
    owner = Principal(merchant_id=account.merchant.pk, mode=mode, actor="user:1")
    terms = KeyTerms(name="Till", scopes=(KeyScope.READ_INTENTS,))
    made = create_restricted_key(owner, terms, shown_key_id=newest_key_id(owner))
    wider = {"name": "Till", "scopes": [KeyScope.READ_INTENTS, KeyScope.WRITE_REFUNDS]}
    status = send(people[Role.DEVELOPER], f"/dashboard/{mode}/keys/{made.key.pk}/edit/", **wider)
    made.key.refresh_from_db()
    assert (status, KeyScope.WRITE_REFUNDS in made.key.scopes) == ((302, True) if mode == Mode.TEST else (400, False))
    said, at = cells(KEYS)[PAIR, mode], f"/dashboard/{mode}/keys/"
    for role, client in people.items():
        may = role in said
        pair = ApiKey.objects.filter(merchant=account.merchant, mode=mode)
        secret, public = (
            pair.filter(kind=KeyKind.SECRET).latest("pk"),
            pair.filter(kind=KeyKind.PUBLISHABLE).latest("pk"),
        )
        before = keys_and_deeds()
        answers = [
            send(client, f"{at}roll/", grace="24", shown_key_id=secret.pk),
            send(client, f"{at}{secret.pk}/revoke/"),
            send(client, f"{at}{public.pk}/revoke/"),
            send(client, f"{at}leaked/", shown_key_id=ApiKey.objects.latest("pk").pk),
        ]
        assert answers == ([200, 302, 302, 200] if may else [403] * 4), role
        assert (keys_and_deeds() == before) is not may


def test_the_page_is_current() -> None:
    assert PAGE.read_text(encoding="utf-8") == written(), "docs/reach.md is not current: run `make reach`"


@pytest.mark.parametrize("mode", Mode)
@pytest.mark.slow
def test_each_role_does_on_the_dashboard_what_the_table_says(
    mode: Mode, people: dict[Role, Client], account: NewMerchant
) -> None:
    at = f"/dashboard/{mode}"
    intent = paid_intent(account.merchant, mode=mode, customer_email="payer@shop.example")
    payment = f"{at}/payments/{intent.pk}/"
    done: dict[tuple[str, str], set[str]] = {scope: set() for scope in cells(PEOPLE) if scope[1] == mode}
    for role, client in people.items():
        page = client.get(payment)
        tried = {
            "payment_intents:read": page.status_code == 200,
            "customer_data:read": "payer@shop.example" in text_of(page),
            "payment_intents:write": send(client, f"{payment}cancel/") != 403,
            "refunds:write": client.get(f"{payment}refund/").status_code == 200,
            "payouts:write": send(client, f"{at}/payouts/{uuid4()}/replay/") != 403,
        }
        for scope in [scope for scope, may in tried.items() if may]:
            done[scope, mode].add(role)
    assert done == {scope: roles for scope, roles in cells(PEOPLE).items() if scope[1] == mode}
