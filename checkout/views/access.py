"""Who may act for a payer: the holder of a short-lived token that is bound to one intent.

The intent's id alone only lets one look. The page gets its token when it is served; a publishable key opens a session.
No cookie is read: a token is worth something only where a header carries it.
"""

import re
from collections.abc import Mapping
from datetime import timedelta
from typing import Any, NamedTuple
from urllib.parse import urlsplit
from uuid import UUID

from django.conf import settings
from django.core import signing
from rest_framework.request import Request

from checkout.admission import is_refused_payment
from core.buckets import Limit
from core.caller import client_address
from core.clock import now, wire_time
from core.errors import InvalidRequest, NotFound, ServiceError, field_problem
from core.modes import Mode
from core.rate_limits import take, take_each
from core.throttling import address_bucket
from merchants.authentication import identify, note_use_of
from merchants.errors import MerchantSuspended, OriginNotAllowed, PublishableKeyRequired, RevokedApiKey
from merchants.models import KeyKind
from merchants.principal import Principal
from merchants.services import working_keys
from merchants.services.origins import may_use_publishable_key
from merchants.throttling import count_session_of
from payments.models import PaymentIntent
from payments.services.ownership import browser_of_secret

LIFETIME_SECONDS = 900
_SALT = "checkout-token"
_PARTS = "."
_ORIGIN_SHOWN = 200
NEW_BROWSERS = (Limit(count=10, window_seconds=600),)
"""Of one address at one payment: fewer than the tries that may be open at once."""
QUOTES_OF_ONE, QUOTES_OF_ALL = Limit(count=10, window_seconds=60), Limit(count=30, window_seconds=60)
"""Of one address at one payment, and of everybody at it: each asks providers whose answers all payments share."""
REPORTS = Limit(count=5, window_seconds=60)
"""Of one address for one transaction of a payment. Why so few: each is looked for, and a wallet has one or two."""
_SECRET = re.compile(r"[A-Za-z0-9_-]{32,128}", re.ASCII)


class CheckoutTokenInvalid(ServiceError):
    """The payer's token is missing, old, or for another intent."""

    code = "checkout_token_invalid"
    http_status = 401
    message = "This checkout session has ended. Reload the page to go on; nothing was lost."

    def __init__(self) -> None:
        super().__init__(headers={"WWW-Authenticate": "Checkout-Token"})


class Opener(NamedTuple):
    """Who opened a session: a publishable key on a merchant's page, or our own page, which has no key.

    The mode is the intent's own, which never changes. ``origin`` is empty where a program sent none.
    """

    key_id: int = 0
    origin: str = ""


OWN_PAGE = Opener()


def issue_token(intent_id: UUID, opener: Opener = OWN_PAGE) -> str:
    """A token for one intent, good for a quarter of an hour where it was opened and on our own pages."""
    bound = intent_id.hex if opener == OWN_PAGE else _PARTS.join((intent_id.hex, str(opener.key_id), opener.origin))
    return signing.TimestampSigner(salt=_SALT).sign(bound)


def require_token(request: Request, intent: PaymentIntent) -> Opener:
    """Let the holder of a valid token pass; who opened the session. Raises: CheckoutTokenInvalid, OriginNotAllowed.

    Why no origin is fine: browsers leave it out where a page asks its own server, and programs have none.
    """
    opener = opener_of(request.META, intent.pk)
    origin = _origin(request)
    if origin and origin != opener.origin:
        # Our own page is at our address, or at the name that this very request was sent to.
        ours, asked = urlsplit(settings.BASE_URL), request._request
        if origin not in {f"{ours.scheme}://{ours.netloc}", f"{asked.scheme}://{asked.get_host()}"}:
            raise OriginNotAllowed(
                "This checkout session belongs to another page. Open a session from this one.",
                details={"origin": origin[:_ORIGIN_SHOWN]},
            )
    return opener


def browser_of(request: Request) -> str:
    """Whose attempts a request may act on: what is stored of its browser's secret; empty where it sends none.

    Raises: InvalidRequest.
    """
    return browser_in(request.META)


def browser_in(environment: Mapping[str, Any]) -> str:
    """The same, of a request as WSGI says it. Raises: InvalidRequest."""
    secret: str = environment.get("HTTP_CHECKOUT_BROWSER", "")
    if secret and not _SECRET.fullmatch(secret):
        sentence = "Send 32 to 128 letters, digits, hyphens or underscores."
        raise InvalidRequest(details={"fields": [field_problem("Checkout-Browser", "format", sentence)]})
    return browser_of_secret(secret)


def count_new_browser(request: Request, intent: PaymentIntent, browser: str) -> None:
    """Count a browser or wallet that is about to begin here for the first time. Raises: RateLimited.

    Why: the service ends the oldest of too many tries, and nobody shall push a payer's out from one address.
    """
    if browser and not intent.payer_wallets.filter(browser=browser).exists():
        address = address_bucket(client_address(request._request))
        take(f"browsers:{address}:{intent.pk.hex}", NEW_BROWSERS)


def count_quote(request: Request, intent: PaymentIntent) -> None:
    """Count a quote that is asked for. Raises: RateLimited.

    Why less for one address than for all: else somebody with the link could use up the payer's.
    """
    address = address_bucket(client_address(request._request))
    one = (f"quotes:{address}:{intent.pk.hex}", QUOTES_OF_ONE)
    take_each([one, (f"quotes:{intent.pk.hex}", QUOTES_OF_ALL)])


def count_report(request: Request, place: tuple[UUID, int]) -> None:
    """Count a hash that is reported for an attempt's leg and says something new. Raises: RateLimited."""
    address = address_bucket(client_address(request._request))
    take(f"reports:{address}:{place[0].hex}:{place[1]}", (REPORTS,))


def opener_of(environment: Mapping[str, Any], intent_id: UUID) -> Opener:
    """What the token of a request says, which must be this intent's. Raises: CheckoutTokenInvalid."""
    token = environment.get("HTTP_CHECKOUT_TOKEN", "")
    try:
        bound = signing.TimestampSigner(salt=_SALT).unsign(token, max_age=LIFETIME_SECONDS)
    except signing.BadSignature:
        raise CheckoutTokenInvalid from None
    intent, _, rest = bound.partition(_PARTS)
    if intent != intent_id.hex:
        raise CheckoutTokenInvalid
    key_id, _, origin = rest.partition(_PARTS)
    return Opener(int(key_id), origin) if rest else OWN_PAGE


def open_session(request: Request, intent: PaymentIntent) -> Opener:
    """Let somebody open or renew a session: a token that still works, or a publishable key of the intent's merchant
    and mode, from a page that may use it. Who opened it.

    Raises: CheckoutTokenInvalid, InvalidApiKey, RevokedApiKey, PublishableKeyRequired, OriginNotAllowed, NotFound,
    MerchantSuspended, RateLimited. Source: docs/guides/embed.md, Sessions.
    """
    if "HTTP_AUTHORIZATION" in request.META:
        return _opened_with_key(request, intent)
    opener = require_token(request, intent)
    if opener != OWN_PAGE:
        _check_still(opener, intent)
    return opener


def _opened_with_key(request: Request, intent: PaymentIntent) -> Opener:
    key = identify(request)
    if key.kind != KeyKind.PUBLISHABLE:
        raise PublishableKeyRequired
    if (key.principal.merchant_id, key.principal.mode) != (intent.merchant_id, intent.mode):
        raise NotFound("payment_intent")
    opener = Opener(key.id, _origin(request))
    _check_origin(opener.origin, intent)
    if is_refused_payment(intent):
        raise MerchantSuspended
    count_session_of(key, request)
    note_use_of(key, request)
    return opener


def _check_still(opener: Opener, intent: PaymentIntent) -> None:
    """Ask again whether the key and its page may. Raises: RevokedApiKey, OriginNotAllowed."""
    owner = Principal(merchant_id=intent.merchant_id, mode=Mode(intent.mode), actor=f"key:{opener.key_id}")
    if not working_keys(owner).filter(pk=opener.key_id, kind=KeyKind.PUBLISHABLE).exists():
        raise RevokedApiKey
    _check_origin(opener.origin, intent)


def _check_origin(origin: str, intent: PaymentIntent) -> None:
    """Raises: OriginNotAllowed, after it was noted for the dashboard."""
    if not may_use_publishable_key(intent.merchant_id, Mode(intent.mode), origin):
        raise OriginNotAllowed(details={"origin": origin[:_ORIGIN_SHOWN]})


def _origin(request: Request) -> str:
    """The page that asks, as its browser says; empty where nobody says."""
    sent: str = request.META.get("HTTP_ORIGIN", "")
    return sent


def session_ends_at() -> str:
    """When a token issued now stops working, as text."""
    return wire_time(now() + timedelta(seconds=LIFETIME_SECONDS))
