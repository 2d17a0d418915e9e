"""Paths of payment intents and of the test helpers, below the versioned API."""

from django.urls import path

from payments.views.intents import PaymentIntentViewSet
from payments.views.test_world import ClockHelperView, PayHelperView, ScenarioHelperView, TriggerHelperView

_one = "payment-intents/<str:intent_id>"

urlpatterns = [
    path(
        "payment-intents",
        PaymentIntentViewSet.as_view({"post": "create", "get": "list"}),
        name="payment-intents",
    ),
    path(_one, PaymentIntentViewSet.as_view({"get": "retrieve"}), name="payment-intent"),
    path(f"{_one}/cancel", PaymentIntentViewSet.as_view({"post": "cancel"}), name="payment-intent-cancel"),
    path(
        f"{_one}/accept-partial",
        PaymentIntentViewSet.as_view({"post": "accept_partial"}),
        name="payment-intent-accept-partial",
    ),
    path(
        f"{_one}/transactions",
        PaymentIntentViewSet.as_view({"get": "transactions"}),
        name="payment-intent-transactions",
    ),
    path(f"{_one}/explain", PaymentIntentViewSet.as_view({"get": "explain"}), name="payment-intent-explain"),
    path(f"{_one}/routing", PaymentIntentViewSet.as_view({"get": "routing"}), name="payment-intent-routing"),
    path("test-helpers/payment-intents/<str:intent_id>/pay", PayHelperView.as_view(), name="test-helper-pay"),
    path("test-helpers/scenarios", ScenarioHelperView.as_view(), name="test-helper-scenarios"),
    path("test-helpers/clock/advance", ClockHelperView.as_view(), name="test-helper-clock"),
    path("test-helpers/events/trigger", TriggerHelperView.as_view(), name="test-helper-trigger"),
]
