"""The walk over the whole history: table by table in the order of keys, in pieces, and resumed where it was left.

Source: docs/operators.md, The whole history, at night.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final

from django.db import DEFAULT_DB_ALIAS, models

from chains.models import SigningAccount, SimulatedTransaction, Transfer
from core.clock import now, ticks
from core.models import AuditSeal, InvariantWalk
from core.replica import chosen_database
from ledger.models import Posting, Statement
from mcp.models import AgentEffect, ApprovalRequest
from merchants.models import IdempotencyRecord
from operations.invariants.reading import violations_by_now, violations_in
from operations.invariants.scope import BATCH, WHOLE, Scope
from operations.invariants.suspects import leave_to_next_check, suspect
from operations.invariants.tenants import tenant_tables
from operations.invariants.watermark import settled_moment
from payments.models import Credit, Leg, PaymentIntent, SettlementChange, SettlementProfile
from payouts.models import Payout
from proofs.models import ProofKey
from records.models import RecordSeal
from refunds.models import Refund
from webhooks.models import Delivery, Event, SigningSecret

EVERY: Final = timedelta(days=1)
A_WHILE_SECONDS = 5
"""How long one turn of the clock walks."""
HELD = timedelta(minutes=2)
"""From piece to piece, whoever walks keeps others off. When it died, somebody else goes on after that."""
KEPT = 30
LEFT_TO_THE_LAST: Final = {AuditSeal: 20, SigningAccount: 5}
"""Rows of a piece where one row stands for many others."""
MADE = ("occurred_at", "observed_at", "created_at", "booked_at", "written_at")
"""The columns that say when a row was made, by one of these names."""
_MONEY: tuple[type[models.Model], ...] = (
    *(PaymentIntent, Refund, Payout, Transfer, Credit, Leg, Posting, Statement, SigningAccount),
    *(SettlementProfile, SettlementChange, Event, Delivery, SigningSecret, IdempotencyRecord),
    *(AgentEffect, ApprovalRequest, SimulatedTransaction, AuditSeal, RecordSeal, ProofKey),
)


def tables() -> list[type[models.Model]]:
    """Every table that an invariant reads row by row, those of money first."""
    others = [model for model, parents in tenant_tables() if parents and model not in _MONEY]
    return [*_MONEY, *sorted(others, key=lambda model: model._meta.label)]


@dataclass(frozen=True, kw_only=True)
class Step:
    """A piece that was looked at, how far the walk has come with it, and what cannot be true there."""

    piece: Scope
    table: str
    after: str = ""
    violations: list[str]


def steps(scope: Scope = WHOLE, *, table: str = "", after: str = "") -> Iterator[Step]:
    """Walk through all tables, from the place where an earlier walk was left; every piece in its own short moment."""
    names = [model._meta.label for model in tables()]
    if not table:
        yield Step(piece=scope, table=names[0], violations=violations_by_now(scope))
    start = names.index(table) if table in names else 0
    for number, model in enumerate(tables()[start:]):
        last = after if number == 0 and table in names else ""
        for keys in _keys(model, scope, last):
            piece = scope.piece({model: keys})
            yield Step(piece=piece, table=model._meta.label, after=str(keys[-1]), violations=violations_in(piece))


def _keys(model: type[models.Model], scope: Scope, after: str) -> Iterator[list[Any]]:
    rows, columns = model._default_manager.order_by("pk"), {field.name for field in model._meta.concrete_fields}
    if scope.merchant_id is not None and "merchant" in columns:
        rows = rows.filter(merchant_id=scope.merchant_id)
    made = next((name for name in MADE if name in columns), None)
    if scope.since is not None and made is not None:
        rows = rows.filter(**{f"{made}__gte": scope.since})
    most, last = LEFT_TO_THE_LAST.get(model, BATCH), model._meta.pk.to_python(after) if after else None
    while keys := list((rows if last is None else rows.filter(pk__gt=last)).values_list("pk", flat=True)[:most]):
        last = keys[-1]
        yield keys


def begin_walk() -> InvariantWalk:
    """A new walk, held by the caller. What is read from a replica may be behind: such a walk covers no moment."""
    is_here = chosen_database() == DEFAULT_DB_ALIAS
    moment = now()
    walk = InvariantWalk.objects.create(
        started_at=moment, held_until=moment + HELD, covered_until=settled_moment() if is_here else None
    )
    kept = _walks().order_by("-pk").values_list("pk", flat=True)[:KEPT]
    InvariantWalk.objects.exclude(pk__in=list(kept)).delete()
    return walk


def resumed_walk() -> InvariantWalk | None:
    """The newest walk, held by the caller, where it has not come to its end and nobody else is at it."""
    newest = newest_walk()
    if newest is None or newest.finished_at is not None:
        return None
    mine = InvariantWalk.objects.filter(pk=newest.pk, finished_at=None, held_until__lte=now())
    return newest if mine.update(held_until=now() + HELD) else None


def newest_walk() -> InvariantWalk | None:
    """The walk that began last."""
    return _walks().order_by("-pk").first()


def _walks() -> "models.QuerySet[InvariantWalk]":
    """Why from there: a replica may be behind, and is never written."""
    return InvariantWalk.objects.using(DEFAULT_DB_ALIAS)


def go_on(walk: InvariantWalk) -> Iterator[Step]:
    """Walk on from where a walk is, and write down after each piece how far that is; at the end, that it ended."""
    for step in steps(table=walk.table, after=walk.after):
        if step.violations:
            leave_to_next_check(walk, suspect(step.piece.only or {}), len(step.violations))
        _move(walk, table=step.table, after=step.after, held_until=now() + HELD)
        yield step
    _move(walk, finished_at=now(), held_until=now())


def _move(walk: InvariantWalk, **news: Any) -> None:
    for name, value in news.items():
        setattr(walk, name, value)
    walk.save(update_fields=list(news))


def walk_a_while() -> bool:
    """Walk on for some seconds, or begin a day after the last walk began; whether something was found."""
    newest = newest_walk()
    if newest is None or (newest.finished_at is not None and now() - newest.started_at >= EVERY):
        walk: InvariantWalk | None = begin_walk()
    else:
        walk = resumed_walk()
    if walk is None:
        return False
    began, is_wrong = ticks(), False
    for step in go_on(walk):
        is_wrong = is_wrong or bool(step.violations)
        if ticks() - began > A_WHILE_SECONDS:
            break
    _move(walk, held_until=now())
    return is_wrong
