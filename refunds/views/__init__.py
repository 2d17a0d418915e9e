"""REST door to refunds, and the public view of one."""

from collections.abc import Callable

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, PolymorphicProxySerializer, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView
from rest_framework.viewsets import ViewSet

from core.conditional import unless_unchanged
from core.fields import check_body
from core.misnamed import PAGING, refuse_misnamed
from core.openapi import MOVES_MONEY, comma_list, component, idempotency_header, list_of, page_parameters
from core.pagination import PageLimits, link_header, page_body, read_page
from core.refusals import errors
from merchants.authentication import principal_of
from merchants.idempotency import Answer, act_once, fingerprint_of, sent_key
from merchants.principal import Principal
from merchants.scopes import KeyScope
from merchants.throttling import CAREFUL_LIMITS, RefundStatusThrottle
from payments.errors import IntentNotSettled
from refunds.errors import (
    RefundDestinationNotNeeded,
    RefundExceedsBalance,
    RefundNotCancellable,
    StrayGivenBack,
    StrayNotFinal,
    StrayNotSendable,
    StrayPayerUnknown,
)
from refunds.filters import filter_refunds
from refunds.intake import read_new_refund
from refunds.models import Refund
from refunds.selectors import public_refund, visible_refund
from refunds.serializers import (
    CancelRefundSerializer,
    CreateRefundSerializer,
    GiveStrayBackSerializer,
    RefundDestinationSerializer,
)
from refunds.services.cancel import cancel_refund
from refunds.services.create import NewRefund, create_refund, refund_made_before
from refunds.services.destination import set_destination
from refunds.services.stray import give_stray_back
from refunds.shapes import RECORD_STATUSES, RefundPublicViewShape, RefundShape, public_view, refund_body
from refunds.shares import offers

LIMITS = PageLimits(default=50, maximum=200)
"""Source: specification, Limits."""
Create = Callable[[Principal, NewRefund], Refund]
_TAGS = ["Refunds"]
_NOT_GIVEN_BACK = (StrayNotFinal, StrayGivenBack, StrayPayerUnknown, StrayNotSendable)
_FILTERS = [
    OpenApiParameter("payment_intent_id", OpenApiTypes.UUID, description="Refunds of this intent."),
    OpenApiParameter("status", comma_list(RECORD_STATUSES), description="One status, or several separated by commas."),
]


def written(*refunds: Refund) -> list[RefundShape]:
    """Refunds on the wire, with the payers of those that wait."""
    payers = offers(refunds)
    return [refund_body(refund, payers.get(refund.pk)) for refund in refunds]


def _answer(refund: Refund, http_status: int = 200, *, is_repeat: bool = False) -> Answer:
    [body] = written(refund)
    return Answer(http_status=http_status, body=body, is_repeat=is_repeat)


class RefundViewSet(ViewSet):
    """Refunds of the key's merchant and mode."""

    throttle_action_limits = {"create": CAREFUL_LIMITS}
    key_scopes = {
        **dict.fromkeys(("list", "retrieve"), KeyScope.READ_INTENTS),
        **dict.fromkeys(("create", "cancel", "destination"), KeyScope.WRITE_REFUNDS),
    }

    @extend_schema(
        operation_id="createRefund",
        tags=_TAGS,
        extensions=MOVES_MONEY,
        parameters=[idempotency_header()],
        request=PolymorphicProxySerializer(
            component_name="NewRefund",
            serializers=[CreateRefundSerializer, GiveStrayBackSerializer],
            resource_type_field_name=None,
        ),
        responses={
            201: component(RefundShape),
            **errors(404, IntentNotSettled, RefundExceedsBalance, *_NOT_GIVEN_BACK),
        },
    )
    def create(self, request: Request) -> Response:
        """Create a refund. Its key is unique for ever: after 24 hours a repeat gets the refund as it is then."""
        principal = principal_of(request)
        new = read_new_refund(request.data, idempotency_key=sent_key(request), fingerprint=fingerprint_of(request))
        create: Create = create_refund if new.stray_id is None else give_stray_back

        def effect() -> Answer:
            earlier = refund_made_before(principal, new)
            refund = earlier or create(principal, new)
            return _answer(refund, 201, is_repeat=earlier is not None)

        return act_once(request, principal.idempotency_scope, effect)

    @extend_schema(
        operation_id="listRefunds",
        tags=_TAGS,
        parameters=[*page_parameters(LIMITS), *_FILTERS],
        responses={200: list_of(RefundShape), **errors(400, 401, 429)},
    )
    def list(self, request: Request) -> Response:
        """List refunds, newest first."""
        query = request.query_params.dict()
        refuse_misnamed(query, (*PAGING, *(one.name for one in _FILTERS)))
        refunds = Refund.objects.visible_to(principal_of(request))
        page = read_page(filter_refunds(refunds, query), query, LIMITS, cursors=refunds)
        return Response(page_body(page, written(*page.rows)), headers=link_header(request.path, query, page))

    @extend_schema(
        operation_id="getRefund", tags=_TAGS, responses={200: component(RefundShape), **errors(401, 404, 429)}
    )
    def retrieve(self, request: Request, refund_id: str) -> Response:
        """Retrieve a refund."""
        [body] = written(visible_refund(principal_of(request), refund_id))
        return Response(body)

    @extend_schema(
        operation_id="cancelRefund",
        tags=_TAGS,
        parameters=[idempotency_header()],
        request=None,
        responses={200: component(RefundShape), **errors(404, RefundNotCancellable)},
    )
    def cancel(self, request: Request, refund_id: str) -> Response:
        """Cancel a refund of which nothing was signed."""
        principal = principal_of(request)
        refund = visible_refund(principal, refund_id)
        check_body(CancelRefundSerializer, request.data)
        return act_once(request, principal.idempotency_scope, lambda: _answer(cancel_refund(principal, refund)))

    @extend_schema(
        operation_id="setRefundDestination",
        tags=_TAGS,
        extensions=MOVES_MONEY,
        parameters=[idempotency_header()],
        request=RefundDestinationSerializer,
        responses={200: component(RefundShape), **errors(404, RefundDestinationNotNeeded)},
    )
    def destination(self, request: Request, refund_id: str) -> Response:
        """Tell a refund that waits for it where to go."""
        principal = principal_of(request)
        refund = visible_refund(principal, refund_id)
        text = check_body(RefundDestinationSerializer, request.data)["destination"]
        return act_once(request, principal.idempotency_scope, lambda: _answer(set_destination(principal, refund, text)))


class RefundStatusView(APIView):
    """The public view of a refund: no key, counted per address."""

    authentication_classes = ()
    throttle_classes = (RefundStatusThrottle,)

    @extend_schema(
        operation_id="getRefundStatus",
        tags=_TAGS,
        auth=[],
        responses={
            200: component(RefundPublicViewShape),
            304: OpenApiResponse(description="Nothing has changed since the ETag in If-None-Match."),
            **errors(404, 429),
        },
    )
    def get(self, request: Request, refund_id: str) -> Response:
        """Read the public view of a refund; safe for e-mails and receipts."""
        return unless_unchanged(request, public_view(public_refund(refund_id)))
