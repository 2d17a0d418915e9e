"""I3, I14 and I15: what arrived counts once, adds up, and is enough where an intent is settled."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from fractions import Fraction
from uuid import UUID

from django.db.models import Q

from operations.invariants.scope import Scope
from payments.models import Credit, Leg, PaymentIntent, PaymentPolicy

MICROS = 1_000_000
TOLERANCE_PART, TOLERANCE_MOST = Decimal("0.005"), Decimal("0.10")
"""Of what came over a bridge. Source: docs/design/money.md, Tolerance."""
CHOSEN_PART, CHOSEN_MOST = Decimal("0.05"), Decimal("5")
"""The most that a merchant may choose instead. Why the most: what it chose when an intent settled is not kept."""
Credits = dict[UUID, list[Credit]]


def each_chain_event_credits_once(scope: Scope) -> Iterator[str]:
    """I3: one credit per chain event, over all intents and both modes. Letters of hexadecimal hashes have no case."""
    for batch in scope.batches(Credit, "observed_at"):
        mine = {_chain_event(one): one for one in batch}
        times = Counter(_chain_event(one) for one in Credit.objects.filter(_as_written(batch)))
        for event in mine:
            if times[event] > 1:
                yield f"I3 chain event {list(event)} credited {times[event]} times"


def _chain_event(credit: Credit) -> tuple[object, ...]:
    return credit.network, credit.chain, _small(credit.tx_hash), credit.kind, credit.position


def _small(tx_hash: str) -> str:
    return tx_hash.lower() if tx_hash.startswith("0x") else tx_hash


def _as_written(credits: Sequence[Credit]) -> Q:
    """Where else their hashes may stand. Why no more for small letters: whoever has large ones looks for those."""
    written = {one.tx_hash for one in credits}
    found = Q(tx_hash__in=written | {_small(one) for one in written})
    for odd in sorted(one for one in written if one != _small(one)):
        found |= Q(tx_hash__iexact=odd)  # reads the table, and none is ever written so
    return found


def received_is_what_was_credited(scope: Scope) -> Iterator[str]:
    """I3: what an intent says it received is the sum of its final credits, each at the rate that it was promised."""
    for batch in scope.batches(PaymentIntent):
        final = final_settlements(batch)
        for intent in batch:
            if not intent.target_base_units:
                continue
            for credit in final[intent.pk]:
                own = credit.base_units if credit.counted_base_units is None else credit.counted_base_units
                counted, worth = int(own), counts_for(intent, credit)
                if counted != worth:
                    yield f"I3 credit {credit.pk} counts for {counted} base units, and is worth {worth}"
            units = sum(counts_for(intent, credit) for credit in final[intent.pk])
            expected = int(intent.amount * MICROS) * units // int(intent.target_base_units)
            if int(intent.received_usd * MICROS) != expected:
                yield f"I3 intent {intent.pk} says it received {intent.received_usd}, its credits {expected} micros"


def counts_for(intent: PaymentIntent, credit: Credit) -> int:
    """Settlement units at the intent's frozen rate that a credit is worth: by its block's price, or its leg's rate."""
    units, target = int(credit.base_units), int(intent.target_base_units or 0)
    if credit.price_usd is not None:
        dollars = Fraction(credit.price_usd) * units / 10**intent.settlement_decimals
        return int(dollars * target / Fraction(intent.amount))
    if credit.leg is not None and credit.leg.rate_base_units:
        return -(-units * target // int(credit.leg.rate_base_units))
    return units


def settled_means_paid(scope: Scope) -> Iterator[str]:
    """I14 and I15: a settled intent has final transfers to the merchant that reach its target, and adds up.

    What had gone back to payers before does not count.
    """
    for batch in scope.batches(PaymentIntent):
        settled = [intent for intent in batch if intent.status == "settled"]
        policies = PaymentPolicy.objects.filter(merchant_id__in={intent.merchant_id for intent in settled})
        chosen = set(policies.values_list("merchant_id", "mode"))
        final = final_settlements(settled)
        bridged = _bridged(final)
        for intent in settled:
            if intent.settled_reason != "accepted_partial":
                yield from _short(intent, final[intent.pk], _most_missing(intent, bridged[intent.pk], chosen))
            net = intent.received_usd - (intent.settled_less_usd or Decimal(0))
            if not intent.settled_at or net != intent.net_settlement_usd:
                yield f"I14/I15 intent {intent.pk} is settled with figures that do not add up"


def _most_missing(intent: PaymentIntent, bridged: int, chosen: set[tuple[int, str]]) -> Decimal:
    """Settlement units that may be missing: a part of what was asked over bridges, and no more than the most."""
    has_chosen = (intent.merchant_id, intent.mode) in chosen
    part, most = (CHOSEN_PART, CHOSEN_MOST) if has_chosen else (TOLERANCE_PART, TOLERANCE_MOST)
    target = Decimal(intent.target_base_units or 0)
    return min(bridged * part, target * min(part, most / intent.amount))


def _short(intent: PaymentIntent, final: Iterable[Credit], allowed: Decimal) -> Iterator[str]:
    target = Decimal(intent.target_base_units or 0)
    returned = (intent.settled_less_usd or Decimal(0)) * target / intent.amount
    units = sum(counts_for(intent, credit) for credit in final)
    if not target or units - returned < target - allowed - 1:
        yield f"I14 intent {intent.pk} is settled with {units} of {target}"


def final_settlements(intents: Sequence[PaymentIntent]) -> Credits:
    """By intent, what reached its merchant for good: the asset and address of the intent, standing and final."""
    ours = {intent.pk: intent for intent in intents}
    found: Credits = defaultdict(list)
    for credit in Credit.objects.select_related("leg").filter(
        intent__in=intents, purpose="settlement", reversed_at=None, final_at__isnull=False
    ):
        intent = ours[credit.intent_id]  # type: ignore[index]  # the filter leaves no credit without an intent
        asset = (intent.settlement_chain, intent.settlement_address, intent.settlement_token_address)
        if (credit.chain, credit.recipient, credit.token_address) == asset:
            found[intent.pk].append(credit)
    return found


def _bridged(final: Credits) -> dict[UUID, int]:
    """By intent, what was asked of bridges that delivered. Why not of all its legs: most are only tried."""
    credits = {credit.leg_id: pk for pk, of_intent in final.items() for credit in of_intent if credit.leg_id}
    bridges = Leg.objects.filter(pk__in=list(credits), kind="bridge")
    found: dict[UUID, int] = defaultdict(int)
    for pk, units in bridges.values_list("pk", "min_output_base_units"):
        found[credits[pk]] += int(units)
    return found
