"""A browser as the standard library has it: cookies are kept, redirections followed."""

from http.cookiejar import CookieJar
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import HTTPCookieProcessor, Request, build_opener

from tests.machine import PATIENCE_SECONDS


class Browsing:
    """One person's pages."""

    def __init__(self, base_url: str) -> None:
        self._base_url = base_url
        self._opener = build_opener(HTTPCookieProcessor(CookieJar()))

    def open(self, path: str, form: dict[str, str] | None = None) -> str:
        """The page there; with a form, what its sending shows."""
        sent = None if form is None else urlencode(form).encode()
        request = Request(self._base_url + path, sent, {"Referer": self._base_url + path})  # noqa: S310 - our own address
        try:
            with self._opener.open(request, timeout=PATIENCE_SECONDS) as page:
                return str(page.read().decode())
        except HTTPError as refusal:
            return refusal.read().decode()
