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

    A wallet that was replaced meanwhile keeps its own turn. Where nothing can pay, the intent says so, and no longer
    once something can. What could not be known is kept by its chain's name, and the wallet is looked into again for it.
    """
    destination = destination_of(intent)
    tokens, unread = _choices(intent, wallet, destination)
    with transaction.atomic():
        locked = locked_intent(intent.pk)
        PayerWallet.objects.filter(pk=wallet.pk, address=wallet.address, connected_at=wallet.connected_at).update(
            tokens=tokens, unread=unread, looks=wallet.looks + 1, looked_at=now()
        )
        is_news = not tokens or wallet.tokens == []
        if is_news and locked.status in PAYABLE and locked.status != IntentStatus.AWAITING_SIGNATURE:
            # Why nothing can pay: for want of a price where everything else is there, else for want of a route.
            is_unpriced = destination is not None and _awaits_price(destination)
            refusal = Problem.ROUTE_UNAVAILABLE, NOTHING_WORKS
            if is_unpriced:
                refusal = Problem.PRICE_UNAVAILABLE, NO_PRICE
            locked.last_error_code, locked.last_error_message = ("", "") if tokens else refusal
            locked.save(update_fields=["last_error_code", "last_error_message"])
        schedule_next_look(locked)


def _choices(
    intent: PaymentIntent, wallet: PayerWallet, destination: Asset | None
) -> tuple[list[TokenOption], list[str]]:
    """What the payer may choose from, and the chains of which not all is known that could pay.

    Why what has no price, too: prices come back, and an outage of theirs must not be taken for an empty wallet.
    """
    if destination is None or destination.usd_price <= 0:
        return [], [destination.chain] if destination is not None and _awaits_price(destination) else []
    goal = goal_of(intent, destination, wallet.address, "")
    reading = look_around(Mode(intent.mode), Family(wallet.family), wallet.address, goal)
    tokens = token_options(goal, reading.holdings, ask_for_estimates)
    unpriced = {held.asset.chain for held in reading.holdings if held.base_units > 0 and held.asset.usd_price <= 0}
    if any(token["sufficient"] for token in tokens):
        unpriced = set()
    return tokens, sorted({*reading.unread, *unpriced})


def _awaits_price(destination: Asset) -> bool:
    """Whether everything is there to be paid in it but for a price."""
    return destination.usd_price <= 0 and bool(settings.RPC_URLS.get(destination.chain))
