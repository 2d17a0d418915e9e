"""Requests as they are counted: by the part of the service that was asked, and by what they were answered."""

from typing import Final

from config.request_traces import trace_request
from config.whole_requests import Answer, Environment
from core.metrics import REQUESTS
from core.traces import traces

_AREAS: Final = (
    ("/api/public/health", "health"),
    ("/api/public/v1/checkout/", "checkout"),
    ("/api/", "api"),
    ("/mcp", "agents"),
    ("/oauth", "agents"),
    ("/checkout/", "checkout"),
    ("/embed/", "checkout"),
    ("/claim/", "checkout"),
    ("/dashboard/", "dashboard"),
    ("/accounts/", "dashboard"),
    ("/admin/", "operators"),
    ("/static/", "static"),
)
"""By how a path begins, the longer beginning first."""
OTHER: Final = "other"
AREAS: Final = frozenset(area for _, area in _AREAS) | {OTHER}


def area_of(path: str) -> str:
    """The part of the service that a path belongs to. Why so coarse: labels are a closed list, paths are anybody's."""
    return next((area for beginning, area in _AREAS if path.startswith(beginning)), OTHER)


def note_request(environment: Environment, answer: Answer, seconds: float) -> None:
    """Count a request that was answered, and trace it where there are traces."""
    REQUESTS.observe(area_of(environment["PATH_INFO"]), f"{answer.status // 100}xx", seconds=seconds)
    if traces.is_on:
        trace_request(environment, answer, seconds)
