"""What a payer reads once it has signed: each transaction, where it is, and where to see it."""

from typing import Any

from chains.registry import chain
from checkout.words.legs import leg_note, leg_note_code
from core.clock import optional_wire_time
from core.money import json_number
from payments.explanation import Rows, is_slow
from payments.models import Leg
from payments.selectors import leg_arrival_url, leg_explorer_url
from payments.states import LegStatus


def legs_body(rows: Rows) -> list[dict[str, Any]]:
    """Every transaction that a wallet was asked for, oldest first."""
    return [_leg(leg, rows) for leg in rows.legs if leg.status != LegStatus.PLANNED]


def _leg(leg: Leg, rows: Rows) -> dict[str, Any]:
    note = _note_code(leg, rows)
    return {
        "sequence": leg.sequence,
        "own": rows.browser is not None and leg.attempt is not None and leg.attempt.browser == rows.browser,
        "kind": leg.kind,
        "provider": leg.provider,
        "chain": leg.chain,
        "chain_name": _chain_name(leg.chain),
        "to_chain": leg.to_chain,
        "to_chain_name": _chain_name(leg.to_chain),
        "token": leg.token,
        "to_token": leg.to_token,
        "amount_usd": json_number(leg.amount_usd),
        "status": leg.status,
        "tx_hash": leg.tx_hash or None,
        "explorer_url": leg_explorer_url(leg),
        "destination_tx_hash": leg.destination_tx_hash or None,
        "destination_explorer_url": leg_arrival_url(leg),
        "submitted_at": optional_wire_time(leg.submitted_at),
        "confirmed_at": optional_wire_time(leg.confirmed_at),
        "typical_seconds": leg.typical_seconds,
        "note_code": note,
        "note": leg_note(note, _chain_name(leg.chain), _chain_name(leg.to_chain)),
    }


def _note_code(leg: Leg, rows: Rows) -> str:
    """Why what arrived is asked for: a bridge's money may be there before its transaction is final."""
    note = leg_note_code(leg, is_slow(leg, rows.at))
    if note == "crossing" and any(credit.leg_id == leg.pk for credit in rows.standing):
        return "arriving"
    return note


def _chain_name(name: str) -> str:
    known = chain(name)
    return known.display_name if known is not None else name
