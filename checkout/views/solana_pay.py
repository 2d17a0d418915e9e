"""Solana Pay: a wallet scans a code, says who it is, and gets the one transaction that pays.

No network is used here: the wish is stored, a worker makes the transaction, and its row is looked for while the wallet
waits, which holds no thread (``core.later``). Source: https://docs.solanapay.com/spec, transaction requests;
docs/adr/0008.
"""

from uuid import UUID

from django.conf import settings
from django.http import HttpResponse
from django.templatetags.static import static
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from chains.addresses import parse_address
from chains.errors import InvalidAddress
from chains.registry import Chain, Family, chain
from checkout.selectors import payers_name_of
from checkout.serializers import SolanaPayTransactionSerializer
from checkout.shapes import SolanaPayLabelShape, SolanaPayTransactionShape
from checkout.views.access import count_new_browser
from core.errors import Conflict, InvalidRequest, NotFound, ServiceError, field_problem
from core.fields import check_body
from core.later import look_later
from core.modes import Mode
from core.money import from_base_units, to_decimal_string
from core.openapi import component
from core.refusals import errors
from core.renderers import to_json
from merchants.errors import MerchantSuspended
from merchants.throttling import PayerThrottle
from payments.errors import IntentNotPayable, PaymentInDoubt, QuoteExpired, TooManyAttempts
from payments.models import Leg, PaymentAttempt, PaymentIntent
from payments.selectors import intent_id_from, public_intent
from payments.services.attempts import give_up_attempt, request_start
from payments.services.ownership import browser_of_wallet
from payments.services.wallet_request import leg_to_sign, request_whole_payment
from payments.states import OPEN_ATTEMPT, AttemptStatus

RETRY_SECONDS = 2
NOT_STORED = {"Cache-Control": "no-store"}
_SEVERAL = "Several transactions would be needed. Open the page in the wallet's browser to pay."
_NO_ROUTE = "No route can carry the payment from this wallet right now."


class TransactionNotReady(ServiceError):
    """The worker has not finished; the wish is stored, and asking again joins it."""

    code = "transaction_not_ready"
    http_status = 503
    message = "The payment is being prepared. Ask again in a moment; nothing was paid."

    def __init__(self) -> None:
        super().__init__(details={"retryable": True}, headers={"Retry-After": str(RETRY_SECONDS)})


class NoSingleTransaction(Conflict):
    """This wallet cannot pay in one transaction now."""

    code = "route_unavailable"

    def __init__(self, reason: str) -> None:
        super().__init__(reason, details={"reason": reason})


_NOT_PREPARED = (
    *(TransactionNotReady, NoSingleTransaction, QuoteExpired, TooManyAttempts),
    *(IntentNotPayable, PaymentInDoubt, MerchantSuspended),
)


class SolanaPayView(APIView):
    """The two answers of a transaction request, for wallets and for no page.

    Why without a token: like the page, the link is the permission.
    """

    authentication_classes = ()
    throttle_classes = (PayerThrottle,)

    @extend_schema(
        operation_id="getSolanaPayLabel",
        tags=["Checkout"],
        auth=[],
        responses={200: component(SolanaPayLabelShape), **errors(404, 429)},
    )
    def get(self, request: Request, intent_id: str) -> Response:
        """Say to a wallet who asks for money."""
        intent = _live_intent(intent_id)
        icon = f"{settings.BASE_URL}{static('theme/mark.svg')}"
        label: SolanaPayLabelShape = {"label": payers_name_of(intent), "icon": icon}
        return Response(label, headers={"Cache-Control": "no-store"})

    @extend_schema(
        operation_id="createSolanaPayTransaction",
        tags=["Checkout"],
        auth=[],
        request=SolanaPayTransactionSerializer,
        responses={200: component(SolanaPayTransactionShape), **errors(404, *_NOT_PREPARED)},
    )
    def post(self, request: Request, intent_id: str) -> Response:
        """Give a wallet the one transaction that pays; asked again within half a minute, the same one."""
        intent = _live_intent(intent_id)
        account = _account(check_body(SolanaPayTransactionSerializer, request.data)["account"])
        count_new_browser(request, intent, browser_of_wallet(account))
        attempt_id = request_whole_payment(intent.pk, Family.SOLANA, account)
        leg = _step(intent, attempt_id)
        if leg is None:
            look_later(request.META, lambda: _found(intent, attempt_id))
            raise TransactionNotReady
        return Response(_body(intent, leg), headers=NOT_STORED)


def _live_intent(intent_id: str) -> PaymentIntent:
    """Raises: NotFound for everything that no wallet on Solana can pay for real."""
    intent = public_intent(intent_id_from(intent_id))
    if intent.mode != Mode.LIVE or not settings.RPC_URLS["solana"]:
        raise NotFound("path")
    return intent


def _account(text: str) -> str:
    """Raises: InvalidRequest."""
    try:
        return parse_address(_solana(), text)
    except InvalidAddress as error:
        problem = field_problem("account", "format", error.message)
        raise InvalidRequest(details={"fields": [problem]}) from error


def _solana() -> Chain:
    known = chain("solana")
    if known is None:
        raise NotFound("path")
    return known


def _found(intent: PaymentIntent, attempt_id: UUID) -> HttpResponse | None:
    """The answer, once the transaction is ready. Raises: NoSingleTransaction."""
    leg = _step(intent, attempt_id)
    if leg is None:
        return None
    return HttpResponse(to_json(_body(intent, leg)), content_type="application/json", headers=NOT_STORED)


def _step(intent: PaymentIntent, attempt_id: UUID) -> Leg | None:
    """One look: accept the quote when it is there, answer the leg when it is ready. Raises: NoSingleTransaction."""
    attempt = PaymentAttempt.objects.get(pk=attempt_id, intent=intent)
    if attempt.status not in OPEN_ATTEMPT:
        raise NoSingleTransaction(_NO_ROUTE)
    if attempt.status == AttemptStatus.QUOTED:
        if attempt.legs.count() > 1:
            give_up_attempt(intent.pk, attempt_id, "one transaction does not suffice")
            raise NoSingleTransaction(_SEVERAL)
        request_start(intent.pk, attempt_id)
    return leg_to_sign(intent, attempt) if attempt.status == AttemptStatus.AWAITING_SIGNATURE else None


def _body(intent: PaymentIntent, leg: Leg) -> SolanaPayTransactionShape:
    paid = to_decimal_string(from_base_units(leg.input_base_units, leg.token_decimals))
    whole = f"{to_decimal_string(intent.amount)} {intent.currency} to {payers_name_of(intent)}"
    # The wallet shows the message beside its own view of the transaction.
    message = f"{whole}: at most {paid} {leg.token}, and the network fee."
    return {"transaction": leg.issued["transaction_base64"], "message": message}
