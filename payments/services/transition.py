"""The app's thin wrapper around the one writer of statuses."""

from typing import Any

from core import transitions
from payments.events import announce
from payments.models import IntentTransition, PaymentIntent
from payments.states import INTENT_MACHINE

INTENT_LIFECYCLE = transitions.Lifecycle(machine=INTENT_MACHINE, record=IntentTransition, announce=announce)
WORKER = "worker"
PAYER = "payer"


def locked_intent(intent_id: Any) -> PaymentIntent:
    """Read an intent and hold its lock until the transaction ends. Raises: PaymentIntent.DoesNotExist."""
    return transitions.locked(PaymentIntent.objects.all(), pk=intent_id)


def apply_trigger(intent: PaymentIntent, trigger: str, *, actor: str, reason: str = "", **changes: Any) -> None:
    """Move an intent by one trigger, with its history line and its event. One that is over forgets what wallets held.

    Raises: InvalidTransition. Locks: the caller holds the intent's lock.
    """
    transitions.apply(INTENT_LIFECYCLE, intent, trigger, actor=actor, reason=reason, changes=changes)
    if intent.status in INTENT_MACHINE.terminal:
        intent.payer_wallets.all().delete()


def tell(intent: PaymentIntent, event: str) -> None:
    """Announce something that changes no status. Locks: the caller holds the intent's lock."""
    transitions.announce_only(INTENT_LIFECYCLE, intent, event)
