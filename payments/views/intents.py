"""REST door to payment intents."""

from collections.abc import Callable, Sequence
from typing import Any

from django.conf import settings
from django.http import HttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.viewsets import ViewSet

from core.misnamed import ONWARD, PAGING, refuse_misnamed
from core.openapi import (
    MOVES_MONEY,
    comma_list,
    component,
    idempotency_header,
    list_of,
    onward_parameters,
    page_parameters,
    wait_parameter,
)
from core.pagination import PageLimits, Row, cut_page, link_header, page_body, read_page
from core.refusals import errors
from core.snapshot import one_moment
from core.waiting import json_answer, read_wait, wait_for
from merchants.authentication import principal_of
from merchants.idempotency import Answer, Creation, act_once, create_once
from merchants.principal import Principal
from merchants.scopes import KeyScope
from merchants.throttling import CREATE_LIMITS
from payments.errors import (
    CurrencyUnsupported,
    IntentNotAcceptable,
    IntentNotCancellable,
    MetadataInvalid,
    ReturnUrlNotAllowed,
    SettlementAddressInvalid,
    SettlementAddressNotAllowed,
    SettlementAddressUnproven,
    SettlementPairUnsupported,
    SettlementProfileMissing,
)
from payments.explanation import ExplanationShape, explain, explanation_body
from payments.filters import MAX_SEARCH, filter_intents, search_conditions, status_conditions
from payments.intake import read_new_intent
from payments.models import PaymentIntent
from payments.selectors import candidates_of, hints_of, intent_id_from, legs_of, visible_intent
from payments.serializers import CreatePaymentIntentSerializer
from payments.services.accept import accept_partial
from payments.services.cancel import cancel_intent
from payments.services.create import draft_intent
from payments.shapes import (
    LegShape,
    PaymentIntentShape,
    RouteCandidateShape,
    candidate_body,
    intent_body,
    leg_body,
)
from payments.states import INTENT_MACHINE, IntentStatus
from payments.strays import strays_of_legs

LIMITS = PageLimits(default=20, maximum=100)
"""Source: specification, Limits."""
PARTS = PageLimits(default=100, maximum=100)
"""Of what belongs to one intent. Why so many by default: hardly any has more, and then nobody needs to page."""
_NOT_AS_ASKED = (
    *(CurrencyUnsupported, MetadataInvalid, ReturnUrlNotAllowed, SettlementProfileMissing, SettlementPairUnsupported),
    *(SettlementAddressInvalid, SettlementAddressNotAllowed, SettlementAddressUnproven),
)
"""Why no intent is made, beyond its form."""
_AMOUNT = {"type": "string", "pattern": r"^[0-9]{1,9}(\.[0-9]{1,6})?$"}
_FILTERS = [
    OpenApiParameter(
        "status", comma_list(IntentStatus.values), description="One status, or several separated by commas."
    ),
    OpenApiParameter("created_gte", OpenApiTypes.DATETIME, description="Created at or after this RFC 3339 time."),
    OpenApiParameter("created_lt", OpenApiTypes.DATETIME, description="Created before this RFC 3339 time."),
    OpenApiParameter("amount_gte", _AMOUNT, description="Asked for at least so many dollars."),
    OpenApiParameter("amount_lte", _AMOUNT, description="Asked for at most so many dollars."),
    OpenApiParameter("settlement_chain", str),
    OpenApiParameter("settlement_token", str),
    OpenApiParameter("reference", str, description="Your own order number."),
    OpenApiParameter("customer_email", str),
    OpenApiParameter(
        "metadata",
        {"type": "object", "additionalProperties": {"type": "string"}},
        style="deepObject",
        explode=True,
        description="By a value of your own: `metadata[order]=42`.",
    ),
    OpenApiParameter(
        "q",
        {"type": "string", "minLength": 1, "maxLength": MAX_SEARCH},
        description="An id, reference, e-mail, address or transaction hash, exactly.",
    ),
]


def written(intent: PaymentIntent) -> PaymentIntentShape:
    """An intent on the wire, with this deployment's addresses."""
    return intent_body(intent, settings.BASE_URL)


class PaymentIntentViewSet(ViewSet):
    """Payment intents of the key's merchant and mode."""

    throttle_action_limits = {"create": CREATE_LIMITS}
    key_scopes = {
        **dict.fromkeys(("list", "retrieve", "explain", "transactions", "routing"), KeyScope.READ_INTENTS),
        **dict.fromkeys(("create", "cancel", "accept_partial"), KeyScope.WRITE_INTENTS),
    }

    @extend_schema(
        operation_id="createPaymentIntent",
        tags=["Payment intents"],
        parameters=[idempotency_header()],
        request=CreatePaymentIntentSerializer,
        responses={201: component(PaymentIntentShape), **errors(*_NOT_AS_ASKED)},
    )
    def create(self, request: Request) -> Response:
        """Create an intent."""
        principal = principal_of(request)
        new = read_new_intent(request.data, principal)

        def creation() -> Creation:
            draft = draft_intent(principal, new)
            return Creation(draft=draft, answer=Answer(http_status=201, body=written(draft.row)))

        return create_once(request, principal.idempotency_scope, creation)

    @extend_schema(
        operation_id="listPaymentIntents",
        tags=["Payment intents"],
        parameters=[*page_parameters(LIMITS), *_FILTERS],
        responses={200: list_of(PaymentIntentShape), **errors(400, 401, 429)},
    )
    def list(self, request: Request) -> Response:
        """List intents, newest first."""
        query = request.query_params.dict()
        refuse_misnamed(query, (*PAGING, *(one.name for one in _FILTERS)))
        intents = PaymentIntent.objects.visible_to(principal_of(request))
        apart = [] if "q" in query else status_conditions(query)
        shown = filter_intents(intents, {name: query[name] for name in query if name != "status" or not apart})
        page = read_page(shown, query, LIMITS, cursors=intents, any_of=apart or search_conditions(query))
        body = page_body(page, [written(intent) for intent in page.rows])
        return Response(body, headers=link_header(request.path, query, page))

    @extend_schema(
        operation_id="getPaymentIntent",
        tags=["Payment intents"],
        parameters=[wait_parameter("its status is another one than now, at once where that is over")],
        responses={200: component(PaymentIntentShape), **errors(400, 401, 404, 429)},
    )
    def retrieve(self, request: Request, intent_id: str) -> Response:
        """Retrieve an intent; with ``wait``, once its status is another one."""
        principal, key = principal_of(request), intent_id_from(intent_id)
        seconds, intent = read_wait(request.query_params), visible_intent(principal, key)
        if intent.status not in INTENT_MACHINE.terminal:
            _wait_for_another_status(request, principal, intent, seconds)
        return Response(written(intent))

    @extend_schema(
        operation_id="cancelPaymentIntent",
        tags=["Payment intents"],
        parameters=[idempotency_header()],
        request=None,
        responses={200: component(PaymentIntentShape), **errors(404, IntentNotCancellable)},
    )
    def cancel(self, request: Request, intent_id: str) -> Response:
        """Cancel an intent that nobody has paid."""
        principal, key = principal_of(request), intent_id_from(intent_id)
        return act_once(
            request,
            principal.idempotency_scope,
            lambda: Answer(http_status=200, body=written(cancel_intent(principal, key))),
        )

    @extend_schema(
        operation_id="acceptPartialPaymentIntent",
        tags=["Payment intents"],
        extensions=MOVES_MONEY,
        parameters=[idempotency_header()],
        request=None,
        responses={200: component(PaymentIntentShape), **errors(404, IntentNotAcceptable)},
    )
    def accept_partial(self, request: Request, intent_id: str) -> Response:
        """Accept what arrived of a partially filled intent as enough, and settle it."""
        principal, key = principal_of(request), intent_id_from(intent_id)
        return act_once(
            request,
            principal.idempotency_scope,
            lambda: Answer(http_status=200, body=written(accept_partial(principal, key))),
        )

    @extend_schema(
        operation_id="explainPaymentIntent",
        tags=["Payment intents"],
        responses={200: component(ExplanationShape), **errors(401, 404, 429)},
    )
    def explain(self, request: Request, intent_id: str) -> Response:
        """Say what happened, where the money is, who must act, and the next safe step."""
        principal, key = principal_of(request), intent_id_from(intent_id)
        with one_moment():
            intent = visible_intent(principal, key)
            return Response(explanation_body(intent, explain(intent)))

    @extend_schema(
        operation_id="listPaymentIntentTransactions",
        tags=["Payment intents"],
        parameters=onward_parameters(PARTS),
        responses={200: list_of(LegShape), **errors(400, 401, 404, 429)},
    )
    def transactions(self, request: Request, intent_id: str) -> Response:
        """List the transaction legs that contribute to an intent."""
        intent = visible_intent(principal_of(request), intent_id_from(intent_id))
        legs = legs_of(intent)
        strays, hints = strays_of_legs(legs), hints_of(legs)
        return _part(request, legs, lambda leg: leg_body(leg, strays[leg.pk], hints[leg.pk]))

    @extend_schema(
        operation_id="listPaymentIntentRoutes",
        tags=["Payment intents"],
        parameters=onward_parameters(PARTS),
        responses={200: list_of(RouteCandidateShape), **errors(400, 401, 404, 429)},
    )
    def routing(self, request: Request, intent_id: str) -> Response:
        """List the routes that were weighed, chosen and rejected."""
        intent = visible_intent(principal_of(request), intent_id_from(intent_id))
        return _part(request, candidates_of(intent), candidate_body)


def _wait_for_another_status(request: Request, principal: Principal, intent: PaymentIntent, seconds: int) -> None:
    """Why by key alone at first: of those who wait, most are told nothing new."""
    key, seen = intent.pk, intent.status
    changed = PaymentIntent.objects.visible_to(principal).filter(pk=key).exclude(status=seen)

    def as_it_is() -> HttpResponse:
        return json_answer(written(visible_intent(principal, key)))

    def news() -> HttpResponse | None:
        return as_it_is() if changed.all().exists() else None

    wait_for(request.META, seconds, news, as_it_is, whose=principal.idempotency_scope)


def _part(request: Request, rows: Sequence[Row], body_of: Callable[[Row], Any]) -> Response:
    """A page of what belongs to one intent, in the order in which it came about."""
    query = request.query_params.dict()
    refuse_misnamed(query, ONWARD)
    page = cut_page(rows, query, PARTS)
    body = page_body(page, [body_of(row) for row in page.rows])
    return Response(body, headers=link_header(request.path, query, page))
