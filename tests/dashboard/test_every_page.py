"""Every page of the dashboard against everybody: whose rows it shows, what each role may, who is asked again.

Generated from the registered pages, so that a page nobody thought of here is tested too, or fails for lack of a row.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.apps import apps
from django.test import Client

from core.csv_export import forget_begun
from core.modes import Mode
from dashboard.page import Page
from dashboard.urls import PAGES as EVERY_PAGE
from merchants.acts import PERMISSIONS
from merchants.models import Role
from merchants.services import NewMerchant
from tests.conftest import ApiClient
from tests.dashboard.places import OF_BOTH_MODES, ONLY_FORMS, PLACES, Words, address, words_of
from tests.dashboard.who import ASKED, EVERYBODY_LOOKS
from tests.each import faults
from tests.factories.rows import Rows, all_rows, rows_of
from tests.merchants.people import OWNER, add_member, add_second_factor, browser, confirm_identity, sign_in
from tests.payments.world import World
from tests.told import told_once

pytestmark = pytest.mark.slow
PAGES = {page.name: page for page in EVERY_PAGE}
WITH_ROWS = sorted(name for name, page in PAGES.items() if "<" in page.path)
TOKEN = "t" * 32
"""What forms carry against forgery: the same as the cookie."""
ALLOWED_ANSWERS = frozenset({200, 302, 400, 404, 405, 409})
"""What a page may answer to a form without fields, when the sender may send it. Nothing of these is a crash."""


@dataclass(frozen=True, kw_only=True)
class House:
    """Two merchants, a browser of each role in the first one's team, identity just confirmed, and one not confirmed."""

    account: NewMerchant
    other: NewMerchant
    roles: dict[Role, Client]
    unproven: Client

    @property
    def owner(self) -> Client:
        return self.roles[Role.OWNER]


@dataclass(frozen=True, kw_only=True)
class Shown:
    """A page with a row of the first merchant's test mode, where it shows one."""

    page: Page
    words: Words
    path: str
    house: House


@told_once
def everybody_signs_in(world: World, api: ApiClient, /, account: NewMerchant) -> dict[str, Any]:
    """The session of each role, identity just confirmed, and at last the owner's that is not confirmed."""
    emails = {role: OWNER if role == Role.OWNER else f"{role}-2@shop.example" for role in Role}
    for role in set(Role) - {Role.OWNER}:
        add_member(account.merchant, emails[role], role)
    roles = {role: sign_in(email) for role, email in emails.items()}
    for client in roles.values():
        confirm_identity(client)
    sessions = {str(role): client.session.session_key for role, client in roles.items()}
    return {**sessions, "": sign_in(OWNER).session.session_key}


@pytest.fixture
def house(world: World, api: ApiClient, account: NewMerchant, other_account: NewMerchant) -> House:
    clients = {name: browser() for name in (*Role, "")}
    for name, session in everybody_signs_in(world, api, account).items():
        clients[name].cookies.load({"csrftoken": TOKEN, "sessionid": session})
    unproven = clients.pop("")
    return House(account=account, other=other_account, roles={role: clients[role] for role in Role}, unproven=unproven)


def send(client: Client, path: str) -> Any:
    """A form without fields but the one against forgery. Files that were asked for before are given up."""
    forget_begun()
    return client.post(path, {"csrfmiddlewaretoken": TOKEN})


def nowhere(words: Words) -> Words:
    """Words for a row that is nobody's."""
    return {
        name: uuid4() if isinstance(word, UUID) else 10**9 if isinstance(word, int) else word
        for name, word in words.items()
    }


def everything() -> Rows:
    """Every row that a refused person must leave alone."""
    tables = [model for app in ("merchants", "mcp_server") for model in apps.get_app_config(app).get_models()]
    return all_rows() | rows_of(tables)


def test_every_page_of_a_row_has_a_row_here_and_asks_for_the_act_that_is_written_down() -> None:
    assert set(WITH_ROWS) == set(PLACES)
    assert set(PAGES) >= ONLY_FORMS
    written = {name: act for act, names in ASKED.items() for name in names}
    assert {name: page.act for name, page in PAGES.items()} == {**dict.fromkeys(EVERYBODY_LOOKS), **written}


def each_role_may_exactly_what_its_table_says(shown: Shown) -> None:
    act, name = shown.page.act, shown.page.name
    for role, client in shown.house.roles.items():
        look, before = client.get(shown.path), everything()
        if act is None or role in PERMISSIONS[act].roles:
            assert look.status_code != 403, role
            assert name in ONLY_FORMS or look.status_code in {200, 302, 304}, role
            continue
        assert (look.status_code, b"Your account may not do this" in look.content) == (403, True), role
        assert send(client, shown.path).status_code == 403, role
        assert everything() == before, role


def a_page_that_asks_for_nothing_changes_nothing(shown: Shown) -> None:
    """Whatever a viewer sends there."""
    if shown.page.name in EVERYBODY_LOOKS:
        before = everything()
        assert send(shown.house.roles[Role.VIEWER], shown.path).status_code in ALLOWED_ANSWERS
        assert everything() == before


def a_form_without_fields_crashes_nothing(shown: Shown) -> None:
    assert send(shown.house.owner, shown.path).status_code in ALLOWED_ANSWERS


def rows_of_others_do_not_exist(shown: Shown) -> None:
    """Those of nobody, of another merchant, and of the other mode look all the same."""
    page, house, name = shown.page, shown.house, shown.page.name
    if name not in WITH_ROWS:
        return
    add_second_factor(OWNER)
    in_other_mode, foreign = words_of(page, house.account, Mode.LIVE), words_of(page, house.other)
    assert name in ONLY_FORMS or house.owner.get(shown.path).status_code != 404
    before = everything()
    hidden = [(foreign, Mode.TEST), (nowhere(shown.words), Mode.TEST), (foreign, Mode.LIVE)]
    if name not in OF_BOTH_MODES:
        hidden += [(in_other_mode, Mode.TEST), (shown.words, Mode.LIVE)]
    for words, mode in hidden:
        path = address(page, words, mode)
        assert (house.owner.get(path).status_code, send(house.owner, path).status_code) == (404, 404), path
    assert everything() == before
    assert name in ONLY_FORMS or house.owner.get(address(page, in_other_mode, Mode.LIVE)).status_code != 404


def a_serious_page_asks_again_who_it_is(shown: Shown) -> None:
    """Before it shows or changes anything; the others do not."""
    page, client, path = shown.page, shown.house.unproven, shown.path
    if page.act is None:
        return
    asks = page.fresh and PERMISSIONS[page.act].fresh
    look, before = client.get(path), everything()
    is_asked = look.status_code == 302 and look.headers["Location"].startswith("/accounts/reauthenticate/")
    assert is_asked == asks
    if asks:
        sent = send(client, path)
        assert sent.status_code == 302
        assert sent.headers["Location"] in {path, f"/accounts/reauthenticate/?next={path}"}
        assert everything() == before


def strangers_and_forged_forms_are_refused(shown: Shown) -> None:
    """Whoever is not signed in, and whatever another site sends."""
    before = everything()
    assert browser().get(shown.path).headers["Location"].startswith("/dashboard/test/login/?next=")
    assert shown.house.owner.post(shown.path, {}).status_code == 403
    assert everything() == before


def live_mode_is_locked_without_a_second_factor(shown: Shown) -> None:
    path = address(shown.page, words_of(shown.page, shown.house.account, Mode.LIVE), Mode.LIVE)
    before = everything()
    for answer in (shown.house.owner.get(path), send(shown.house.owner, path)):
        assert (answer.status_code, b"Live mode opens with a second factor" in answer.content) == (403, True)
    assert everything() == before


LOOKS = (
    each_role_may_exactly_what_its_table_says,
    a_page_that_asks_for_nothing_changes_nothing,
    a_form_without_fields_crashes_nothing,
    rows_of_others_do_not_exist,
    a_serious_page_asks_again_who_it_is,
    strangers_and_forged_forms_are_refused,
    live_mode_is_locked_without_a_second_factor,
)


@pytest.mark.parametrize("name", sorted(PAGES))
def test_page(house: House, name: str) -> None:
    page, words = PAGES[name], words_of(PAGES[name], house.account)
    shown = Shown(page=page, words=words, path=address(page, words), house=house)
    assert faults(lambda look: look(shown), LOOKS) == {}


def test_lists_name_nothing_of_others(house: House) -> None:
    foreign = {*_ids(house.other, Mode.TEST), *_ids(house.other, Mode.LIVE), *_ids(house.account, Mode.LIVE)}
    assert list(_ids(house.account, Mode.TEST))

    def check(name: str) -> None:
        answer = house.owner.get(address(PAGES[name], {}))
        content = b"".join(answer) if answer.streaming else answer.content
        assert not {one for one in foreign if one.encode() in content}
        assert b"Other Shop" not in content

    assert faults(check, sorted(set(PAGES) - set(WITH_ROWS))) == {}


def _ids(account: NewMerchant, mode: Mode) -> Iterator[str]:
    """The public ids of one row of each kind, made for this."""
    for name in WITH_ROWS:
        for word in PLACES[name](account, mode).values():
            if isinstance(word, UUID):
                yield str(word)
