"""What comes before the consent page: counting, and a moment's wait for a client that is not known yet."""

from collections.abc import Callable
from functools import wraps
from typing import Any, Final

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from core.errors import RateLimited
from mcp.oauth.documents import Standing, names_a_document, want
from mcp.oauth.throttles import count

LOOK_AGAIN_SECONDS: Final = 2


def known_clients(page: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """The authorization page for clients that are known; others are waited for, by people who signed in."""

    @wraps(page)
    def guarded(request: HttpRequest, *arguments: Any, **keywords: Any) -> HttpResponse:
        client_id = request.GET.get("client_id", "")
        try:
            count(request, "authorize")
        except RateLimited as error:  # a person is asked here: a page, and not the form that programs read
            refused = render(request, "429.html", _context(error), status=error.http_status)
            for header, value in error.headers.items():
                refused.headers[header] = value
            return refused
        may_ask_for_it = (
            request.method == "GET"
            and settings.OAUTH_CLIENT_DOCUMENTS
            and request.user.is_authenticated
            and names_a_document(client_id)
        )
        if may_ask_for_it and want(client_id) is Standing.AWAITED:
            answer = render(request, "oauth2_provider/one_moment.html")
            answer.headers["Refresh"], answer.headers["Cache-Control"] = str(LOOK_AGAIN_SECONDS), "no-store"
            return answer
        return page(request, *arguments, **keywords)

    return guarded


def _context(error: RateLimited) -> dict[str, str]:
    seconds = error.details["retry_after_seconds"]
    return {
        "title": "Apps ask too often",
        "reason": (
            "Apps on your network opened this page too often within a minute: it asks you whether one of them may act "
            f"for you. Wait {seconds} second{'' if seconds == 1 else 's'}, then start again from the app. Nothing was "
            "granted, and what you granted before is unchanged."
        ),
    }
