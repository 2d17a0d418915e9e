"""Paths of records, below the versioned API."""

from django.urls import path

from records.views import FlightRecordViewSet

urlpatterns = [
    path(
        "payment-intents/<str:intent_id>/flight-record",
        FlightRecordViewSet.as_view({"get": "retrieve"}),
        name="payment-intent-flight-record",
    ),
]
