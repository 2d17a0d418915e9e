"""Is the service up, and can it work? Source: specification, Health; docs/operators.md, What readiness says."""

import math
from datetime import timedelta
from typing import Any

from django.db import Error, connection, transaction
from drf_spectacular.utils import OpenApiResponse, extend_schema, inline_serializer
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from core import findings, queues
from core.clock import now, ticks, wire_time
from core.dispatch import BEAT, MONEY, WORKERS, broker_answers
from core.findings import FindingsOf
from core.migrated import missing_migrations
from core.models import InvariantCheck
from core.queues import OldestDue, last_alive, note_alive
from core.sealed import ADVICE, unreadable
from core.throttling import HealthThrottle

HEARTBEAT_MAY_BE_OLD = timedelta(seconds=9)
"""Four beats, longer than a sweep: a slow one is no alarm, and what stopped is named within ten seconds."""
DUE_ROW_MAY_BE_OLD = timedelta(seconds=60)
"""Sweeps run every second; a row that is due for this long means that nobody sweeps, or that all are too slow."""
CHECK_MAY_BE_OLD = timedelta(hours=2)
"""Invariants are checked hourly: two hours mean that a check was missed."""
SORTED_NUMBERS = 10_000
"""430 KiB with PostgreSQL 15: more than is left of a disk that is full, and written in 4 ms."""
ROOM_STANDS_SECONDS = 2
"""How long it stands that there was room. Why at all: anybody may ask for readiness, and each answer would write."""
_UP_SINCE = now()
"""When this process began. Why it counts: right after a start, no worker had time for a check yet."""

_HEALTH = inline_serializer("Health", {"status": serializers.CharField(), "ts": serializers.DateTimeField()})
_DEPENDENCY = inline_serializer(
    "Dependency",
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
        return _answer({"database": _database()}, {})


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
        checks = {
            "database": _database(),
            "writes": _writes(),
            "migrations": _migrations(),
            "secrets": _secrets(),
            "broker": _state(works=broker_answers()),
            "beat": _alive(BEAT),
        }
        checks |= {"worker" if kind == MONEY else f"worker.{kind}": _alive(kind) for kind in WORKERS}
        checks["invariants"] = _invariants()
        checks |= {
            f"queue.{name}": _aged(oldest_due, DUE_ROW_MAY_BE_OLD, works_without=True)
            for name, oldest_due in sorted(queues.QUEUES.items())
        }
        for group, findings_of in sorted(findings.GROUPS.items()):
            checks |= _found(group, findings_of)
        return _answer(checks, {"checks": checks})


def _answer(checks: dict[str, dict[str, Any]], shown: dict[str, Any]) -> Response:
    works = all(check["status"] == "ok" for check in checks.values())
    body = {"status": "ok" if works else "unavailable", "ts": wire_time(now()), **shown}
    return Response(body, status=200 if works else 503, headers={"Cache-Control": "no-store"})


def _state(*, works: bool, **more: Any) -> dict[str, Any]:
    return {"status": "ok" if works else "unavailable", **more}


def _database() -> dict[str, Any]:
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except Error:
        return _state(works=False)
    return _state(works=True)


def _writes() -> dict[str, Any]:
    """Whether a row can be written, and a file of PostgreSQL grow. Why asked apart: on a full disk all is still read.

    Why both: a row that is written anew finds room in its page, and in a log that was laid out beforehand, long after
    no table can grow.
    """
    try:
        note_alive("web")
        if connection.vendor == "postgresql":
            room.look()
    except Error:
        return _state(works=False)
    return _state(works=True)


class Room:
    """Whether PostgreSQL's disk has any; that it has is believed for a moment."""

    def __init__(self) -> None:
        self._seen_at = -math.inf

    def look(self) -> None:
        """Have PostgreSQL sort more than it may keep in memory: some hundred KiB go to its disk, and are forgotten.

        Raises: OperationalError where there is no room.
        Source: https://www.postgresql.org/docs/15/runtime-config-resource.html (``work_mem``).
        """
        if ticks() - self._seen_at < ROOM_STANDS_SECONDS:
            return
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SET LOCAL work_mem = '64kB'")
            sorting = "SELECT count(*) FROM (SELECT n FROM generate_series(1, %s) n ORDER BY n DESC OFFSET 1) s"
            cursor.execute(sorting, [SORTED_NUMBERS])
        self._seen_at = ticks()


room = Room()
"""Of this process."""


def _migrations() -> dict[str, Any]:
    """Whether the tables are those that this program was written for."""
    try:
        missing = missing_migrations()
    except Error:
        return _state(works=False)
    if not missing:
        return _state(works=True)
    return _state(works=False, detail=f"{len(missing)} migrations are not applied: run manage.py migrate.")


def _secrets() -> dict[str, Any]:
    """Whether the keys of now open what was stored under those of before."""
    try:
        kinds = unreadable()
    except Error:
        return _state(works=False)
    if not kinds:
        return _state(works=True)
    return _state(works=False, detail=f"No key opens stored {', '.join(kinds)}. {ADVICE}")


def _alive(name: str) -> dict[str, Any]:
    return _aged(lambda: last_alive(name), HEARTBEAT_MAY_BE_OLD, works_without=False)


def _invariants() -> dict[str, Any]:
    """What the newest check that ended found, and whether checks still come."""
    try:
        last = InvariantCheck.objects.exclude(finished_at=None).order_by("-pk").first()
    except Error:
        return _state(works=False, age_seconds=None, detail="The checks cannot be read.")
    ended = None if last is None else last.finished_at
    age = None if ended is None else max(now() - ended, timedelta(0))
    seconds = None if age is None else int(age.total_seconds())
    if last is not None and last.violations:
        return _state(works=False, age_seconds=seconds, detail=_broken(last))
    since = _UP_SINCE if ended is None else max(ended, _UP_SINCE)
    if now() - since > CHECK_MAY_BE_OLD:
        return _state(works=False, age_seconds=seconds, detail="No check of the invariants has ended for two hours.")
    words = "Nothing was checked yet." if last is None else "The newest check found nothing wrong."
    return _state(works=True, age_seconds=seconds, detail=words)


def _broken(check: InvariantCheck) -> str:
    """Why no sentence of them: readiness is open to everybody."""
    count = f"{len(check.violations)}{' or more' if check.is_cut else ''}"
    what = "statement that is" if count == "1" else "statements that are"
    return f"The newest check found {count} {what} broken. Operators read which on the page Invariants or in the log."


def _found(group: str, findings_of: FindingsOf) -> dict[str, dict[str, Any]]:
    """What an app found of each thing that it looks after; one check for all where that cannot be read."""
    try:
        found = findings_of()
    except Error:
        return {group: _state(works=False, age_seconds=None)}
    return {
        f"{group}.{name}": _state(works=one.works, age_seconds=one.age_seconds, detail=one.detail)
        for name, one in sorted(found.items())
    }


def _aged(moment_of: OldestDue, limit: timedelta, *, works_without: bool) -> dict[str, Any]:
    try:
        moment = moment_of()
    except Error:
        return _state(works=False, age_seconds=None)
    if moment is None:
        return _state(works=works_without, age_seconds=None)
    age = max(now() - moment, timedelta(0))
    return _state(works=age <= limit, age_seconds=int(age.total_seconds()))
