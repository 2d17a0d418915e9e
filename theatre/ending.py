"""How a payment stands in the end, and where two ends differ."""

from collections.abc import Sequence

from core.money import to_decimal_string
from payments.models import Leg, PaymentIntent
from payments.states import SETTLED_REASONS, IntentStatus, Problem
from theatre.scenario import End, LegEnd


def end_of(intent: PaymentIntent, status: IntentStatus, legs: Sequence[Leg]) -> End:
    """How it stands. ``status``: what it was before money went back to a payer; ``legs``: its own, in their order."""
    known = set(Problem.values)
    return End(
        status=status,
        failure_reason=intent.failure_reason if intent.failure_reason in known else "",
        last_error=intent.last_error_code if intent.last_error_code in known else "",
        settled_reason=intent.settled_reason if intent.settled_reason in SETTLED_REASONS else "",
        in_doubt=intent.in_doubt,
        received_usd=intent.received_usd,
        overpaid_usd=intent.overpaid_usd,
        legs=tuple(LegEnd(status=leg.status, base_units=leg.output_base_units) for leg in legs),
    )


def differences(expected: End, played: End) -> list[dict[str, str]]:
    """Where a replay came to another end: the field, what the file says, and what came."""
    found = []
    for name in ("status", "failure_reason", "last_error", "settled_reason", "in_doubt"):
        found.append((name, str(getattr(expected, name)), str(getattr(played, name))))
    for name in ("received_usd", "overpaid_usd"):
        found.append((name, to_decimal_string(getattr(expected, name)), to_decimal_string(getattr(played, name))))
    found.append(("legs", str(len(expected.legs)), str(len(played.legs))))
    for number, (one, other) in enumerate(zip(expected.legs, played.legs, strict=False), start=1):
        found.append((f"legs.{number}.status", one.status, other.status))
        found.append((f"legs.{number}.base_units", str(one.base_units or 0), str(other.base_units or 0)))
    return [{"field": name, "expected": one, "came": other} for name, one, other in found if one != other]
