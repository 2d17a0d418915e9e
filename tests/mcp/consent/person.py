"""A person in front of the consent page, who reads what it shows and presses its buttons. No scripts run."""

from dataclasses import dataclass, field, replace
from html.parser import HTMLParser
from typing import Any, Final
from urllib.parse import parse_qs, urlencode, urlsplit

from django.test import Client

from mcp.models import AccessToken, AgentConnection, AgentRecord, AnsweredConsent, Application, Grant, RefreshToken
from mcp.oauth.resource import RESOURCE
from mcp.scopes import BASIC_SCOPES
from merchants.models import User
from tests.mcp.oauth.flow import CALLBACK, challenge_of, new_verifier

PASSWORD: Final = "correct horse battery"
AUTHORIZE: Final = "/oauth/authorize"
MODELS: Final = (AgentConnection, Grant, AccessToken, RefreshToken, AgentRecord, AnsweredConsent)
NOTHING: Final = {model.__name__: 0 for model in MODELS}


@dataclass
class Shown:
    """A page as it came: its form's fields as a browser would send them, its boxes, its marked parts, its links."""

    status: int = 0
    headers: dict[str, str] = field(default_factory=dict)
    text: str = ""
    fields: dict[str, Any] = field(default_factory=dict)
    boxes: dict[str, dict[str, bool]] = field(default_factory=dict)
    parts: dict[str, str] = field(default_factory=dict)
    links: dict[str, str] = field(default_factory=dict)
    here: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)

    @property
    def target(self) -> str:
        return self.headers.get("Location", "").partition("?")[0]

    @property
    def answer(self) -> dict[str, str]:
        return {key: values[0] for key, values in parse_qs(urlsplit(self.headers["Location"]).query).items()}

    @property
    def ticked(self) -> list[str]:
        return [scope for scope, box in self.boxes.items() if box["ticked"]]


@dataclass
class Person:
    user: User
    client: Client = field(default_factory=Client)
    verifier: str = field(default_factory=new_verifier)

    def sign_in(self) -> "Person":
        return self._proves("/accounts/login/", login=self.user.email)

    def proves_it_again(self) -> "Person":
        return self._proves("/accounts/reauthenticate/")

    def _proves(self, path: str, **fields: str) -> "Person":
        assert self.client.post(path, fields | {"password": PASSWORD}).status_code == 302
        return self

    def query(self, application: Application, **changes: Any) -> str:
        """What a good client asks with; None leaves a word out, a list repeats it."""
        words = {
            "response_type": "code",
            "client_id": application.client_id,
            "redirect_uri": CALLBACK,
            "scope": " ".join(BASIC_SCOPES),
            "state": "xyz",
            "code_challenge": challenge_of(self.verifier),
            "code_challenge_method": "S256",
            "resource": RESOURCE,
        } | changes
        return urlencode({key: value for key, value in words.items() if value is not None}, doseq=True)

    def opens(self, application: Application, **changes: Any) -> Shown:
        return self.follows(f"{AUTHORIZE}?{self.query(application, **changes)}")

    def follows(self, url: str) -> Shown:
        return read_page(self.client.get(url))

    def presses(self, page: Shown, answer: str | None = "allow", **changes: Any) -> Shown:
        """Send the page's form back; None leaves a field out."""
        form = {**page.fields, "answer": answer, **changes}
        return read_page(self.client.post(AUTHORIZE, {key: value for key, value in form.items() if value is not None}))


def stored() -> dict[str, int]:
    """How many rows there are that consenting could make."""
    return {model.__name__: model.objects.count() for model in MODELS}


def read_page(response: Any) -> Shown:
    reader = _Reader()
    text = response.content.decode()
    reader.feed(text)
    return replace(reader.shown, status=response.status_code, headers=dict(response.headers), text=text)


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.shown = Shown()
        self._select, self._link = "", ""
        self._is_here = self._in_errors = False
        self._part: tuple[str, str] | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        known = {key: value or "" for key, value in attrs}
        if tag == "input":
            self._input(known)
        elif tag == "select":
            self._select = known["name"]
        elif tag == "option" and "selected" in known:
            self.shown.fields[self._select] = known["value"]
        elif tag == "a":
            self._link, self._is_here = known.get("href", ""), known.get("aria-current") == "true"
        elif "errorlist" in known.get("class", ""):
            self._in_errors = True
        if "data-testid" in known:
            self._part = (tag, known["data-testid"])
            self.shown.parts[known["data-testid"]] = ""

    def _input(self, known: dict[str, str]) -> None:
        if known.get("type") != "checkbox":
            self.shown.fields[known["name"]] = known.get("value", "")
            return
        ticked, fixed = "checked" in known, "disabled" in known
        self.shown.boxes[known["value"]] = {"ticked": ticked, "fixed": fixed}
        if ticked and not fixed:
            self.shown.fields.setdefault(known["name"], []).append(known["value"])

    def handle_data(self, data: str) -> None:
        text = " ".join(data.split())
        if self._part is not None:
            self.shown.parts[self._part[1]] += data
        if self._in_errors and text:
            self.shown.errors.append(text)
        if self._link and text:
            self.shown.links.setdefault(text, self._link)
            if self._is_here:
                self.shown.here.append(text)
                self._is_here = False

    def handle_endtag(self, tag: str) -> None:
        if self._part is not None and self._part[0] == tag:
            self.shown.parts[self._part[1]] = " ".join(self.shown.parts[self._part[1]].split())
            self._part = None
        if tag in {"ul", "p"}:
            self._in_errors = False
        if tag == "a":
            self._link = ""
