"""What a payment needs, and whether it is there: what readiness says and operators see. Knows no web framework.

Source: docs/operators.md, What readiness says.
"""

import math
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import Error, connection, models, transaction

from chains.gas_accounts import gas_accounts
from chains.models import GasAccount
from chains.reader.lag import lag_of_chains
from core.clock import now, ticks
from core.dispatch import BEAT, MONEY, WORKERS, broker_answers
from core.heartbeats import last_alive, note_alive
from core.migrated import missing_migrations
from core.models import InvariantCheck, InvariantWalk, Pause
from core.pauses import Paused, quiet_since, standing
from core.replica import REPLICA
from core.standby import standby
from merchants.models import OutgoingMail
from operations.clocks import clocks_apart
from operations.sealed import ADVICE, unreadable
from payments import selectors as payments
from payments.models import SettlementChange, WalletWord
from payouts import selectors as payouts
from refunds import selectors as refunds
from webhooks.due_endpoints import neglected_since
from webhooks.models import Event

OldestDue = Callable[[], datetime | None]
"""When the oldest row of a queue came due, or None when nothing is due."""


def _longest_due(rows: models.QuerySet[Any], moment: str = "next_attempt_at") -> datetime | None:
    """When the first of these rows came due, by the column that says so."""
    due = rows.filter(**{f"{moment}__lte": now()})
    return due.order_by(moment).values_list(moment, flat=True).first()


QUEUES: dict[str, OldestDue] = {
    "deliveries": neglected_since,
    "events": lambda: _longest_due(Event.objects.filter(fanned_out_at=None), "occurred_at"),
    "intents": payments.oldest_due_at,
    "mail": lambda: _longest_due(OutgoingMail.objects.all()),
    "payouts": payouts.oldest_due_at,
    "refunds": refunds.oldest_due_at,
    "settlement_changes": lambda: _longest_due(SettlementChange.objects.all()),
    "wallet_words": lambda: _longest_due(WalletWord.objects.all()),
}
"""Every table whose rows come due; of deliveries only what waits for us and not for a receiver of its own."""
WAITS_FOR: dict[str, Paused] = {"deliveries": Paused.SENDING, "mail": Paused.SENDING}
"""Queues that nobody works on while something is paused. Refunds and payouts are looked at in a pause, too."""
HEARTBEAT_MAY_BE_OLD = timedelta(seconds=9)
"""Four beats, longer than a sweep: a slow one is no alarm, and what stopped is named within ten seconds."""
DUE_ROW_MAY_BE_OLD = timedelta(seconds=60)
"""Sweeps run every second; a row that is due for this long means that nobody sweeps, or that all are too slow."""
CHECK_MAY_BE_OLD = timedelta(hours=2)
"""Invariants are checked hourly: two hours mean that a check was missed."""
WALK_MAY_BE_OLD = timedelta(days=3)
"""A walk over the whole history begins daily: three days mean that none comes to its end."""
STANDBY_MAY_BE_AWAY_SECONDS = 60
"""So long nobody is called: it may be behind for a moment, or start again."""
FEW_CALLS = 50
"""Of a gas account, as the alert has it."""
SORTED_NUMBERS = 10_000
"""430 KiB with PostgreSQL 15: more than is left of a disk that is full, and written in 4 ms."""
ROOM_STANDS_SECONDS = 2
"""How long it stands that there was room. Why at all: anybody may ask for readiness, and each answer would write."""
_UP_SINCE = now()
"""When this process began. Why it counts: right after a start, no worker had time for a check yet."""


def checks_of_readiness() -> dict[str, dict[str, Any]]:
    """Each thing that a payment needs: whether it works, how old the newest sign of that is, what it means."""
    checks = {
        "database": database(),
        "writes": _writes(),
        "clock": _clock(),
        "migrations": _migrations(),
        "secrets": _secrets(),
        "broker": _state(works=broker_answers()),
        "beat": _alive(BEAT),
    }
    checks |= {"worker" if kind == MONEY else f"worker.{kind}": _alive(kind) for kind in WORKERS}
    checks["invariants"] = _invariants()
    if REPLICA in settings.DATABASES:
        checks["standby"] = _standby()
    paused = _standing_pauses()
    checks |= {kind.value: _paused(paused.get(kind)) for kind in Paused} | _restored()
    checks |= _gas_accounts(paused)
    checks |= {f"queue.{name}": _queue(name, paused) for name in sorted(QUEUES)}
    return checks | _readers()


def _state(*, works: bool, **more: Any) -> dict[str, Any]:
    return {"status": "ok" if works else "unavailable", **more}


def database() -> dict[str, Any]:
    """Whether it can be reached."""
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


def _clock() -> dict[str, Any]:
    """Whether the clocks of the processes and the database's are close enough for leases to mean what they say."""
    try:
        apart = clocks_apart()
    except Error:
        return _state(works=False)
    return _state(works=False, detail=" ".join(apart)) if apart else _state(works=True)


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
        walked_at = _last_walk_at()
    except Error:
        return _state(works=False, age_seconds=None, detail="The checks cannot be read.")
    ended = None if last is None else last.finished_at
    age = None if ended is None else max(now() - ended, timedelta(0))
    seconds = None if age is None else int(age.total_seconds())
    if last is not None and last.violations:
        count = f"{len(last.violations)}{' or more' if last.is_cut else ''}"
        what = "statement that is" if count == "1" else "statements that are"
        # Why no sentence of them: readiness is open to everybody.
        where = "Operators read which on the page Invariants or in the log."
        detail = f"The newest check found {count} {what} broken. {where}"
        return _state(works=False, age_seconds=seconds, detail=detail)
    since = _UP_SINCE if ended is None else max(ended, _UP_SINCE)
    if now() - since > CHECK_MAY_BE_OLD:
        return _state(works=False, age_seconds=seconds, detail="No check of the invariants has ended for two hours.")
    if now() - (walked_at or now()) > WALK_MAY_BE_OLD:
        detail = "No walk of the invariants over the whole history has ended for three days."
        return _state(works=False, age_seconds=seconds, detail=detail)
    words = "Nothing was checked yet." if last is None else "The newest check found nothing wrong."
    return _state(works=True, age_seconds=seconds, detail=words)


def _last_walk_at() -> datetime | None:
    """When a walk ended last, or else when the first began; None before that."""
    ended = InvariantWalk.objects.exclude(finished_at=None).order_by("-pk").values_list("finished_at", flat=True)
    begun = InvariantWalk.objects.order_by("pk").values_list("started_at", flat=True)
    return ended.first() or begun.first()


def _standby() -> dict[str, Any]:
    """Whether it may be read from. Why patient: while it may not, the primary is read in its place."""
    away = standby.seconds_apart()
    detail = "It is lost or behind; the primary is read." if away else "It is read from."
    return _state(works=away <= STANDBY_MAY_BE_AWAY_SECONDS, age_seconds=int(away), detail=detail)


def _standing_pauses() -> dict[str, Pause]:
    """Why none where they cannot be read: ``database`` says that."""
    try:
        return standing()
    except Error:
        return {}


def _paused(stands: Pause | None) -> dict[str, Any]:
    """Why ok: a person wanted it, and no proxy may take a node away for it. An alert reminds people after an hour.

    Why no reason: readiness is open to everybody.
    """
    if stands is None:
        return _state(works=True)
    age = max(now() - stands.since, timedelta(0))
    detail = f"Paused by an operator since {stands.since:%Y-%m-%d %H:%M} UTC. What is due waits. Operators read why."
    return _state(works=True, age_seconds=int(age.total_seconds()), detail=detail)


def _gas_accounts(paused: dict[str, Pause]) -> dict[str, dict[str, Any]]:
    """What pays for gas on each chain. Why ok whatever it lacks: payments that need none go on, and so does the web."""
    try:
        accounts = gas_accounts()
    except Error:
        return {}
    return {f"gas.{one.chain}": _gas_account(one, paused.get(one.pause_kind)) for one in accounts}


def _gas_account(account: GasAccount, stands: Pause | None) -> dict[str, Any]:
    """Why no number and no address: readiness is open to everybody."""
    if stands is not None:
        return _paused(stands)
    if account.read_at is None or account.calls_left is None:
        return _state(works=True, age_seconds=None, detail="Nobody has read yet what it holds.")
    few = "It holds coin for few calls, or none. Operators read how many." if account.calls_left < FEW_CALLS else ""
    seconds = int(max(now() - account.read_at, timedelta(0)).total_seconds())
    return _state(works=True, age_seconds=seconds, **({"detail": few} if few else {}))


def _restored() -> dict[str, dict[str, Any]]:
    """Said only while it is so. Why ok: the web answers, as it should."""
    try:
        quiet = quiet_since()
    except Error:
        return {}
    if not quiet:
        return {}
    detail = "quiet: this database was put back from a backup. Nothing is signed or sent until an operator lets it go."
    age = max(now() - min(one.since for one in quiet), timedelta(0))
    return {"restored": _state(works=True, age_seconds=int(age.total_seconds()), detail=detail)}


def _queue(name: str, paused: dict[str, Pause]) -> dict[str, Any]:
    check = _aged(QUEUES[name], DUE_ROW_MAY_BE_OLD, works_without=True)
    kind = WAITS_FOR.get(name)
    if kind not in paused or check["age_seconds"] is None:
        return check
    return {**check, "status": "ok", "detail": f"It waits: {kind} is paused."}


def _readers() -> dict[str, dict[str, Any]]:
    """How far each chain was read; one check for all where that cannot be read."""
    try:
        found = lag_of_chains()
    except Error:
        return {"reader": _state(works=False, age_seconds=None)}
    return {
        f"reader.{name}": _state(works=one.works, age_seconds=one.age_seconds, detail=one.detail)
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
