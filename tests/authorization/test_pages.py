"""Every page against strangers, API credentials and people of the wrong kind. Keys open no page, ever."""

import re
import uuid
from itertools import product
from typing import Any

import pytest
from django.test import Client

from tests.authorization.doors import ENTRANCE, OPEN_PAGES, is_behind_the_sign_in, served_pages
from tests.authorization.stage import Headers, Stage
from tests.authorization.test_matrix import everything
from tests.each import faults

REGEX = re.compile(r"\^?\(\?P<\w+>[^)]*\)\$?")
PARAMETER = re.compile(r"<(\w+):\w+>")
NOT_SIGNED_IN = ["nobody", "own secret", "own publishable", "own checkout token", "a stranger's secret"]
CLOSED = sorted({path for path in served_pages() if is_behind_the_sign_in(path)})
OPERATORS = [path for path in CLOSED if path.startswith("/admin/")]
MOST_REDIRECTIONS = 5


def address(path: str) -> str:
    """A page's path with something in place of its parameters."""
    plain = REGEX.sub("auth", path).rstrip("$")
    return PARAMETER.sub(lambda found: str(uuid.uuid4()) if found[1] == "uuid" else "1", plain)


def visit(method: str, path: str, headers: Headers, *, forged: bool = False) -> Any:
    """Open a page or send a form; only a forged form lacks what forms carry."""
    sent = {name.replace("_", "-"): value for name, value in headers.items()}
    client = Client(raise_request_exception=False, enforce_csrf_checks=forged, headers=sent)
    return client.generic(method, address(path), b"", content_type="application/x-www-form-urlencoded")


def arrival(where: str, headers: Headers) -> tuple[int, str]:
    """Where a browser that is sent somewhere ends up, and with what status."""
    for _ in range(MOST_REDIRECTIONS):
        answer = visit("GET", where, headers)
        if answer.status_code != 302:
            break
        where = answer.headers["Location"]
    return answer.status_code, where.partition("?")[0]


def test_every_page_is_classified() -> None:
    known = OPEN_PAGES | ENTRANCE
    assert [path for path in served_pages() if path not in known and not is_behind_the_sign_in(path)] == []
    assert known - set(served_pages()) == set()


@pytest.mark.parametrize("caller", NOT_SIGNED_IN)
def test_closed_pages_lead_strangers_to_the_sign_in(caller: str, in_test_mode: Stage) -> None:
    headers, before = in_test_mode.credentials(caller), everything()
    onward = set()
    for method, path in product(("GET", "POST"), CLOSED):
        answer = visit(method, path, headers)
        assert answer.status_code in {302, 403, 404, 405}, path
        onward |= {answer.headers["Location"].partition("?")[0]} if answer.status_code == 302 else set()
    assert {arrival(where, headers) for where in onward} == {(200, "/accounts/login/")}
    assert everything() == before


def test_a_merchant_s_owner_is_no_operator_and_forged_forms_change_nothing_anywhere(in_test_mode: Stage) -> None:
    headers, before = in_test_mode.credentials("session cookie only"), everything()
    for method, path in product(("GET", "POST"), OPERATORS):
        answer = visit(method, path, headers)
        assert answer.status_code in {302, 403, 404}, path
        if answer.status_code == 302:
            status, where = arrival(answer.headers["Location"], headers)
            assert status == 403 or not where.startswith("/admin/"), path
    for path in served_pages():
        answer = visit("POST", path, headers, forged=True)
        assert answer.status_code in {302, 401, 403, 404, 405, 503}, path
    assert everything() == before


def test_keys_change_nothing_on_open_pages(in_test_mode: Stage) -> None:
    sent = {caller: in_test_mode.credentials(caller) for caller in NOT_SIGNED_IN}
    before = everything()

    def check(page: str) -> None:
        path = page.replace("<str:intent_id>", in_test_mode.ids["intent_id"])
        answers = {caller: visit("GET", path, headers) for caller, headers in sent.items()}
        assert len({(answer.status_code, len(answer.content) // 64) for answer in answers.values()}) == 1
        assert everything() == before

    assert faults(check, sorted(OPEN_PAGES)) == {}


def test_no_page_shows_what_it_was_sent(in_test_mode: Stage) -> None:
    canary = "sk_test_" + "canary" * 7
    sent = {"Authorization": f"Bearer {canary}", "Cookie": canary, "Checkout-Token": canary}
    for method, path in product(("GET", "POST"), served_pages()):
        answer = visit(method, path, sent)
        assert canary.encode() not in answer.content, path
        assert canary not in str(answer.headers), path
