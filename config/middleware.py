"""Middleware for pages only. Why: the API and the agents' door know no session, no cookie and no form."""

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from csp.middleware import CSPMiddleware
from django.conf import settings
from django.contrib.auth.middleware import AuthenticationMiddleware
from django.contrib.messages.middleware import MessageMiddleware
from django.contrib.sessions.middleware import SessionMiddleware
from django.core.signing import BadSignature, Signer
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.middleware.clickjacking import XFrameOptionsMiddleware
from django.middleware.csrf import CsrfViewMiddleware
from django.shortcuts import render
from django.utils.deprecation import MiddlewareMixin
from whitenoise.middleware import WhiteNoiseMiddleware

from config.minified import is_minified, minified_copy
from core.errors import RateLimited
from core.exception_handler import as_service_error, json_error, speaks_json

PROGRAM_PREFIXES = ("/api/", "/mcp")
"""Paths of doors that read no cookie."""


class LastResortMiddleware:
    """Answers when something fails below, whatever layer it was: in JSON on a machine path."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Pass the request on."""
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponseBase | None:
        """A JSON answer on machine paths; elsewhere the page for who asked too often, or Django's own error page."""
        if speaks_json(request):
            return json_error(as_service_error(exception))
        if isinstance(exception, RateLimited):
            answer = render(request, "429.html", {"reason": exception.message}, status=exception.http_status)
            for name, value in exception.headers.items():
                answer.headers[name] = value
            return answer
        return None


class _PagesOnly(MiddlewareMixin):
    """Skips its middleware for programs. Named before a Django middleware class."""

    def __call__(self, request: HttpRequest) -> HttpResponseBase | Awaitable[HttpResponseBase]:
        if request.path_info.startswith(PROGRAM_PREFIXES):
            return self.get_response(request)
        return super().__call__(request)


class PageSessionMiddleware(_PagesOnly, SessionMiddleware):
    """Sessions for pages, by a signed cookie.

    Why signed: the database holds the keys of sessions in clear, and a copy of it must not open one (threat 30).
    """

    def process_request(self, request: HttpRequest) -> None:
        """Take the session's key out of the cookie; one that was not signed here counts as none."""
        name = settings.SESSION_COOKIE_NAME
        if settings.SESSION_COOKIE_SIGNED and name in request.COOKIES:
            try:
                request.COOKIES[name] = session_signer().unsign(request.COOKIES[name])
            except BadSignature:
                del request.COOKIES[name]
        super().process_request(request)

    def process_response(self, request: HttpRequest, response: HttpResponse) -> HttpResponse:
        """Sign what the browser is given."""
        answer = super().process_response(request, response)
        given = answer.cookies.get(settings.SESSION_COOKIE_NAME)
        if settings.SESSION_COOKIE_SIGNED and given is not None and given.value:
            answer.cookies[settings.SESSION_COOKIE_NAME] = session_signer().sign(given.value)
        return answer


def session_signer() -> Signer:
    """Who signs the cookies of sessions."""
    return Signer(salt="config.session_cookie")


class PageAuthenticationMiddleware(_PagesOnly, AuthenticationMiddleware):
    """Signed-in people for pages."""


class PageMessageMiddleware(_PagesOnly, MessageMiddleware):
    """One-time notices for pages."""


class PageFrameMiddleware(_PagesOnly, XFrameOptionsMiddleware):
    """No framing of pages."""


class PageContentPolicyMiddleware(_PagesOnly, CSPMiddleware):
    """Content security policy for pages."""


class PageCsrfMiddleware(_PagesOnly, CsrfViewMiddleware):
    """Forgery protection for forms. Why not for programs: their doors read no cookie, so there is nothing to forge."""

    def process_view(self, request: HttpRequest, *arguments: Any, **keywords: Any) -> Any:
        """Check the token of a form."""
        if request.path_info.startswith(PROGRAM_PREFIXES):
            return None
        return super().process_view(request, *arguments, **keywords)


class StaticFilesMiddleware(WhiteNoiseMiddleware):
    """Static files, served by the web process itself."""

    def add_file_to_dictionary(self, url: str, path: str, stat_cache: Any = None) -> None:
        """Offer a file. Why a copy: without a collected folder our own files still have their comments."""
        name = url.removeprefix(self.static_prefix)
        if self.use_finders and is_minified(name):
            path, stat_cache = str(minified_copy(name, Path(path), settings.LOCAL_DIR / "static")), None
        super().add_file_to_dictionary(url, path, stat_cache=stat_cache)
