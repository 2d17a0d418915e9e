"""Paths of refunds: below the versioned API, and the public status without a version."""

from django.urls import path

from refunds.views import RefundStatusView, RefundViewSet
from refunds.views.claims import ClaimNonceView, ClaimView
from refunds.views.payers import PayersViewSet

_one = "refunds/<str:refund_id>"

urlpatterns = [
    path("refunds", RefundViewSet.as_view({"post": "create", "get": "list"}), name="refunds"),
    path("refunds/to-payers", PayersViewSet.as_view({"post": "repay"}), name="refunds-to-payers"),
    path(
        "payment-intents/<str:intent_id>/payers",
        PayersViewSet.as_view({"get": "list"}),
        name="payment-intent-payers",
    ),
    path(_one, RefundViewSet.as_view({"get": "retrieve"}), name="refund"),
    path(f"{_one}/cancel", RefundViewSet.as_view({"post": "cancel"}), name="refund-cancel"),
    path(f"{_one}/destination", RefundViewSet.as_view({"post": "destination"}), name="refund-destination"),
]
public_urlpatterns = [
    path(f"{_one}/status", RefundStatusView.as_view(), name="refund-status"),
    path(f"{_one}/claim/nonce", ClaimNonceView.as_view(), name="refund-claim-nonce"),
    path(f"{_one}/claim", ClaimView.as_view(), name="refund-claim"),
]
