"""REST door to who paid an intent, and to repaying each of them in one act."""

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.viewsets import ViewSet

from core.fields import check_body
from core.money import ZERO_USD, json_number
from core.openapi import MOVES_MONEY, component, idempotency_header
from core.refusals import errors
from merchants.authentication import principal_of
from merchants.idempotency import Answer, act_once, fingerprint_of, sent_key
from merchants.scopes import KeyScope
from merchants.throttling import CAREFUL_LIMITS
from payments.errors import IntentNotSettled
from payments.models import PaymentIntent
from payments.selectors import intent_id_from, visible_intent
from payments.services.refund import is_refundable
from refunds.errors import NoPayerToRepay, SharesExceedBalance
from refunds.serializers import RepayPayersSerializer
from refunds.services.create import refundable_usd
from refunds.services.repay import RepayRequest, repaid_before, repay_payers
from refunds.shapes import IntentPayersShape, RefundsToPayersShape, share_body
from refunds.shares import MOST_SHOWN, shares, unproven_usd
from refunds.views import written

_TAGS = ["Refunds"]


class PayersViewSet(ViewSet):
    """Payers of intents of the key's merchant and mode."""

    throttle_action_limits = {"repay": CAREFUL_LIMITS}
    key_scopes = {"list": KeyScope.READ_INTENTS, "repay": KeyScope.WRITE_REFUNDS}

    @extend_schema(
        operation_id="listPaymentIntentPayers",
        tags=_TAGS,
        responses={200: component(IntentPayersShape), **errors(401, 404, 429)},
    )
    def list(self, request: Request, intent_id: str) -> Response:
        """List the wallets that provably paid an intent, with what each paid and what of it went back."""
        return Response(_payers_body(visible_intent(principal_of(request), intent_id_from(intent_id))))

    @extend_schema(
        operation_id="refundToPayers",
        tags=_TAGS,
        extensions=MOVES_MONEY,
        parameters=[idempotency_header()],
        request=RepayPayersSerializer,
        responses={
            201: component(RefundsToPayersShape),
            **errors(404, IntentNotSettled, NoPayerToRepay, SharesExceedBalance),
        },
    )
    def repay(self, request: Request) -> Response:
        """Send each wallet that provably paid what it did not get back yet: a refund for each, all or none.

        At most 20 wallets in one act, those with the most left first. Its key is unique for ever: after 24 hours a
        repeat gets the refunds as they are then.
        """
        principal = principal_of(request)
        body = check_body(RepayPayersSerializer, request.data)
        key = sent_key(request) or ""
        repay_request = RepayRequest(
            intent_id=body["intent_id"],
            reason=body.get("reason") or "",
            idempotency_key=key,
            fingerprint=fingerprint_of(request) if key else "",
        )

        def effect() -> Answer:
            earlier = repaid_before(principal, repay_request)
            refunds = earlier or repay_payers(principal, repay_request)
            body: RefundsToPayersShape = {"data": written(*refunds)}
            return Answer(http_status=201, body=body, is_repeat=bool(earlier))

        return act_once(request, principal.idempotency_scope, effect)


def _payers_body(intent: PaymentIntent) -> IntentPayersShape:
    parts = shares(intent.pk)
    return {
        "data": [share_body(one) for one in parts[:MOST_SHOWN]],
        "has_more": len(parts) > MOST_SHOWN,
        "next_cursor": None,
        "unproven_usd": json_number(unproven_usd(intent.pk)),
        "refundable_usd": json_number(refundable_usd(intent) if is_refundable(intent) else ZERO_USD),
    }
