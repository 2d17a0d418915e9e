"""What anyone with the link may read, and how a payer's session is opened and renewed."""

from functools import partial
from typing import Any

from django.utils.cache import patch_vary_headers
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from checkout.selectors import checkout_view, dated_payer_state
from checkout.shapes import CheckoutSessionShape, CheckoutViewShape, PayerStateShape
from checkout.unchanged import asked_by, known_versions, tag_for
from checkout.views.access import (
    CheckoutTokenInvalid,
    browser_of,
    issue_token,
    open_session,
    require_token,
    session_ends_at,
)
from core.conditional import unless_unchanged
from core.cross_origin import CrossOriginView
from core.errors import InvalidRequest
from core.language import in_payers_language, language_of
from core.openapi import component
from core.refusals import answered_with, errors
from core.throttling import AddressThrottle
from merchants.errors import (
    InvalidApiKey,
    MerchantSuspended,
    MissingApiKey,
    OriginNotAllowed,
    PublishableKeyRequired,
    RevokedApiKey,
)
from merchants.throttling import CheckoutThrottle, PayerThrottle
from payments.selectors import intent_id_from, public_intent
from payments.services.attempts import open_for_payment

CHECKOUT_TOKEN: Any = {"checkoutToken": []}
PUBLISHABLE_KEY: Any = {"publishableKey": []}
"""What the description calls the two credentials of a payer's page. Why untyped: upstream names them as text."""
BROWSER = OpenApiParameter(
    "Checkout-Browser",
    {"type": "string", "pattern": "^([A-Za-z0-9_-]{32,128})?$"},
    OpenApiParameter.HEADER,
    description="The browser's own secret. What was begun with it is shown and acted on with it alone; "
    "without it, what was begun without.",
)
answered_with("checkoutToken", CheckoutTokenInvalid, OriginNotAllowed)
answered_with(
    "publishableKey",
    *(MissingApiKey, InvalidApiKey, RevokedApiKey, PublishableKeyRequired, OriginNotAllowed, MerchantSuspended),
)
answered_with(BROWSER.name, InvalidRequest)
NOT_MODIFIED = OpenApiResponse(description="Nothing has changed since the ETag in If-None-Match.")


class PublicCheckoutView(CrossOriginView):
    """Base of the payer's endpoints: no key, counted per address, readable on pages that embed a checkout."""

    authentication_classes = ()
    throttle_classes: tuple[type[AddressThrottle], ...] = (CheckoutThrottle,)


class PayerView(PublicCheckoutView):
    """Base of what the holder of a checkout token asks."""

    throttle_classes = (PayerThrottle,)

    def finalize_response(self, request: Request, response: Response, *args: Any, **kwargs: Any) -> Response:
        """Say what an answer hung on: its sentences for the payer are in the payer's language."""
        answer: Response = super().finalize_response(request, response, *args, **kwargs)
        patch_vary_headers(answer, ["Accept-Language"])
        return answer


class CheckoutViewView(PublicCheckoutView):
    """The public, read-only view."""

    open_to_every_origin = True

    @extend_schema(
        operation_id="getCheckout",
        tags=["Checkout"],
        auth=[],
        responses={200: component(CheckoutViewShape), 304: NOT_MODIFIED, **errors(404, 429)},
    )
    def get(self, request: Request, intent_id: str) -> Response:
        """Read the public view of a checkout; made for polling."""
        return unless_unchanged(request, checkout_view(public_intent(intent_id_from(intent_id))))


class PayerStateView(PayerView):
    """What the hosted page draws."""

    @extend_schema(
        operation_id="getCheckoutState",
        tags=["Checkout"],
        auth=[CHECKOUT_TOKEN],
        parameters=[BROWSER],
        responses={200: component(PayerStateShape), 304: NOT_MODIFIED, **errors(400, 401, 403, 404, 429)},
    )
    def get(self, request: Request, intent_id: str) -> Response:
        """Read the payer's state."""
        asked = asked_by(request.META, intent_id_from(intent_id), language_of(request))
        versions = known_versions(request.META, asked)  # before all else is read, so that no later change is missed
        intent = public_intent(asked.intent_id)
        require_token(request, intent)
        with in_payers_language(request):
            state, changes_at = dated_payer_state(intent, browser_of(request))
        marked = partial(tag_for, request.META, asked, versions, changes_at)
        return unless_unchanged(request, state, no_news={"server_time"}, marked=marked)


class SessionView(PublicCheckoutView):
    """A payer's session."""

    @extend_schema(
        operation_id="openCheckoutSession",
        tags=["Checkout"],
        auth=[CHECKOUT_TOKEN, PUBLISHABLE_KEY],
        request=None,
        responses={200: component(CheckoutSessionShape), **errors(401, 403, 404, 429)},
    )
    def post(self, request: Request, intent_id: str) -> Response:
        """Open or renew a payer's session."""
        intent = public_intent(intent_id_from(intent_id))
        opener = open_session(request, intent)
        open_for_payment(intent.pk)
        return Response(
            {"checkout_token": issue_token(intent.pk, opener), "expires_at": session_ends_at()},
            headers={"Cache-Control": "no-store"},
        )
