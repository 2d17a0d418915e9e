"""Forgets what a payment that is over no longer needs: routes that were weighed, and what the simulated chain shows.

What says where money was and went stays for ever. Source: docs/operators.md, What is kept.
"""

from collections.abc import Sequence
from datetime import timedelta
from uuid import UUID

from django.conf import settings
from django.db.models import Exists, OuterRef, Q

from chains.models import SimulatedTransaction, Transfer
from chains.states import TRANSFER_MACHINE
from core.clock import now
from core.purges import AT_ONCE, IsOver, purge
from payments.models import IntentTransition, Leg, RouteCandidate
from payments.states import FLYING_LEG, INTENT_MACHINE


def purge_routes(is_over: IsOver | None = None, at_once: int = AT_ONCE) -> int:
    """Delete the routes of payments that have been over for so many days; returns how many."""
    ended = now() - timedelta(days=settings.KEEP_ROUTES_DAYS)
    changed = IntentTransition.objects.filter(subject=OuterRef("intent"), created_at__gte=ended)
    over = RouteCandidate.objects.filter(
        ~Exists(changed), created_at__lt=ended, intent__status__in=INTENT_MACHINE.terminal
    )
    return purge(over, age="created_at", is_over=is_over, at_once=at_once)


def purge_simulated(is_over: IsOver | None = None, at_once: int = AT_ONCE) -> int:
    """Delete old transactions of the simulated chain that nobody will look at again; returns how many."""
    ended = now() - timedelta(days=settings.KEEP_SIMULATED_DAYS)
    landed = Q(lands_at=None) | Q(lands_at__lt=ended)
    old = SimulatedTransaction.objects.filter(landed, created_at__lt=ended)
    return purge(old, age="created_at", is_over=is_over, remove=_remove_unawaited, at_once=at_once)


def _remove_unawaited(keys: Sequence[int]) -> int:
    """Delete these, but those of legs and transfers that are followed still."""
    rows = SimulatedTransaction.objects.filter(pk__among=keys)
    tags = set(rows.values_list("tag", flat=True))
    legs = Leg.objects.filter(pk__in=[UUID(tag) for tag in tags if ":" not in tag])
    # Why by the intent too: as long as it is queued, a chain may still take back what came.
    followed = legs.filter(Q(status__in=FLYING_LEG) | Q(intent__queued__isnull=False))
    named = [UUID(tag.partition(":")[2]) for tag in tags if ":" in tag]
    opened = Transfer.objects.filter(purpose_id__in=named).exclude(status__in=TRANSFER_MACHINE.terminal)
    awaited = {f"{purpose}:{key}" for purpose, key in opened.values_list("purpose", "purpose_id")}
    awaited |= {str(key) for key in followed.values_list("pk", flat=True)}
    return rows.exclude(tag__in=awaited).delete()[0]
