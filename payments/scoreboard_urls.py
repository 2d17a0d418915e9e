"""Paths of the scoreboard of routes, below ``/routes/``."""

from django.urls import path

from core.modes import Mode
from payments.views.scoreboard import scoreboard_data, scoreboard_page

urlpatterns = [
    path("", scoreboard_page, {"mode": Mode.LIVE.value}, name="scoreboard"),
    path("data.json", scoreboard_data, {"mode": Mode.LIVE.value}, name="scoreboard-data"),
    path("test/", scoreboard_page, {"mode": Mode.TEST.value}, name="scoreboard-test"),
    path("test/data.json", scoreboard_data, {"mode": Mode.TEST.value}, name="scoreboard-test-data"),
]
