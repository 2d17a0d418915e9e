"""REST door to payouts. They are created by the agent tool ``create_payout`` or at settle, never here."""

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.viewsets import ViewSet

from core.misnamed import PAGING, refuse_misnamed
from core.openapi import MOVES_MONEY, comma_list, component, idempotency_header, list_of, page_parameters
from core.pagination import PageLimits, link_header, page_body, read_page
from core.refusals import errors
from merchants.authentication import principal_of
from merchants.idempotency import Answer, act_once
from merchants.scopes import KeyScope
from merchants.throttling import CAREFUL_LIMITS
from payments.errors import IntentNotSettled
from payouts.errors import PayoutNotReplayable
from payouts.filters import filter_payouts
from payouts.models import Payout
from payouts.selectors import payout_id_from, visible_payout
from payouts.services import replay_payout
from payouts.shapes import PayoutShape, payout_body
from payouts.states import PayoutStatus

LIMITS = PageLimits(default=50, maximum=200)
"""Source: specification, Limits."""
_FILTERS = [
    OpenApiParameter(
        "status", comma_list(PayoutStatus.values), description="One status, or several separated by commas."
    ),
    OpenApiParameter("payment_intent_id", OpenApiTypes.UUID, description="Of this intent only."),
    OpenApiParameter("created_gte", OpenApiTypes.DATETIME, description="Created at or after this RFC 3339 time."),
    OpenApiParameter("created_lt", OpenApiTypes.DATETIME, description="Created before this RFC 3339 time."),
]


class PayoutViewSet(ViewSet):
    """Payouts of the key's merchant and mode."""

    key_scopes = {
        **dict.fromkeys(("list", "retrieve"), KeyScope.READ_INTENTS),
        "replay": KeyScope.WRITE_PAYOUTS,
    }
    throttle_action_limits = {"replay": CAREFUL_LIMITS}

    @extend_schema(
        operation_id="listPayouts",
        tags=["Payouts"],
        parameters=[*page_parameters(LIMITS), *_FILTERS],
        responses={200: list_of(PayoutShape), **errors(400, 401, 429)},
    )
    def list(self, request: Request) -> Response:
        """List payouts, newest first."""
        query = request.query_params.dict()
        refuse_misnamed(query, (*PAGING, *(one.name for one in _FILTERS)))
        payouts = Payout.objects.visible_to(principal_of(request))
        page = read_page(filter_payouts(payouts, query), query, LIMITS, cursors=payouts)
        body = page_body(page, [payout_body(payout) for payout in page.rows])
        return Response(body, headers=link_header(request.path, query, page))

    @extend_schema(
        operation_id="getPayout",
        tags=["Payouts"],
        responses={200: component(PayoutShape), **errors(401, 404, 429)},
    )
    def retrieve(self, request: Request, payout_id: str) -> Response:
        """Retrieve a payout."""
        return Response(payout_body(visible_payout(principal_of(request), payout_id_from(payout_id))))

    @extend_schema(
        operation_id="replayPayout",
        tags=["Payouts"],
        extensions=MOVES_MONEY,
        parameters=[idempotency_header()],
        request=None,
        responses={200: component(PayoutShape), **errors(404, PayoutNotReplayable, IntentNotSettled)},
    )
    def replay(self, request: Request, payout_id: str) -> Response:
        """Have a failed payout sent again."""
        principal, key = principal_of(request), payout_id_from(payout_id)
        return act_once(
            request,
            principal.idempotency_scope,
            lambda: Answer(http_status=200, body=payout_body(replay_payout(principal, key))),
        )
