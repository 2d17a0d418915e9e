"""Paths of payouts, below the versioned API."""

from django.urls import path

from payouts.views import PayoutViewSet

urlpatterns = [
    path("payouts", PayoutViewSet.as_view({"get": "list"}), name="payouts"),
    path("payouts/<str:payout_id>", PayoutViewSet.as_view({"get": "retrieve"}), name="payout"),
    path("payouts/<str:payout_id>/replay", PayoutViewSet.as_view({"post": "replay"}), name="payout-replay"),
]
