"""Who reaches what by a key: every cell of the table in docs/dashboard.md, tried on the pages."""

import re
from itertools import product
from pathlib import Path

import pytest
from django.test import Client

from core.modes import Mode
from merchants.key_terms import KeyTerms
from merchants.models import ApiKey, Change, KeyKind, Role
from merchants.principal import Principal
from merchants.scopes import KeyScope
from merchants.services import NewMerchant, create_restricted_key
from merchants.services.keys import newest_key_id
from tests.factories.rows import Rows, rows_of
from tests.merchants.people import OWNER, add_member, add_second_factor, confirm_identity, sign_in

PAGE = Path(__file__).parents[2] / "docs" / "dashboard.md"
ALL = "all (the secret key; rolling the pair; *A key has leaked*)"


def table() -> dict[tuple[str, Mode], set[str]]:
    """The roles of each row and mode, as the document tells them."""
    rows = re.findall(r"^\| `?([^|`]+)`? \| ([a-z, ]+) \| ([a-z, ]+) \|$", PAGE.read_text(), re.MULTILINE)
    told = {name.strip(): (test, live) for name, test, live in rows}
    assert set(told) >= {*KeyScope, ALL}
    return {(name, mode): set(told[name][mode == Mode.LIVE].split(", ")) for name in (*KeyScope, ALL) for mode in Mode}


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
    said, at = table(), f"/dashboard/{mode}/keys/"
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
    said, at = table()[ALL, mode], f"/dashboard/{mode}/keys/"
    for role, client in people.items():
        may = role in said
        secret = ApiKey.objects.filter(merchant=account.merchant, mode=mode, kind=KeyKind.SECRET).latest("pk")
        before = keys_and_deeds()
        answers = [
            send(client, f"{at}roll/", grace="24", shown_key_id=secret.pk),
            send(client, f"{at}{secret.pk}/revoke/"),
            send(client, f"{at}leaked/", shown_key_id=ApiKey.objects.latest("pk").pk),
        ]
        assert answers == ([200, 302, 200] if may else [403] * 3), role
        assert (keys_and_deeds() == before) is not may
