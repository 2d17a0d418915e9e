"""The layers around every view, and one for all that pages need and programs do not.

Why apart: the API and the agents' door know no session, no cookie and no form.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

from django.conf import settings
from django.contrib.sessions.middleware import SessionMiddleware
from django.core.handlers.exception import convert_exception_to_response
from django.core.signing import BadSignature, Signer
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.utils.module_loading import import_string
from whitenoise.middleware import WhiteNoiseMiddleware

from config.minified import is_minified, minified_copy
from core.errors import RateLimited
from core.exception_handler import as_service_error, json_error, speaks_json

Handler = Callable[[HttpRequest], HttpResponseBase]
PROGRAM_PREFIXES = ("/api/", "/mcp")
"""Paths of doors that read no cookie."""


class LastResortMiddleware:
    """Answers when something fails below, whatever layer it was: in JSON on a machine path."""

    def __init__(self, get_response: Handler) -> None:
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


class PageMiddleware:
    """All that only pages need, ``settings.PAGE_MIDDLEWARE``, as one layer that programs pass by.

    Why one: a request of a program went through nine layers that did nothing for it. Source: docs/adr/0075.
    """

    def __init__(self, get_response: Handler) -> None:
        self._of_programs = get_response
        layers: list[Any] = []
        for name in reversed(settings.PAGE_MIDDLEWARE):
            layers.append(import_string(name)(get_response))
            get_response = cast(Handler, convert_exception_to_response(layers[-1]))
        self._of_pages = get_response
        # As Django asks them: views from the outermost layer inwards, exceptions from the innermost outwards.
        self._views = [layer.process_view for layer in reversed(layers) if hasattr(layer, "process_view")]
        self._exceptions = [layer.process_exception for layer in layers if hasattr(layer, "process_exception")]

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Pass the request on, through the layers if it is a page's."""
        return (self._of_programs if _is_of_a_program(request) else self._of_pages)(request)

    def process_view(self, request: HttpRequest, *arguments: Any) -> Any:
        """What the first layer that has a word on a page's view says."""
        hooks = () if _is_of_a_program(request) else self._views
        return next(filter(None, (hook(request, *arguments) for hook in hooks)), None)

    def process_exception(self, request: HttpRequest, exception: Exception) -> Any:
        """What the first layer that knows what to do about a page's failure answers."""
        hooks = () if _is_of_a_program(request) else self._exceptions
        return next(filter(None, (hook(request, exception) for hook in hooks)), None)


def _is_of_a_program(request: HttpRequest) -> bool:
    return request.path_info.startswith(PROGRAM_PREFIXES)


class PageSessionMiddleware(SessionMiddleware):
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


class StaticFilesMiddleware(WhiteNoiseMiddleware):
    """Static files, served by the web process itself."""

    def add_file_to_dictionary(self, url: str, path: str, stat_cache: Any = None) -> None:
        """Offer a file. Why a copy: without a collected folder our own files still have their comments."""
        name = url.removeprefix(self.static_prefix)
        if self.use_finders and is_minified(name):
            path, stat_cache = str(minified_copy(name, Path(path), settings.LOCAL_DIR / "static")), None
        super().add_file_to_dictionary(url, path, stat_cache=stat_cache)
