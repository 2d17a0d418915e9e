"""Looking into a payer's wallet: what could pay, and what it would cost."""

from django.conf import settings
from django.db import transaction

from chains.registry import Family
from core.clock import now
from core.modes import Mode
from payments.models import PayerWallet, PaymentIntent
from payments.routing.balances import look_around
from payments.routing.base import Asset
from payments.routing.options import TokenOption, token_options
from payments.routing.planning import NO_PRICE
from payments.routing.registry import ask_for_estimates
from payments.services.attempts import PAYABLE
from payments.services.schedule import schedule_next_look
from payments.services.target import destination_of, goal_of
from payments.services.transition import locked_intent
from payments.states import IntentStatus, Problem

NOTHING_WORKS = "No route can carry this payment from this wallet right now."


def look_into_wallet(intent: PaymentIntent, wallet: PayerWallet) -> None:
    """Read the wallet's balances with no transaction open, then store the payer's choices.

    A wallet that was replaced meanwhile keeps its own turn. Where nothing can pay, the intent says so. Chains that did
    not answer in time are kept by name, and the wallet is looked into again for them.
    """
    tokens: list[TokenOption] = []
    unread: tuple[str, ...] = ()
    destination = destination_of(intent)
    if destination is not None and destination.usd_price > 0:
        goal = goal_of(intent, destination, wallet.address, "")
        reading = look_around(Mode(intent.mode), Family(wallet.family), wallet.address, goal)
        tokens, unread = token_options(goal, reading.holdings, ask_for_estimates), reading.unread
    with transaction.atomic():
        locked = locked_intent(intent.pk)
        PayerWallet.objects.filter(pk=wallet.pk, address=wallet.address, connected_at=wallet.connected_at).update(
            tokens=tokens, unread=list(unread), looks=wallet.looks + 1, looked_at=now()
        )
        if not tokens and locked.status in PAYABLE and locked.status != IntentStatus.AWAITING_SIGNATURE:
            locked.last_error_code, locked.last_error_message = _refusal(destination)
            locked.save(update_fields=["last_error_code", "last_error_message"])
        schedule_next_look(locked)


def _refusal(destination: Asset | None) -> tuple[str, str]:
    """Why nothing can pay: for want of a price where everything else is there, else for want of a route."""
    if destination is not None and destination.usd_price <= 0 and settings.RPC_URLS.get(destination.chain):
        return Problem.PRICE_UNAVAILABLE, NO_PRICE
    return Problem.ROUTE_UNAVAILABLE, NOTHING_WORKS
