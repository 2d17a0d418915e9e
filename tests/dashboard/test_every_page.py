"""Every page of the dashboard against everybody: whose rows it shows, what each role may, who is asked again.

Generated from the registered pages, so that a page nobody thought of here is tested too, or fails for lack of a row.
"""

from collections.abc import Iterator
from typing import Any
from uuid import UUID, uuid4

import pytest
from allauth.account.internal.flows.login import record_authentication
from django.apps import apps
from django.core.cache import cache
from django.test import Client, RequestFactory
from django.urls import reverse

from core.modes import Mode
from merchants.acts import PERMISSIONS
from merchants.models import Role, User
from merchants.panels import Page, pages
from merchants.services import NewMerchant
from merchants.site import SITES
from tests.dashboard.places import OF_BOTH_MODES, ONLY_FORMS, PLACES, Words
from tests.dashboard.who import ASKED, EVERYBODY_LOOKS
from tests.factories.rows import Rows, all_rows, rows_of
from tests.merchants.people import OWNER, add_member, add_second_factor, browser

pytestmark = pytest.mark.slow
PAGES = {page.name: page for page in pages()}
WITH_ROWS = sorted(name for name, page in PAGES.items() if "<" in page.path)
TOKEN = "t" * 32
"""What forms carry against forgery: the same as the cookie."""
UNKNOWN = 10**9
"""The number of no row."""
WRITTEN_BY_A_LOOK: frozenset[str] = frozenset()
ALLOWED_ANSWERS = frozenset({200, 302, 400, 404, 405, 409})
"""What a page may answer to a form without fields, when the sender may send it. Nothing of these is a crash."""


@pytest.fixture(autouse=True)
def _nobody_is_locked_out() -> None:
    cache.clear()


@pytest.fixture
def owner(account: NewMerchant) -> Client:
    """The owner's browser, identity just confirmed, with a second factor."""
    add_second_factor(OWNER)
    return signed_in(account.owner)


def member(account: NewMerchant, role: Role) -> Client:
    """The browser of somebody with a role, who just proved who they are."""
    return signed_in(add_member(account.merchant, f"{role}-2@shop.example", role))


def signed_in(person: User, *, just_now: bool = True) -> Client:
    """A browser as the sign-in leaves it. Why not through its pages: five people look at every page here."""
    client = browser()
    client.force_login(person)
    if just_now:
        request = RequestFactory().get("/")
        request.session = client.session
        record_authentication(request, person, method="password", email=person.email, reauthenticated=True)
        request.session.save()
    client.cookies["csrftoken"] = TOKEN
    return client


def address(page: Page, words: Words, mode: Mode = Mode.TEST) -> str:
    """Where the page of a row is."""
    site = next(site for site in SITES if site.mode == mode)
    return reverse(f"admin:{page.name}", current_app=site.name, kwargs=words or None)


def words_of(page: Page, account: NewMerchant, mode: Mode = Mode.TEST) -> Words:
    """A row of that merchant and mode for the page, or nothing where it shows none."""
    return PLACES[page.name](account, mode) if "<" in page.path else {}


def send(client: Client, path: str) -> Any:
    """A form without fields but the one against forgery."""
    return client.post(path, {"csrfmiddlewaretoken": TOKEN})


def nowhere(words: Words) -> Words:
    """Words for a row that is nobody's."""
    return {
        name: uuid4() if isinstance(word, UUID) else 10**9 if isinstance(word, int) else word
        for name, word in words.items()
    }


def everything() -> Rows:
    """Every row that a refused person must leave alone."""
    return all_rows() | rows_of([*get_models("merchants"), *get_models("mcp_server")])


def get_models(app: str) -> list[Any]:
    """The tables of an app, without what a look itself writes down."""
    return [model for model in apps.get_app_config(app).get_models() if model._meta.label not in WRITTEN_BY_A_LOOK]


def looked(client: Client, path: str) -> int:
    """The status of a look."""
    status: int = client.get(path).status_code
    return status


def test_every_page_of_a_row_has_a_row_here() -> None:
    assert set(WITH_ROWS) == set(PLACES)
    assert set(PAGES) >= ONLY_FORMS


def test_every_page_asks_for_the_act_that_is_written_down() -> None:
    written = {name: act for act, names in ASKED.items() for name in names}
    assert {name: page.act for name, page in PAGES.items()} == {**dict.fromkeys(EVERYBODY_LOOKS), **written}


@pytest.mark.parametrize("name", sorted(EVERYBODY_LOOKS))
def test_pages_that_ask_for_nothing_change_nothing(account: NewMerchant, name: str) -> None:
    path = address(PAGES[name], words_of(PAGES[name], account))
    client = member(account, Role.VIEWER)
    before = everything()
    assert send(client, path).status_code in ALLOWED_ANSWERS
    assert everything() == before


@pytest.mark.parametrize("name", sorted(PAGES))
def test_each_role_may_exactly_what_its_table_says(account: NewMerchant, name: str) -> None:
    page = PAGES[name]
    path = address(page, words_of(page, account))
    for role in Role:
        client, may = member(account, role), page.act is None or role in PERMISSIONS[page.act].roles
        look, before = client.get(path), everything()
        if may:
            assert look.status_code != 403, role
            assert name in ONLY_FORMS or look.status_code in {200, 302, 304}, role
        else:
            assert look.status_code == 403, role
            assert b"Your account may not do this" in look.content
        if not may:
            assert send(client, path).status_code == 403, role
            assert everything() == before


@pytest.mark.parametrize("name", sorted(PAGES))
def test_a_form_without_fields_crashes_nothing(owner: Client, account: NewMerchant, name: str) -> None:
    path = address(PAGES[name], words_of(PAGES[name], account))
    assert send(owner, path).status_code in ALLOWED_ANSWERS


@pytest.mark.parametrize("name", WITH_ROWS)
def test_rows_of_others_do_not_exist(
    owner: Client, account: NewMerchant, other_account: NewMerchant, name: str
) -> None:
    page = PAGES[name]
    own = words_of(page, account)
    in_other_mode = words_of(page, account, Mode.LIVE)
    hidden = [words_of(page, other_account), nowhere(own), *([] if name in OF_BOTH_MODES else [in_other_mode])]
    assert name in ONLY_FORMS or looked(owner, address(page, own)) != 404
    before = everything()
    for words in hidden:
        path = address(page, words)
        assert (looked(owner, path), send(owner, path).status_code) == (404, 404), words
    in_live = [hidden[0], *([] if name in OF_BOTH_MODES else [own])]
    for path in [address(page, words, Mode.LIVE) for words in in_live]:
        assert (looked(owner, path), send(owner, path).status_code) == (404, 404), path
    assert everything() == before
    assert name in ONLY_FORMS or looked(owner, address(page, in_other_mode, Mode.LIVE)) != 404


@pytest.mark.parametrize("name", sorted(set(PAGES) - set(WITH_ROWS)))
def test_lists_name_nothing_of_others(
    owner: Client, account: NewMerchant, other_account: NewMerchant, name: str
) -> None:
    foreign = set(_ids(other_account, Mode.TEST)) | set(_ids(other_account, Mode.LIVE)) | set(_ids(account, Mode.LIVE))
    own = set(_ids(account, Mode.TEST))
    answer = owner.get(address(PAGES[name], {}))
    content = b"".join(answer) if answer.streaming else answer.content
    assert not {one for one in foreign if one.encode() in content}
    assert b"Other Shop" not in content
    assert own


def _ids(account: NewMerchant, mode: Mode) -> Iterator[str]:
    """The public ids of one row of each kind, made for this."""
    for name in WITH_ROWS:
        for word in PLACES[name](account, mode).values():
            if isinstance(word, UUID):
                yield str(word)


@pytest.mark.parametrize("name", sorted(name for name, page in PAGES.items() if page.act))
def test_serious_pages_ask_again_who_it_is(account: NewMerchant, name: str) -> None:
    page, client = PAGES[name], signed_in(account.owner, just_now=False)
    assert page.act is not None
    path = address(page, words_of(page, account))
    asks = page.fresh and PERMISSIONS[page.act].fresh
    look, before = client.get(path), everything()
    is_asked = look.status_code == 302 and look.headers["Location"].startswith("/accounts/reauthenticate/")
    assert is_asked == asks
    if asks:
        sent = send(client, path)
        assert sent.status_code == 302
        assert sent.headers["Location"] in {path, f"/accounts/reauthenticate/?next={path}"}
        assert everything() == before


@pytest.mark.parametrize("name", sorted(PAGES))
def test_strangers_and_forged_forms_are_refused(owner: Client, account: NewMerchant, name: str) -> None:
    path = address(PAGES[name], words_of(PAGES[name], account))
    before = everything()
    assert browser().get(path).headers["Location"].startswith("/dashboard/test/login/?next=")
    assert owner.post(path, {}).status_code == 403
    assert everything() == before


@pytest.mark.parametrize("name", sorted(PAGES))
def test_live_mode_is_locked_without_a_second_factor(account: NewMerchant, name: str) -> None:
    client = signed_in(account.owner)
    path = address(PAGES[name], words_of(PAGES[name], account, Mode.LIVE), Mode.LIVE)
    before = everything()
    for answer in (client.get(path), send(client, path)):
        assert (answer.status_code, b"Live mode opens with a second factor" in answer.content) == (403, True)
    assert everything() == before
