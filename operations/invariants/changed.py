"""What changed since a moment, found without reading what did not: by lines that only grow, and by indexes.

Source: docs/operators.md, What each hour's check reads.
"""

from collections import defaultdict
from collections.abc import Iterator
from datetime import datetime
from typing import Any, NamedTuple

from django.db import models
from django.db.models import Q

from chains.models import SigningAccount, SimulatedTransaction, Transfer, TransferAttempt, TransferTransition
from core.models import AuditSeal
from core.modes import Mode
from ledger.models import Posting, Statement
from mcp.models import AgentEffect, ApprovalRequest, ApprovalTransition
from merchants.models import IdempotencyRecord, Merchant
from operations.invariants.families import Found, families, payments_of
from operations.invariants.scope import WHOLE, Scope
from payments.models import Credit, IntentTransition, Leg, PaymentIntent, SettlementChange, SettlementProfile
from payouts.models import Payout, PayoutTransition
from proofs.models import ProofKey
from records.models import RecordSeal
from refunds.models import Refund, RefundTransition
from webhooks.models import Delivery, DeliveryAttempt, Event, SigningSecret

SLICE = 1000
"""Lines that are read at once."""
PAYMENTS = 250
"""Payments that are looked at together."""
OWNERS = 50
"""Merchants whose newest events, or accounts whose newest transfers, are asked for at once."""
SMALL: tuple[type[models.Model], ...] = (SettlementProfile, SettlementChange, SigningSecret, ProofKey)
"""Tables that grow with merchants or with years and not with payments: read whole each time."""


class Lines(NamedTuple):
    """A table whose keys grow with time, the column that says when, and the row that each line is of."""

    model: type[models.Model]
    made: str
    names: str
    of: type[models.Model]


LINES = (
    Lines(IntentTransition, "created_at", "subject_id", PaymentIntent),
    Lines(RefundTransition, "created_at", "subject_id", Refund),
    Lines(PayoutTransition, "created_at", "subject_id", Payout),
    Lines(TransferTransition, "created_at", "subject_id", Transfer),
    Lines(TransferAttempt, "created_at", "transfer_id", Transfer),
    Lines(ApprovalTransition, "created_at", "subject_id", ApprovalRequest),
    Lines(AgentEffect, "created_at", "pk", AgentEffect),
    Lines(Credit, "observed_at", "pk", Credit),
    Lines(Posting, "booked_at", "pk", Posting),
    Lines(Statement, "written_at", "pk", Statement),
    Lines(DeliveryAttempt, "at", "delivery_id", Delivery),
    Lines(IdempotencyRecord, "created_at", "pk", IdempotencyRecord),
    Lines(SimulatedTransaction, "created_at", "pk", SimulatedTransaction),
    Lines(AuditSeal, "sealed_at", "pk", AuditSeal),
    Lines(RecordSeal, "created_at", "pk", RecordSeal),
)
MOMENTS: tuple[tuple[type[models.Model], str], ...] = (
    (Credit, "final_at"),
    (Credit, "reversed_at"),
    (Leg, "confirmed_at"),
)
"""Rows that change later without a line of a history, by a column that has an index of its own."""


def changed_pieces(since: datetime) -> Iterator[Scope]:
    """Pieces that hold each row that changed since then, with all that belongs to its payment."""
    seen: set[Any] = set()
    waiting: Found = defaultdict(set)
    for model, keys in changed_rows(since):
        fresh = payments_of(model, keys) - seen
        seen |= fresh
        waiting[PaymentIntent] |= fresh
        if model is not PaymentIntent:
            waiting[model] |= keys
        while len(waiting[PaymentIntent]) >= PAYMENTS or sum(map(len, waiting.values())) >= SLICE:
            yield _taken(waiting)
    while any(waiting.values()):
        yield _taken(waiting)


def _taken(waiting: Found) -> Scope:
    """The next piece, out of what waits."""
    taken: Found = {}
    for model, keys in waiting.items():
        most = PAYMENTS if model is PaymentIntent else SLICE
        taken[model] = {keys.pop() for _ in range(min(most, len(keys)))}
    return piece_of(taken)


def piece_of(rows: Found) -> Scope:
    """These rows, with all that belongs to the payments among them."""
    keys: Found = families(rows[PaymentIntent]) if rows.get(PaymentIntent) else {}
    for model, own in rows.items():
        keys[model] = keys.get(model, set()) | own
    sent = Transfer.objects.filter(pk__in=keys.get(Transfer, ()), account__isnull=False)
    keys[SigningAccount] = set(sent.values_list("account_id", flat=True))
    return WHOLE.piece(keys, is_brief=True)


def changed_rows(since: datetime) -> Iterator[tuple[type[models.Model], set[Any]]]:
    """Keys of what changed, a slice at a time and perhaps more than once."""
    for lines in LINES:
        for keys in _newest(lines, since):
            yield lines.of, keys
    for model, moment in MOMENTS:
        for keys in _since(model, moment, since):
            yield model, keys
    made = Event.objects.filter(mode__in=Mode.values, occurred_at__gte=since)
    for keys in _of_each(Merchant, "merchant_id__in", made):
        yield Event, keys
    for keys in _of_each(SigningAccount, "account_id__in", Transfer.objects.filter(created_at__gte=since)):
        yield Transfer, keys


def _newest(lines: Lines, since: datetime) -> Iterator[set[Any]]:
    """Down from the newest line, until a whole slice is older. Why a whole one: keys and moments are given apart."""
    rows = lines.model._default_manager.order_by("-pk").values_list("pk", lines.made, lines.names)
    slice_ = list(rows[:SLICE])
    while slice_:
        fresh = {named for _, moment, named in slice_ if moment >= since}
        if not fresh:
            return
        yield fresh
        slice_ = list(rows.filter(pk__lt=slice_[-1][0])[:SLICE])


def _since(model: type[models.Model], moment: str, since: datetime) -> Iterator[set[Any]]:
    rows = model._default_manager.order_by(moment, "pk").values_list("pk", moment)
    slice_ = list(rows.filter(**{f"{moment}__gte": since})[:SLICE])
    while slice_:
        yield {pk for pk, _ in slice_}
        pk, reached = slice_[-1]
        beyond = Q(**{f"{moment}__gt": reached}) | Q(**{moment: reached, "pk__gt": pk})
        slice_ = list(rows.filter(beyond, **{f"{moment}__gte": reached})[:SLICE])


def _of_each(owner: type[models.Model], lookup: str, made: "models.QuerySet[Any]") -> Iterator[set[Any]]:
    """What was made, owner by owner. Why: so its index is ordered, and one over all would be one more to write."""
    every, last = owner._default_manager.order_by("pk").values_list("pk", flat=True), 0
    while owners := list(every.filter(pk__gt=last)[:OWNERS]):
        last = owners[-1]
        keys = list(made.filter(**{lookup: owners}).values_list("pk", flat=True))
        for start in range(0, len(keys), SLICE):
            yield set(keys[start : start + SLICE])
