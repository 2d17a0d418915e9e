"""What only pages go through: programs pass all of it by, and pages miss nothing of it."""

from inspect import getattr_static

import pytest
from allauth.core.exceptions import ImmediateHttpResponse
from django.conf import settings
from django.contrib.auth.middleware import AuthenticationMiddleware
from django.contrib.messages.middleware import MessageMiddleware
from django.contrib.sessions.middleware import SessionMiddleware
from django.http import HttpResponse
from django.test import Client
from django.utils.module_loading import import_string

LAYERS = [import_string(name) for name in settings.PAGE_MIDDLEWARE]
LEFT_BEHIND = ("session", "_messages", "csp_nonce", "allauth")
"""What the layers put on a request, and nothing else does."""


@pytest.mark.parametrize("path", ["/api/public/health", "/api/none", "/mcp"])
def test_a_programs_request_enters_no_layer_of_pages(db: None, path: str) -> None:
    answer = Client(raise_request_exception=False).get(path)
    assert [name for name in LEFT_BEHIND if hasattr(answer.wsgi_request, name)] == []
    assert "Content-Security-Policy" not in answer.headers
    assert "X-Frame-Options" not in answer.headers


def test_a_page_goes_through_all_of_them(db: None) -> None:
    answer = Client().get("/accounts/login/")
    assert [name for name in LEFT_BEHIND if hasattr(answer.wsgi_request, name)] == list(LEFT_BEHIND)
    assert answer.headers["X-Frame-Options"] == "DENY"
    assert "default-src 'none'" in answer.headers["Content-Security-Policy"].split("; ")


def test_what_a_layer_answers_for_a_failed_view_is_the_answer(db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    def leave(*_: object) -> None:
        raise ImmediateHttpResponse(HttpResponse(b"elsewhere", status=409))

    monkeypatch.setattr("allauth.account.views.LoginView.get", leave)
    answer = Client().get("/accounts/login/")
    assert (answer.status_code, answer.content) == (409, b"elsewhere")


@pytest.mark.parametrize("layer", [AuthenticationMiddleware, MessageMiddleware, SessionMiddleware])
def test_what_the_admin_looks_for_is_there(layer: type) -> None:
    """Its own checks look elsewhere, and are silenced."""
    assert [one for one in LAYERS if isinstance(one, type) and issubclass(one, layer)] != []


def test_no_layer_waits_for_a_hook_that_nobody_calls() -> None:
    """``PageMiddleware`` hands on views and failures, as these need, and no answers that are still to be drawn."""
    assert [one for one in LAYERS if getattr_static(one, "process_template_response", None)] == []
