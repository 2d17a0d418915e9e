"""The front page and the pages that say no: same look, same strictness, nothing from elsewhere."""

import re

import pytest
from django.contrib.staticfiles import finders
from django.test import Client

from tests.merchants.test_sign_in import INLINE, STRICT_POLICY, policy_of


def test_the_front_page_leads_everywhere(db: None) -> None:
    page = Client().get("/")
    text = page.content.decode()
    assert page.status_code == 200
    assert {'href="/demo/"', 'href="/dashboard/"', 'href="/api/docs/"'} <= set(re.findall(r'href="/[^"]*"', text))
    assert "curl http://localhost:8000/api/public/v1/payment-intents" in text


@pytest.mark.parametrize(("path", "status"), [("/", 200), ("/nowhere", 404), ("/checkout", 404)])
def test_pages_are_strict(db: None, path: str, status: int) -> None:
    page = Client().get(path)
    assert page.status_code == status
    assert policy_of(page) == STRICT_POLICY
    assert page.headers["X-Frame-Options"] == "DENY"
    assert page.headers["X-Content-Type-Options"] == "nosniff"
    assert INLINE.findall(page.content.decode()) == []
    assert re.findall(r"""(?:src|href)=["'](?:https?:)?//""", page.content.decode()) == []


@pytest.mark.parametrize("path", ["/", "/nowhere", "/accounts/login/"])
def test_every_file_a_page_names_is_here(db: None, path: str) -> None:
    names = re.findall(r'(?:src|href)="/static/([^"]+)"', Client().get(path).content.decode())
    assert names
    assert [name for name in names if finders.find(name) is None] == []
