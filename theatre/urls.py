"""Paths of scenarios and replays, below the versioned API."""

from django.urls import path

from theatre.views import ReplayViewSet, ScenarioFileViewSet

urlpatterns = [
    path(
        "payment-intents/<str:intent_id>/scenario",
        ScenarioFileViewSet.as_view({"get": "retrieve"}),
        name="payment-intent-scenario",
    ),
    path(
        "test-helpers/scenarios/replays",
        ReplayViewSet.as_view({"post": "create"}),
        name="test-helper-replays",
    ),
    path(
        "test-helpers/scenarios/replays/<str:replay_id>",
        ReplayViewSet.as_view({"get": "retrieve"}),
        name="test-helper-replay",
    ),
]
