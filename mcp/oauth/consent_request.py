"""What a consent page was asked for, kept from the page to its answer so that nobody can change it in between.

The page's form carries a ticket: signed, for one person, for one use. The answer is worked out anew from the ticket's
request and from nothing else that the browser sends. Source: docs/adr/0023.
"""

import hashlib
import secrets
from dataclasses import asdict, dataclass
from datetime import timedelta
from typing import Final
from urllib.parse import parse_qsl, urlencode

from django.core import signing
from django.http import HttpRequest, QueryDict

from core.clock import now
from core.modes import Mode
from mcp.models import AnsweredConsent
from merchants.models import User

KNOWN: Final = (
    *("response_type", "client_id", "redirect_uri", "scope", "state"),
    *("code_challenge", "code_challenge_method", "resource"),
)
"""What of a request counts. Everything else is dropped, ``approval_prompt`` and ``prompt`` above all: the page is
always shown. Source: docs/adr/0023."""
TICKET_SECONDS: Final = 900
CHOICE_SECONDS: Final = 3600
CHOICE: Final = "choice"
_TICKET_SALT, _CHOICE_SALT = "mcp.consent.ticket", "mcp.consent.choice"
_FIRST_PRINTABLE, _DELETE = 0x20, 0x7F
_ANSWERS_KEPT: Final = timedelta(hours=1)
"""Longer than a ticket is good for; after that its age alone refuses it."""


class Unreadable(Exception):
    """A request that cannot be what any client means: it has control characters."""

    def __str__(self) -> str:
        """For the person who is looking at it."""
        return "The agent's request has characters in it that none can have. Nothing was allowed."


class TicketRefused(Exception):
    """Not a ticket of ours for this person."""

    def __str__(self) -> str:
        """For the person who is looking at it."""
        return "This page is not one of ours, or not yours. Nothing was allowed. Start again from the agent."


class TicketExpired(Exception):
    """Ours, but too old to be answered."""


class AnsweredAlready(Exception):
    """The same page was answered before. Nothing was changed."""

    def __str__(self) -> str:
        """For the person who is looking at it."""
        return "This page was answered already. Nothing more was allowed. Start again from the agent."


@dataclass(frozen=True, kw_only=True)
class Choice:
    """Which merchant and world a person chose on the page, for one request."""

    merchant_id: int
    mode: Mode


@dataclass(frozen=True, kw_only=True)
class Ticket:
    """What a page was drawn for. ``offered`` are all the scopes it had a box for."""

    query: str
    user_id: int
    merchant_id: int
    mode: str
    connection_id: int | None
    offered: list[str]
    nonce: str

    def signed(self) -> str:
        """For the form."""
        return signing.dumps(asdict(self), salt=_TICKET_SALT, compress=True)


def known_query(raw: str) -> str:
    """The part of a query that counts, repeated words included. Raises: Unreadable."""
    pairs = [(key, value) for key, value in parse_qsl(raw, keep_blank_values=True) if key in KNOWN]
    if any(ord(one) < _FIRST_PRINTABLE or ord(one) == _DELETE for _, value in pairs for one in value):
        raise Unreadable
    return urlencode(pairs)


def new_nonce() -> str:
    """What a ticket is spent by."""
    return secrets.token_urlsafe(32)


def read_ticket(text: str, user: User) -> Ticket:
    """The ticket that a form brought back. Raises: TicketRefused, TicketExpired."""
    try:
        known = signing.loads(text, salt=_TICKET_SALT)
        ticket = Ticket(**known)
        if ticket.user_id != user.pk:
            raise TicketRefused
        signing.loads(text, salt=_TICKET_SALT, max_age=TICKET_SECONDS)
    except signing.SignatureExpired as error:
        raise TicketExpired from error
    except signing.BadSignature as error:
        raise TicketRefused from error
    return ticket


def query_in(text: str) -> str:
    """The request that a form was drawn for, whoever brings it back and however late; empty for what is not ours."""
    try:
        return Ticket(**signing.loads(text, salt=_TICKET_SALT)).query
    except signing.BadSignature:
        return ""


def spend(nonce: str) -> None:
    """Answer the page of this nonce; of two answers at once the second one waits and is refused.

    Raises: AnsweredAlready.
    """
    _, is_first = AnsweredConsent.objects.get_or_create(nonce=nonce)
    if not is_first:
        raise AnsweredAlready
    AnsweredConsent.objects.filter(answered_at__lt=now() - _ANSWERS_KEPT).delete()


def sign_choice(choice: Choice, query: str, user: User) -> str:
    """For a link on the page. Why signed: a client must not choose live mode for a person."""
    return signing.dumps([choice.merchant_id, str(choice.mode), user.pk, _digest(query)], salt=_CHOICE_SALT)


def read_choice(text: str, query: str, user: User) -> Choice | None:
    """The choice that a link brought back; None unless this person made it for this very request."""
    try:
        merchant_id, mode, user_id, digest = signing.loads(text, salt=_CHOICE_SALT, max_age=CHOICE_SECONDS)
    except signing.BadSignature:
        return None
    is_mine = (user_id, digest) == (user.pk, _digest(query))
    return Choice(merchant_id=merchant_id, mode=Mode(mode)) if is_mine else None


def _digest(query: str) -> str:
    return hashlib.sha256(query.encode()).hexdigest()


def replay(request: HttpRequest, query: str) -> HttpRequest:
    """The request that a client made, without the form that was posted. Why: a form must not add a word to it."""
    replayed = HttpRequest()
    replayed.method = "GET"
    replayed.path, replayed.path_info = request.path, request.path_info
    replayed.META = {**request.META, "REQUEST_METHOD": "GET", "QUERY_STRING": query}
    replayed.GET = QueryDict(query)
    replayed.user = request.user
    return replayed
