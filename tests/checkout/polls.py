"""Polls as open pages send them, and the two ways that they are answered."""

from io import BytesIO
from typing import Any, NamedTuple

from django.http import HttpResponse
from django.test.client import ClientHandler

from checkout.fast_path import fast_answer
from checkout.views.access import issue_token
from core import rate_limits
from core.clock import now
from payments.models import IntentTransition, PayerWallet, PaymentAttempt, PaymentIntent
from payments.services.ownership import browser_of_secret
from tests.conftest import ApiClient
from tests.payments.statuses import intent_in
from tests.payments.world import World

OWN, OTHER = "a" * 32, "b" * 32
"""The secrets of two browsers; what the first one began stands in the stories below."""
STATUSES = ("created", "quoted", "awaiting_signature", "executing", "settled")
Answered = tuple[int, list[tuple[str, str]], bytes]


class Sent(NamedTuple):
    """A poll as a page sends it."""

    named: str
    token: str
    tag: str | None = None
    browser: str | None = None
    language: str | None = None
    origin: str | None = None
    query: str = ""
    method: str = "GET"

    def environment(self) -> dict[str, Any]:
        """As WSGI says it."""
        headers = {
            "HTTP_CHECKOUT_TOKEN": self.token, "HTTP_IF_NONE_MATCH": self.tag, "HTTP_CHECKOUT_BROWSER": self.browser,
            "HTTP_ACCEPT_LANGUAGE": self.language, "HTTP_ORIGIN": self.origin,
        }  # fmt: skip
        return {
            "REQUEST_METHOD": self.method, "PATH_INFO": f"/api/public/v1/checkout/{self.named}/state",
            "SCRIPT_NAME": "", "QUERY_STRING": self.query, "SERVER_NAME": "localhost", "SERVER_PORT": "80",
            "HTTP_HOST": "localhost", "REMOTE_ADDR": "203.0.113.7", "wsgi.input": BytesIO(), "wsgi.url_scheme": "http",
            **{name: value for name, value in headers.items() if value is not None},
        }  # fmt: skip


class Ways:
    """Both ways, over the same rows."""

    def __init__(self) -> None:
        self._django = ClientHandler()  # which leaves connections alone
        self.handed_on = 0

    def long(self, environment: dict[str, Any]) -> Answered:
        """By the whole stack."""
        response: HttpResponse = self._django(environment)  # type: ignore[assignment]  # none of these is streamed
        return response.status_code, list(response.items()), response.content

    def short(self, environment: dict[str, Any]) -> Answered:
        """As the web server does it: the short way first."""
        if (found := fast_answer(environment)) is not None:
            return found[0].http_status, found[1], found[0].body
        self.handed_on += 1
        return self.long(environment)

    def both(self, sent: Sent) -> tuple[str, str, Answered]:
        """What can be seen of a poll by the short way and by the long one, and the short one's answer."""
        seen = []
        for way in (self.short, self.long):
            rate_limits.forget()
            seen.append(way(sent.environment()))
        return _seen(seen[0]), _seen(seen[1]), seen[0]


def _seen(answered: Answered) -> str:
    status, headers, body = answered
    name = dict(headers)["Request-Id"]
    told = sorted((header, value) for header, value in headers if header != "Request-Id")
    return repr((status, told, body.replace(name.encode(), b"NAME")))


def tag_of(answered: Answered) -> str:
    return dict(answered[1]).get("ETag", "")


class Page:
    """An open page of one payment: the tags and the token that it was given last, and what it had before."""

    def __init__(self, intent: PaymentIntent) -> None:
        self.intent = intent
        self.tags = ['"0"']
        self.renew()

    def renew(self) -> None:
        self.token, self.opened_at = issue_token(self.intent.pk), now()


def open_pages(world: World, api: ApiClient) -> list[Page]:
    """A page of a payment in each of several statuses, most of them begun by the browser that polls."""
    made = [intent_in(world, api, status, reference=status)["id"] for status in STATUSES]
    PaymentAttempt.objects.update(browser=browser_of_secret(OWN))
    PayerWallet.objects.update(browser=browser_of_secret(OWN))
    return [Page(PaymentIntent.objects.get(pk=each)) for each in made]


def step(intent: PaymentIntent) -> object:
    """One more line of its history."""
    return IntentTransition.objects.create(
        subject=intent, trigger="lapse_quote", to_status="requires_payment", actor="payer", created_at=now()
    )
