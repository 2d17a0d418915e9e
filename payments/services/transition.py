"""The app's thin wrapper around the one writer of statuses."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from django.db.models import QuerySet

from core import transitions
from core.compiled import compiled_once
from payments.events import announce
from payments.models import IntentTransition, PayerWallet, PaymentIntent
from payments.states import INTENT_MACHINE

INTENT_LIFECYCLE = transitions.Lifecycle(machine=INTENT_MACHINE, record=IntentTransition, announce=announce)
WORKER = "worker"
PAYER = "payer"


def locked_intent(intent_id: Any) -> PaymentIntent:
    """Read an intent and hold its lock until the transaction ends. Raises: PaymentIntent.DoesNotExist."""
    for intent in _locked(intent_id):
        return intent
    raise PaymentIntent.DoesNotExist


@compiled_once
def _locked(intent_id: UUID) -> QuerySet[PaymentIntent]:
    return transitions.for_update(PaymentIntent.objects.filter(pk=intent_id))


def apply_trigger(intent: PaymentIntent, trigger: str, *, actor: str, reason: str = "", **changes: Any) -> None:
    """Move an intent by one trigger, with its history line and its event. One that is over forgets what wallets held.

    Raises: InvalidTransition. Locks: the caller holds the intent's lock.
    """
    transitions.apply(INTENT_LIFECYCLE, intent, trigger, actor=actor, reason=reason, changes=changes)
    if intent.status in INTENT_MACHINE.terminal:
        intent.payer_wallets.all().delete()


def apply_trigger_to_many(intents: Sequence[PaymentIntent], trigger: str, *, actor: str, **changes: Any) -> None:
    """As ``apply_trigger``, for each of these. Raises: InvalidTransition. Locks: the caller holds those of all."""
    transitions.apply_to_many(INTENT_LIFECYCLE, intents, trigger, actor=actor, changes=changes)
    over = [intent.pk for intent in intents if intent.status in INTENT_MACHINE.terminal]
    PayerWallet.objects.filter(intent__in=over).delete()


def tell(intent: PaymentIntent, event: str) -> None:
    """Announce something that changes no status. Locks: the caller holds the intent's lock."""
    transitions.announce_only(INTENT_LIFECYCLE, intent, event)
