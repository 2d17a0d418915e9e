"""Tokens that came with a payment and that nobody asked for: what is said of them on the wire.

They count for nothing, are at the merchant's address, and can be given back. Source: docs/live.md.
"""

from collections.abc import Iterable
from typing import Annotated, Any, TypedDict

from core.money import from_base_units, to_decimal_string
from core.shapes import Address, Chain, Figure, Symbol, TxHash, Uuid
from payments.models import Credit, Leg, PaymentIntent, stray_id_of
from tokens.selectors import find_token

STRAY_ARRIVED = "payment_intent.stray_arrived"
MOST_SHOWN = 20


class StrayShape(TypedDict):
    """A token that came with a transaction and was not asked for; it counts for nothing."""

    id: Annotated[Uuid, "Names it where it is given back: `stray_id` of a refund."]
    chain: Chain
    token: Symbol | None
    token_address: Address
    amount: Figure | None
    tx_hash: TxHash
    payer: Annotated[Address | None, "The wallet that provably sent it; null: nobody's."]


def strays_of(intent: PaymentIntent) -> list[StrayShape]:
    """The newest strays of an intent that stand, as they are told."""
    return [stray_body(one) for one in standing_strays(intent)]


def standing_strays(intent: PaymentIntent) -> list[Credit]:
    """The newest strays of an intent that stand."""
    return _standing(intent.credits.order_by("-pk"))


def strays_of_legs(legs: Iterable[Leg]) -> dict[Any, list[StrayShape]]:
    """Those of each leg, by its key. Read at once."""
    found: dict[Any, list[StrayShape]] = {leg.pk: [] for leg in legs}
    for credit in _standing(Credit.objects.filter(leg__in=list(found)).order_by("-pk")):
        found[credit.leg_id].append(stray_body(credit))
    return found


def stray_body(credit: Credit) -> StrayShape:
    """One on the wire. ``token`` and ``amount`` are null for what is on no list of tokens; ``payer`` is who provably
    sent it, null where nobody is.
    """
    assert credit.intent_id is not None  # noqa: S101 - a stray is always an intent's
    token = find_token(credit.chain, credit.token_address)
    amount = None if token is None else to_decimal_string(from_base_units(credit.base_units, token.decimals), 0)
    return {
        "id": str(stray_id_of(credit.intent_id, credit.pk)),
        "chain": credit.chain,
        "token": None if token is None else token.symbol,
        "token_address": credit.token_address,
        "amount": amount,
        "tx_hash": credit.tx_hash,
        "payer": credit.payer or None,
    }


def _standing(credits: Any) -> list[Credit]:
    return list(credits.filter(purpose="stray", reversed_at=None, final_at__isnull=False)[:MOST_SHOWN])
