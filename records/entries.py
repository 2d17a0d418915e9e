"""What happened to a payment, as entries computed from the rows that stand: requests, quotes, signatures, money, news.

Nothing secret and nothing of the payer's but what its merchant sees anyway; no e-mail address and no metadata at all,
since a record is handed on. Amounts are base units or dollars as text, so that every reader has every digit.
"""

import hashlib
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from typing import Any, Final

from core.clock import wire_time
from core.money import to_decimal_string
from core.renderers import to_canonical_json
from payments.models import Credit, Leg, PaymentIntent, RouteCandidate
from payments.selectors import candidates_of, legs_of
from records.afterwards import of_deliveries, of_payouts, of_refunds, step_of
from records.chain import Entry

Source = Callable[[PaymentIntent], Iterable[Entry]]
CREATED: Final = "payment.create"


def entries_of(intent: PaymentIntent) -> list[Entry]:
    """Everything that is known of it by now, in the order in which it happened."""
    found = [entry for source in SOURCES for entry in source(intent)]
    return sorted(found, key=lambda entry: (entry.at, entry.type != CREATED))


def _of_history(intent: PaymentIntent) -> Iterator[Entry]:
    for number, line in enumerate(intent.history.order_by("id"), 1):
        facts = step_of(line)
        yield Entry(
            wire_time(line.created_at),
            f"payment.{line.trigger}",
            f"history {number}",
            {**_asked(intent), **facts} if number == 1 else facts,
        )


def _asked(intent: PaymentIntent) -> dict[str, Any]:
    return {
        "amount": to_decimal_string(intent.amount),
        "currency": intent.currency,
        "mode": intent.mode,
        "settlement_chain": intent.settlement_chain,
        "settlement_token": intent.settlement_token,
        "settlement_token_address": intent.settlement_token_address,
        "settlement_address": intent.settlement_address,
        "expires_at": wire_time(intent.expires_at),
        "reference": intent.reference,
    }


def _of_quotes(intent: PaymentIntent) -> Iterator[Entry]:
    for one in candidates_of(intent):
        yield Entry(wire_time(one.created_at), "quote.weighed", f"quote {one.pk}", _quote(one))


def _quote(one: RouteCandidate) -> dict[str, Any]:
    words = ("provider", "chosen", "from_chain", "from_token", "to_chain", "to_token", "duration_sec")
    figures = {name: to_decimal_string(getattr(one, name)) for name in ("to_amount_usd", "fee_usd", "gas_usd", "score")}
    said = {"reason": one.reason or "", "error": one.error or ""}
    return {**{name: getattr(one, name) for name in words}, **figures, **said}


def _of_legs(intent: PaymentIntent) -> Iterator[Entry]:
    for leg in legs_of(intent):
        steps: tuple[tuple[str, datetime | None, Callable[[Leg], dict[str, Any]]], ...] = (
            ("issued", leg.created_at, _issued),
            ("submitted", leg.submitted_at, _submitted),
            ("confirmed", leg.confirmed_at, _confirmed),
        )
        for step, at, facts in steps:
            if at is not None:
                named = {"leg": str(leg.pk), "sequence": leg.sequence}
                yield Entry(
                    wire_time(at),
                    f"transaction.{step}",
                    f"leg {leg.pk} {step} {wire_time(at)}",
                    {**named, **facts(leg)},
                )


def _issued(leg: Leg) -> dict[str, Any]:
    """What the payer was asked to sign: the digest of it, since it is long and says nothing more."""
    words = ("kind", "provider", "chain", "to_chain", "token", "to_token", "token_address", "payer_address")
    return {
        **{name: getattr(leg, name) for name in words},
        "input_base_units": str(leg.input_base_units),
        "min_output_base_units": str(leg.min_output_base_units),
        "unsigned_sha256": hashlib.sha256(to_canonical_json(leg.issued)).hexdigest(),
    }


def _submitted(leg: Leg) -> dict[str, Any]:
    signed = leg.signed_transaction.encode()
    return {"tx_hash": leg.tx_hash, "signed_sha256": hashlib.sha256(signed).hexdigest() if signed else ""}


def _confirmed(leg: Leg) -> dict[str, Any]:
    return {
        "tx_hash": leg.tx_hash,
        "destination_tx_hash": leg.destination_tx_hash,
        "output_base_units": "" if leg.output_base_units is None else str(leg.output_base_units),
        "block_number": leg.block_number,
        "confirmations": leg.confirmations,
    }


def _of_credits(intent: PaymentIntent) -> Iterator[Entry]:
    for credit in intent.credits.order_by("id"):
        steps = {
            "seen": credit.observed_at,
            "counted": credit.final_at,
            "final": credit.finalized_at,
            "vanished": credit.vanished_at,
            "reversed": credit.reversed_at,
        }
        where = transfer_of(credit)
        place = " ".join((credit.chain, credit.tx_hash, credit.kind, credit.position))
        for step, at in steps.items():
            if at is not None:
                facts = {**where, "purpose": credit.purpose, "late": credit.late} if step == "seen" else where
                when = wire_time(at)
                yield Entry(when, f"credit.{step}", f"credit {place} {step} {when}", facts)


def transfer_of(credit: Credit) -> dict[str, Any]:
    """One transfer as its chain shows it: enough for anybody with a node to find it."""
    words = ("network", "chain", "tx_hash", "kind", "position", "token_address", "sender", "recipient", "block_hash")
    return {
        **{name: getattr(credit, name) for name in words},
        "base_units": str(credit.base_units),
        "block_number": credit.block_number,
    }


SOURCES: Final[tuple[Source, ...]] = (
    _of_quotes, _of_legs, _of_credits, of_refunds, of_payouts, _of_history, of_deliveries,
)  # fmt: skip
"""What decides before what was decided: so they stand where both happened in the same millisecond."""
