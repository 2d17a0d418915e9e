"""Is the service up, and can it work? Source: specification, Health; docs/operators.md, What readiness says."""

from typing import Any

from drf_spectacular.utils import OpenApiResponse, extend_schema, inline_serializer
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from core.clock import now, wire_time
from core.throttling import HealthThrottle
from operations.readiness import checks_of_readiness, database

_HEALTH = inline_serializer("HealthStatus", {"status": serializers.CharField(), "ts": serializers.DateTimeField()})
_DEPENDENCY = inline_serializer(
    "CheckResult",
    {
        "status": serializers.ChoiceField(["ok", "unavailable"]),
        "age_seconds": serializers.IntegerField(
            required=False,
            allow_null=True,
            help_text="Of the last heartbeat, of the oldest row that is due, of the newest check of the invariants, "
            "or of the last reading of a chain.",
        ),
        "detail": serializers.CharField(required=False, help_text="What it means, in words."),
    },
)
_READINESS = inline_serializer(
    "Readiness",
    {
        "status": serializers.ChoiceField(["ok", "unavailable"]),
        "ts": serializers.DateTimeField(),
        "checks": serializers.DictField(child=_DEPENDENCY),
    },
)


class HealthView(APIView):
    """Liveness: the web process and its database. Never limited: a proxy that is refused takes the node away."""

    authentication_classes = ()
    throttle_classes = ()

    @extend_schema(
        operation_id="getHealth",
        tags=["Health"],
        auth=[],
        responses={200: _HEALTH, 503: OpenApiResponse(_HEALTH, description="The database cannot be reached.")},
    )
    def get(self, request: Request) -> Response:
        """Say whether requests can be answered."""
        return _answer({"database": database()}, {})


class ReadinessView(APIView):
    """Readiness: everything that a payment needs, one by one, for operators."""

    authentication_classes = ()
    throttle_classes = (HealthThrottle,)

    @extend_schema(
        operation_id="getReadiness",
        tags=["Health"],
        auth=[],
        responses={200: _READINESS, 503: OpenApiResponse(_READINESS, description="Something in checks is not ok.")},
    )
    def get(self, request: Request) -> Response:
        """Say of each dependency whether it works."""
        checks = checks_of_readiness()
        return _answer(checks, {"checks": checks})


def _answer(checks: dict[str, dict[str, Any]], shown: dict[str, Any]) -> Response:
    works = all(check["status"] == "ok" for check in checks.values())
    body = {"status": "ok" if works else "unavailable", "ts": wire_time(now()), **shown}
    return Response(body, status=200 if works else 503, headers={"Cache-Control": "no-store"})
