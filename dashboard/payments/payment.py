"""One payment: where its money is, its facts, what can be done, and everything that happened."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse

from chains.registry import explorer_address_url
from core.clock import now
from core.exact_json import ExactEncoder
from core.modes import Mode
from dashboard.cards import PaymentAction
from dashboard.page import draw
from dashboard.payments.accepting import may_be_acceptable
from dashboard.payments.calls import retrieving
from dashboard.payments.cancelling import is_cancellable
from dashboard.payments.raw import raw_of
from dashboard.payments.timeline import MOST, asked_by, history_of, timeline_of
from dashboard.payments.words import chain_name, dollars, status_of
from dashboard.refunds.finding import refund_button
from dashboard.visit import Visit
from merchants.acts import Act
from payments.amounts import amount_due, paid_usd
from payments.explanation import Rows, explain
from payments.models import PaymentIntent
from payments.states import IntentStatus

MOST_METADATA = 50
"""As many keys as an intent may have."""


@dataclass(frozen=True, kw_only=True)
class Facts:
    """The figures of a payment in words; empty where there is nothing to say."""

    amount: str
    received: str
    due: str
    overpaid: str
    fee: str
    paid: str
    refunded: str
    settles: str
    address_url: str
    checkout_url: str
    metadata: tuple[tuple[str, str], ...]


def show_payment(request: HttpRequest, visit: Visit, intent_id: UUID) -> HttpResponse:
    """The page of one payment."""
    intent = payment_of(visit, intent_id)
    asked, newest = asked_by(request.GET), history_of(intent)
    history = newest if asked.before is None else history_of(intent, asked.before)
    sees_customers = visit.may(Act.SEE_CUSTOMERS)
    context = {
        "intent": intent,
        "status": status_of(intent),
        "explanation": explain(intent, rows=Rows(intent, now(), last_step=newest[0] if newest else None)),
        "facts": facts_of(intent),
        "sees_customers": sees_customers,
        "actions": sorted(_actions(visit, intent), key=lambda action: (action.rank, action.label)),
        "call": retrieving(intent),
        "timeline": timeline_of(visit, intent, history, asked),
        "raw": raw_of(intent, with_customer=sees_customers),
    }
    return draw(request, visit, "dashboard/payments/payment.html", context)


def payment_of(visit: Visit, intent_id: UUID) -> PaymentIntent:
    """The merchant's intent in this mode, with its newest tries, transactions and credits. Raises: Http404."""
    mine = PaymentIntent.objects.visible_to(visit.principal).select_related("merchant")
    found: PaymentIntent | None = mine.filter(pk=intent_id).first()
    if found is None:
        raise Http404
    parts: dict[str, QuerySet[Any]] = {
        "payment_attempts": found.payment_attempts.order_by("-number"),
        "legs": found.legs.defer("issued", "answer", "signed_transaction").order_by("-sequence"),
        "credits": found.credits.order_by("-pk"),
    }
    # Why not ``Prefetch``: it cannot give a relation so many rows at most.
    newest = {name: rows[:MOST] for name, rows in parts.items()}
    found._prefetched_objects_cache = newest  # type: ignore[attr-defined]  # where Django itself looks first
    return found


def facts_of(intent: PaymentIntent) -> Facts:
    """The figures of a payment in words. Why no link in test mode: its addresses are on no chain."""
    is_live = intent.mode == Mode.LIVE
    where = explorer_address_url(intent.settlement_chain, intent.settlement_address) if is_live else None
    return Facts(
        amount=dollars(intent.amount),
        received=dollars(intent.received_usd),
        due=dollars(amount_due(intent)),
        overpaid=dollars(intent.overpaid_usd) if intent.overpaid_usd else "",
        refunded=dollars(intent.refunded_usd) if intent.refunded_usd else "",
        fee=dollars(intent.platform_fee_usd) if intent.platform_fee_usd else "",
        paid=dollars(paid_usd(intent)),
        settles=f"{intent.settlement_token} on {chain_name(intent.settlement_chain)}",
        address_url=where or "",
        checkout_url=f"{settings.BASE_URL}/checkout/{intent.pk}",
        metadata=tuple(
            (key, value if isinstance(value, str) else ExactEncoder().encode(value))
            for key, value in list(intent.metadata.items())[:MOST_METADATA]
        ),
    )


def _actions(visit: Visit, intent: PaymentIntent) -> Iterator[PaymentAction]:
    if is_cancellable(intent) and visit.may(Act.CHANGE_PAYMENTS):
        yield PaymentAction(label="Cancel", url=visit.url("cancel_payment", intent_id=intent.pk), rank=90)
    if visit.may(Act.MOVE_MONEY) and may_be_acceptable(intent):
        yield PaymentAction(label="Accept what arrived", url=visit.url("accept_payment", intent_id=intent.pk), rank=20)
    yield from refund_button(visit, intent.pk)
    if intent.status != IntentStatus.CREATED:
        yield PaymentAction(label="Export scenario", url=visit.url("download_scenario", intent_id=intent.pk), rank=85)
    if intent.settled_at is not None:
        yield PaymentAction(label="Receipt and record", url=visit.url("record", intent_id=intent.pk), rank=80)
