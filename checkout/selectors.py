"""What a payer sees: the public view of the specification, and the fuller state behind the checkout token."""

from typing import Any

from chains.registry import chain
from checkout.messages import message_body, message_for
from core.clock import now, optional_wire_time, wire_time
from core.money import BaseUnits, from_base_units, json_number, to_decimal_string
from payments.models import Leg, PayerWallet, PaymentAttempt, PaymentIntent
from payments.selectors import amount_due, leg_explorer_url, legs_of
from payments.states import INTENT_MACHINE, AttemptStatus, LegStatus

TAIL_LENGTH = 6
_SPENDER, _AMOUNT = slice(34, 74), slice(74, 138)
"""Where calldata in hexadecimal holds the arguments of ``approve(address,uint256)``. Source: ERC-20."""


def checkout_view(intent: PaymentIntent) -> dict[str, Any]:
    """The public view. Source: specification, CheckoutView; nothing beyond its keys may appear."""
    return {
        "id": str(intent.pk),
        "amount": to_decimal_string(intent.amount),
        "currency": intent.currency,
        "status": intent.status,
        "settlement_chain": intent.settlement_chain,
        "settlement_token": intent.settlement_token,
        "expires_at": wire_time(intent.expires_at),
        "legs": [
            {
                "chain": leg.chain,
                "token": leg.token,
                "amount_usd": json_number(leg.amount_usd),
                "status": leg.status,
            }
            for leg in legs_of(intent)
        ],
    }


def situation_of(intent: PaymentIntent) -> str:
    """What the payer is being told, as its code in the catalogue: the same for everybody who asks where money is."""
    return message_for(intent).code


def payer_state(intent: PaymentIntent) -> dict[str, Any]:
    """Everything the page draws. Money is in decimal strings; ``message`` always has its three parts."""
    legs = legs_of(intent)
    last_error = {"code": intent.last_error_code, "message": intent.last_error_message}
    return {
        "id": str(intent.pk),
        "mode": intent.mode,
        "status": intent.status,
        "amount": to_decimal_string(intent.amount),
        "currency": intent.currency,
        "merchant_name": intent.merchant.name,
        "settlement_chain": intent.settlement_chain,
        "settlement_token": intent.settlement_token,
        "settlement_address_tail": f"…{intent.settlement_address[-TAIL_LENGTH:]}",
        "expires_at": wire_time(intent.expires_at),
        "server_time": wire_time(now()),
        "amount_received": to_decimal_string(intent.received_usd),
        "amount_due": to_decimal_string(amount_due(intent)),
        "overpaid_usd": to_decimal_string(intent.overpaid_usd),
        "in_doubt": intent.in_doubt,
        "message": message_body(message_for(intent)),
        "last_error": last_error if intent.last_error_code else None,
        "return_url": intent.return_url or None,
        "reference": intent.reference or None,
        "wallet": _wallet(intent),
        "attempt": _attempt(intent, legs),
        "legs": [_leg(leg) for leg in legs if leg.status != LegStatus.PLANNED],
        "terminal": intent.status in INTENT_MACHINE.terminal,
    }


def _wallet(intent: PaymentIntent) -> dict[str, Any] | None:
    wallet: PayerWallet | None = getattr(intent, "payer_wallet", None)
    if wallet is None:
        return None
    return {
        "family": wallet.family,
        "address": wallet.address,
        "status": "looking" if wallet.tokens is None else "ready",
        "tokens": wallet.tokens or [],
    }


def _attempt(intent: PaymentIntent, legs: list[Leg]) -> dict[str, Any] | None:
    attempt: PaymentAttempt | None = intent.payment_attempts.order_by("-number").first()
    if attempt is None:
        return None
    mine = [leg for leg in legs if leg.attempt_id == attempt.pk]
    return {
        "id": str(attempt.pk),
        "number": attempt.number,
        "status": attempt.status,
        "chain": attempt.chain,
        "token": attempt.token,
        "token_address": attempt.token_address,
        **_figures(intent, attempt, mine),
        "duration_sec": attempt.duration_sec,
        "refund_to": attempt.payer_address,
        "quote_expires_at": optional_wire_time(attempt.lapses_at),
        "route": attempt.route_reason,
        "transactions": _transactions(attempt, mine),
    }


def _figures(intent: PaymentIntent, attempt: PaymentAttempt, legs: list[Leg]) -> dict[str, Any]:
    first = legs[0] if legs else None
    pay = None if first is None else from_base_units(first.input_base_units, first.token_decimals)
    due = attempt.due_base_units
    least = None if due is None else from_base_units(due, intent.settlement_decimals)
    return {
        "pay_at_most": None if pay is None else to_decimal_string(pay),
        "pay_at_most_usd": None if attempt.pay_usd is None else to_decimal_string(attempt.pay_usd),
        "merchant_gets_at_least": None if least is None else to_decimal_string(least),
        "merchant_token": intent.settlement_token,
        "fee_usd": None if attempt.fee_usd is None else to_decimal_string(attempt.fee_usd),
        "gas_usd": None if attempt.gas_usd is None else to_decimal_string(attempt.gas_usd),
        "parts": [
            {
                "chain": leg.chain,
                "token": leg.token,
                "pay_at_most": to_decimal_string(from_base_units(leg.input_base_units, leg.token_decimals)),
            }
            for leg in legs
        ],
    }


def _transactions(attempt: PaymentAttempt, legs: list[Leg]) -> list[dict[str, Any]]:
    """What the wallet still has to sign."""
    if attempt.status not in (AttemptStatus.AWAITING_SIGNATURE, AttemptStatus.EXECUTING):
        return []
    unsigned = [leg for leg in legs if leg.status == LegStatus.AWAITING_SIGNATURE and not leg.tx_hash]
    return [_transaction(leg) for leg in unsigned]


def _transaction(leg: Leg) -> dict[str, Any]:
    """``refused`` says what was wrong with the transaction that was last reported for it."""
    kept = ("family", "chain", "chain_id", "request", "transaction_base64")
    approvals = [_approval(leg, call) for call in leg.issued.get("approvals", ())]
    return {
        "leg_sequence": leg.sequence,
        "provider": leg.provider,
        **{name: leg.issued[name] for name in kept if name in leg.issued},
        **({"approvals": approvals} if approvals else {}),
        **({"refused": leg.error} if leg.error else {}),
    }


def _approval(leg: Leg, call: dict[str, str]) -> dict[str, str]:
    """An ``approve(spender, amount)`` of the leg's token, and what it says in words. An amount of 0 withdraws one."""
    spender, units = call["data"][_SPENDER], int(call["data"][_AMOUNT], 16)
    return {
        **{name: call[name] for name in ("to", "data", "value")},
        "token": leg.token,
        "amount": to_decimal_string(from_base_units(BaseUnits(units), leg.token_decimals)),
        "spender": f"0x{spender}",
    }


def _leg(leg: Leg) -> dict[str, Any]:
    known = chain(leg.chain)
    return {
        "sequence": leg.sequence,
        "kind": leg.kind,
        "provider": leg.provider,
        "chain": leg.chain,
        "chain_name": known.display_name if known is not None else leg.chain,
        "to_chain": leg.to_chain,
        "token": leg.token,
        "to_token": leg.to_token,
        "amount_usd": json_number(leg.amount_usd),
        "status": leg.status,
        "tx_hash": leg.tx_hash or None,
        "explorer_url": leg_explorer_url(leg),
        "destination_tx_hash": leg.destination_tx_hash or None,
        "submitted_at": optional_wire_time(leg.submitted_at),
        "typical_seconds": leg.typical_seconds,
    }
