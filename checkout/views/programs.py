"""The payment's address as programs see it: x402 asks for the payment, takes what a client signed, says what it became.

No network is used here: what was signed is written down, a worker sends it, and whoever waits holds no thread.
Source: docs/adr/0114-who-sends-what-an-x402-client-signed.md; docs/adr/0008.
"""

from typing import Final

from django.conf import settings
from django.http import HttpRequest, HttpResponse

from checkout.admission import is_refused_payment
from checkout.selectors import checkout_view
from checkout.views.access import NEW_BROWSERS
from checkout.x402 import (
    REQUIRED,
    RESPONSE,
    SIGNED_IN_META,
    in_header,
    read_signed,
    required_body,
    response_body,
)
from core.buckets import Limit
from core.caller import client_address
from core.errors import ServiceError
from core.exception_handler import as_service_error, json_error
from core.later import look_later
from core.rate_limits import take, take_each
from core.renderers import to_json
from core.throttling import address_bucket
from core.waiting import EVERY_SECONDS, json_answer, read_wait
from merchants.errors import MerchantSuspended
from payments.errors import AuthorizationUnfit, AuthorizationUnsigned, AuthorizationUntimely, AuthorizationUnused
from payments.models import PayerAuthorization, PaymentIntent
from payments.selectors import intent_id_from, public_intent
from payments.services.authorized import (
    Standing,
    ask_for_authorization,
    course_of,
    domain_of,
    is_taken,
    take_authorization,
)

ASKED_OF_ONE, ASKED_OF_ALL = Limit(count=30, window_seconds=60), Limit(count=120, window_seconds=60)
"""Of one address at one payment, and of everybody at it: each locks the payment for a moment."""
WAITING_ROOM: Final = ("x402", 50)
WAITING_AT_ONE: Final = 5
"""Of those who wait in one process: at one payment. Why a room apart: merchants who wait must not find theirs full."""
RETRY_SECONDS: Final = 2
PAYMENT_REQUIRED: Final = "This payment is to be made."
_NOT_AS_ASKED: Final = (AuthorizationUnfit, AuthorizationUntimely, AuthorizationUnsigned)
"""What a client can put right by signing what is asked for, which goes with the refusal."""


def asks_as_program(request: HttpRequest) -> bool:
    """Whether a program asks: it brings a signed payment, or takes JSON and no page."""
    accepted = request.headers.get("Accept", "").lower()
    return SIGNED_IN_META in request.META or ("application/json" in accepted and "text/html" not in accepted)


def pay_by_program(request: HttpRequest, intent_id: str) -> HttpResponse:
    """What x402 says of the payment. Refusals have the same form as everywhere."""
    try:
        answer = _answer(request, public_intent(intent_id_from(intent_id)))
    except Exception as error:
        answer = json_error(as_service_error(error))
    answer.headers["Cache-Control"] = "no-store"
    return answer


def _answer(request: HttpRequest, intent: PaymentIntent) -> HttpResponse:
    if is_refused_payment(intent):
        raise MerchantSuspended
    address = address_bucket(client_address(request))
    take_each([(f"x402:{address}:{intent.pk.hex}", ASKED_OF_ONE), (f"x402:{intent.pk.hex}", ASKED_OF_ALL)])
    header, seconds = request.META.get(SIGNED_IN_META), read_wait(request.GET.dict())
    if header is None:
        body = required_body(ask_for_authorization(intent.pk), _address_of(intent), PAYMENT_REQUIRED)
        return HttpResponse(
            to_json(body), status=402, content_type="application/json", headers={REQUIRED: in_header(body)}
        )
    try:
        taken = _taken(intent, header, address)
    except _NOT_AS_ASKED as refusal:
        return _refused(intent, refusal)
    if seconds and course_of(taken).standing == Standing.PENDING:
        rooms = (WAITING_ROOM, (f"x402:{intent.pk.hex}", WAITING_AT_ONE))
        look_later(request.META, lambda: _news(taken), seconds=seconds, every=EVERY_SECONDS, rooms=rooms)
    return _outcome(taken)


def _taken(intent: PaymentIntent, header: str, address: str) -> PayerAuthorization:
    signed = read_signed(intent, header, domain_of(intent))
    if signed.resource not in {"", _address_of(intent)}:
        raise AuthorizationUnfit("resource")
    if not is_taken(intent.mode, signed.authorization):
        take(f"browsers:{address}:{intent.pk.hex}", NEW_BROWSERS)
    return take_authorization(intent.pk, signed.authorization, signed.signature)


def _refused(intent: PaymentIntent, refusal: ServiceError) -> HttpResponse:
    """A refusal with what is asked for. Raises: what keeps the payment from being made at all."""
    asked = required_body(ask_for_authorization(intent.pk), _address_of(intent), refusal.code)
    answer = json_error(refusal)
    answer.headers[REQUIRED] = in_header(asked)
    return answer


def _news(taken: PayerAuthorization) -> HttpResponse | None:
    fresh = PayerAuthorization.objects.select_related("attempt").get(pk=taken.pk)
    return None if course_of(fresh).standing == Standing.PENDING else _outcome(fresh)


def _outcome(taken: PayerAuthorization) -> HttpResponse:
    """How a payment that was taken stands: under way, made, or over with nothing moved."""
    course, intent = course_of(taken), public_intent(taken.attempt.intent_id)
    if course.standing == Standing.FAILED:
        answer = json_error(AuthorizationUnused(course.reason))
    else:
        answer = json_answer(checkout_view(intent))
    if course.standing == Standing.PENDING:
        answer.status_code = 202
        answer.headers["Retry-After"] = str(RETRY_SECONDS)
    else:
        answer.headers[RESPONSE] = in_header(response_body(taken, course))
    return answer


def _address_of(intent: PaymentIntent) -> str:
    return f"{settings.BASE_URL}/checkout/{intent.pk}"
