"""What the sentences speak of, as figures, codes, hashes and moments. Whatever has another form is left out."""

from datetime import datetime
from decimal import Decimal

from chains.registry import chain, is_tx_hash
from core.clock import optional_wire_time, wire_time
from core.money import ZERO_USD, to_decimal_string
from payments.amounts import amount_due
from payments.explanation.lines import Fact
from payments.explanation.rows import Rows
from payments.models import Leg
from payments.selectors import leg_explorer_url
from payments.states import UNPAID, IntentStatus

_CAN_EXPIRE = (*UNPAID, IntentStatus.PARTIALLY_FILLED)


def given(**facts: Fact | None) -> dict[str, Fact]:
    """The facts that there are."""
    return {name: fact for name, fact in facts.items() if fact is not None and fact != ""}


def moment(at: datetime | None) -> str | None:
    """A moment as REST writes it."""
    return optional_wire_time(at)


def known_chain(name: str) -> str | None:
    """A chain of the service's own table. Why no other: test mode takes any text for one."""
    known = chain(name)
    return known.name if known is not None and known.name == name else None


def known_hash(tx_hash: str) -> str | None:
    """A hash by its form. Why asked: a wallet may tell any text."""
    return tx_hash if is_tx_hash(tx_hash) else None


def facts_of(rows: Rows) -> dict[str, Fact]:
    """The facts of an intent's own line."""
    intent = rows.intent
    due = amount_due(intent)
    return given(
        amount_usd=to_decimal_string(intent.amount),
        received_usd=_above_zero(intent.received_usd),
        due_usd=_above_zero(due) if intent.received_usd > 0 else None,
        overpaid_usd=_above_zero(intent.overpaid_usd),
        refunded_usd=_above_zero(intent.refunded_usd),
        platform_fee_usd=_above_zero(intent.platform_fee_usd or ZERO_USD),
        expires_at=wire_time(intent.expires_at) if intent.status in _CAN_EXPIRE else None,
        settled_at=moment(intent.settled_at),
        settled_reason=intent.settled_reason,
        settlement_chain=known_chain(intent.settlement_chain),
        error_code=intent.failure_reason or intent.last_error_code,
        **_leg_facts(rows.mentioned_leg),
    )


def _leg_facts(leg: Leg | None) -> dict[str, Fact | None]:
    if leg is None:
        return {}
    tx_hash = known_hash(leg.tx_hash)
    return {
        "chain": known_chain(leg.chain),
        "tx_hash": tx_hash,
        "destination_tx_hash": known_hash(leg.destination_tx_hash),
        "explorer_url": leg_explorer_url(leg) if tx_hash else None,
        "confirmations": leg.confirmations,
        "confirmations_required": leg.confirmations_required,
        "sent_at": moment(leg.submitted_at),
        "typical_seconds": leg.typical_seconds or None,
    }


def _above_zero(amount: Decimal) -> str | None:
    return to_decimal_string(amount) if amount > 0 else None
