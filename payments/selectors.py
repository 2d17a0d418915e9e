"""Reads of intents that are more than a filter."""

from collections.abc import Iterable
from datetime import datetime, timedelta
from uuid import UUID

from django.db.models import Min

from chains.registry import explorer_tx_url
from core.clock import now, optional_wire_time
from core.errors import NotFound
from core.ids import parse_public_id
from core.lookups import find_one
from core.modes import Mode
from core.money import ZERO_USD, UsdAmount, to_decimal_string
from merchants.principal import Principal
from merchants.querysets import find_visible
from payments.amounts import amount_due, is_partially_funded
from payments.models import (
    CLAIMED_FOR,
    KEEPS_ITS_PLACE,
    MAY_EXPIRE,
    Hint,
    Leg,
    PaymentIntent,
    PaymentPolicy,
    QueuedIntent,
    RouteCandidate,
)
from payments.routing.registry import TITLES as PROVIDER_TITLES
from payments.routing.registry import providers_for
from payments.scenarios import Scenario, scenario_named, scenarios, scenarios_for_payers

__all__ = [
    "PROVIDER_TITLES",
    "Scenario",
    "amount_due",
    "bridges_from",
    "candidates_of",
    "claimed_too_long_at",
    "intent_id_from",
    "leg_arrival_url",
    "leg_explorer_url",
    "is_partially_funded",
    "hints_of",
    "legs_of",
    "oldest_due_at",
    "policy_for",
    "policy_of",
    "public_intent",
    "scenario_named",
    "scenarios",
    "scenarios_for_payers",
    "settlement_summary",
    "visible_intent",
]


def intent_id_from(text: str) -> UUID:
    """The id in a path, with or without its prefix. Raises: NotFound for anything that is not one."""
    intent_id = parse_public_id(text, "pi_")
    if intent_id is None:
        raise NotFound("payment_intent")
    return intent_id


def visible_intent(principal: Principal, intent_id: UUID) -> PaymentIntent:
    """The principal's intent. Raises: NotFound, the same for unknown, foreign and other-mode ids."""
    intent = find_visible(PaymentIntent, principal, intent_id)
    if intent is None:
        raise NotFound("payment_intent")
    return intent


def public_intent(intent_id: UUID) -> PaymentIntent:
    """The intent behind a checkout link, whose id is the permission. Raises: NotFound."""
    intent = PaymentIntent.objects.open_to_public(intent_id).select_related("merchant").first()
    if intent is None:
        raise NotFound("payment_intent")
    return intent


def policy_of(merchant_id: int, mode: str) -> PaymentPolicy:
    """A merchant's policy in a mode; without a row one that says nothing, which means the defaults."""
    found = find_one(PaymentPolicy, merchant_id=merchant_id, mode=mode)
    return found or PaymentPolicy(merchant_id=merchant_id, mode=mode)


def policy_for(intent: PaymentIntent) -> PaymentPolicy:
    """The policy that an intent is judged by: the one of now, not of when it was made."""
    return policy_of(intent.merchant_id, intent.mode)


def bridges_from(chain_name: str) -> bool:
    """Whether live payments that begin on this chain can end on another one."""
    return any(provider.bridges for provider in providers_for(Mode.LIVE, chain_name))


def settlement_summary(intent: PaymentIntent) -> dict[str, str | None]:
    """What became of an intent's money: once it is settled, received is net and fee together; 0.00 where nothing came.

    Source: specification, Agent-tool result shapes (poll_settlement); docs/adr/0051.
    """
    is_settled, fee = intent.net_settlement_usd is not None, intent.platform_fee_usd or ZERO_USD
    net = intent.net_settlement_usd or ZERO_USD
    return {
        "id": str(intent.pk),
        "status": intent.status,
        "amount_received_usd": to_decimal_string(UsdAmount(net + fee) if is_settled else intent.received_usd),
        "platform_fee_usd": to_decimal_string(fee),
        "net_settlement_usd": to_decimal_string(net),
        "settled_at": optional_wire_time(intent.settled_at),
    }


def legs_of(intent: PaymentIntent) -> list[Leg]:
    """Every transaction of an intent, oldest first."""
    return list(intent.legs.order_by("sequence"))


def hints_of(legs: Iterable[Leg]) -> dict[UUID, list[Hint]]:
    """What was reported of each leg, by its key, the oldest first. Read at once."""
    found: dict[UUID, list[Hint]] = {leg.pk: [] for leg in legs}
    for hint in Hint.objects.filter(leg__in=list(found)).order_by("reported_at", "pk"):
        found[hint.leg_id].append(hint)
    return found


def leg_explorer_url(leg: Leg) -> str | None:
    """Where to see a leg's transaction; None before it is sent, and for simulated chains, which no explorer shows."""
    return explorer_tx_url(leg.chain, leg.tx_hash) if leg.tx_hash and leg.mode == Mode.LIVE else None


def leg_arrival_url(leg: Leg) -> str | None:
    """Where to see a leg's arrival on another chain; None before it, and for simulated chains."""
    shown = leg.destination_tx_hash and leg.to_chain != leg.chain and leg.mode == Mode.LIVE
    return explorer_tx_url(leg.to_chain, leg.destination_tx_hash) if shown else None


def candidates_of(intent: PaymentIntent) -> list[RouteCandidate]:
    """Every route weighed for an intent: newest attempt first, within one the chosen first, then by score."""
    return list(intent.route_candidates.defer("raw").order_by("-attempt__number", "-chosen", "-score", "id"))


def oldest_due_at() -> datetime | None:
    """When the most overdue intent should have been looked at, or have ended; None when nothing is due."""
    moment = now()
    queued = QueuedIntent.objects.filter(listed_at__lte=moment, due_at__lte=moment)
    unqueued = PaymentIntent.objects.filter(MAY_EXPIRE, queued=None, expires_due_at__lte=moment)
    ended = unqueued.order_by("expires_due_at").values_list("expires_due_at", flat=True).first()
    return min(
        (one for one in (queued.aggregate(first=Min("due_at"))["first"], ended) if one is not None), default=None
    )


def claimed_too_long_at(moment: datetime, beyond: timedelta) -> bool:
    """Whether an intent is claimed until much later than any claim or place in the queue lasts, seen at a moment.

    Why by ``listed_at``: an intent that waits for its own time is listed by that, and claims leave it where it was.
    """
    longest = moment + CLAIMED_FOR + KEEPS_ITS_PLACE + beyond
    return QueuedIntent.objects.filter(listed_at__lte=moment, due_at__gt=longest).exists()
