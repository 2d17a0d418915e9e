"""What a payer sees: the public view of the specification, and the fuller state behind the checkout token."""

from datetime import datetime
from typing import Any

from django.conf import settings
from django.db.models import Q

from chains.registry import chain
from checkout.brand import shown_brand
from checkout.costs import route_body, route_words, terms_body, token_body
from checkout.messages import message_body, message_for
from checkout.models import Branding
from checkout.receipt import receipt_path
from checkout.shapes import CheckoutViewShape, PayerStateShape
from checkout.words.legs import leg_note, leg_note_code
from core.clock import now, optional_wire_time, wire_time
from core.modes import Mode
from core.money import BaseUnits, from_base_units, json_number, to_decimal_string
from merchants.services.origins import may_return_to
from payments.explanation import Rows, changes_by_clock_at, furthest_of, is_slow
from payments.models import Leg, PayerWallet, PaymentAttempt, PaymentIntent
from payments.selectors import amount_due, leg_arrival_url, leg_explorer_url, legs_of
from payments.services.side_by_side import unattempted
from payments.states import FLYING_LEG, INTENT_MACHINE, OPEN_ATTEMPT, AttemptStatus, IntentStatus, LegStatus

TAIL_LENGTH = 6
_PRICED = (AttemptStatus.QUOTED, AttemptStatus.PREPARING)
_WITH_LEGS = (AttemptStatus.QUOTED, AttemptStatus.PREPARING, AttemptStatus.AWAITING_SIGNATURE, AttemptStatus.EXECUTING)
_MOST_READ = 40
"""More than can be open at once, so that the own one is among them."""
_SENT = (*FLYING_LEG, LegStatus.CONFIRMED, LegStatus.REFUNDED)
_OWN_STATUS = {
    AttemptStatus.QUOTED: IntentStatus.QUOTED,
    AttemptStatus.PREPARING: IntentStatus.QUOTED,
    AttemptStatus.AWAITING_SIGNATURE: IntentStatus.AWAITING_SIGNATURE,
}
_SPENDER, _AMOUNT = slice(34, 74), slice(74, 138)
"""Where calldata in hexadecimal holds the arguments of ``approve(address,uint256)``. Source: ERC-20."""


def checkout_view(intent: PaymentIntent) -> CheckoutViewShape:
    """The public view. Source: specification, CheckoutView. Nothing beyond its keys may appear."""
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


def payer_state(intent: PaymentIntent, browser: str | None = None) -> PayerStateShape:
    """Everything the page draws. Money is in decimal strings; ``message`` always has its three parts.

    ``browser``: whose wallet and attempt are shown, the empty one's being those that nobody's secret guards; None for
    a page that is only drawn and shows nobody's. Without any of its own, a page follows what others do. Once the intent
    is over nobody's wallet is shown any more: the link stays, in mails and in histories.

    What it reads stands in ``checkout.unchanged.READ``, too, else a page is not told of what changes there.
    """
    return dated_payer_state(intent, browser)[0]


def dated_payer_state(intent: PaymentIntent, browser: str | None) -> tuple[PayerStateShape, datetime | None]:
    """``payer_state``, and when at the earliest time alone makes it another one; None: never."""
    attempt, others, legs = _read_attempts(intent, browser)
    furthest = furthest_of(others)
    is_over = intent.status in INTENT_MACHINE.terminal
    wallet = None if browser is None or is_over else intent.payer_wallets.filter(browser=browser).first()
    if attempt is None and wallet is None:
        rows = Rows(intent, now(), legs=legs, attempt=furthest)
    else:
        rows = _own_rows(intent, legs, attempt)
    last_error = {"code": intent.last_error_code, "message": intent.last_error_message}
    state: PayerStateShape = {
        "id": str(intent.pk),
        "mode": intent.mode,
        "status": intent.status,
        "amount": to_decimal_string(intent.amount),
        "currency": intent.currency,
        "merchant_name": payers_name_of(intent),
        "settlement_chain": intent.settlement_chain,
        "settlement_token": intent.settlement_token,
        "settlement_address_tail": f"…{intent.settlement_address[-TAIL_LENGTH:]}",
        "expires_at": wire_time(intent.expires_at),
        "server_time": wire_time(now()),
        "amount_received": to_decimal_string(intent.received_usd),
        "amount_due": to_decimal_string(amount_due(intent)),
        "overpaid_usd": to_decimal_string(intent.overpaid_usd),
        "in_doubt": intent.in_doubt,
        "message": message_body(message_for(rows)),
        "last_error": last_error if intent.last_error_code else None,
        "return_url": _return_url(intent),
        "receipt_url": settings.BASE_URL + receipt_path(intent) if intent.received_usd > 0 else None,
        "reference": intent.reference or None,
        "wallet": _wallet(wallet),
        "attempt": None if attempt is None else _attempt(intent, attempt, legs),
        "others": {"open": len(others), "furthest": None if furthest is None else furthest.status},
        "legs": legs_body(rows),
        "terminal": is_over,
    }
    return state, changes_by_clock_at(rows)


def _return_url(intent: PaymentIntent) -> str | None:
    """Where the payer may go back to. Why asked again: a merchant may have taken the origin off its list since."""
    url = intent.return_url
    return url if url and may_return_to(intent.merchant_id, Mode(intent.mode), url) else None


def _own_rows(intent: PaymentIntent, legs: list[Leg], attempt: PaymentAttempt | None) -> Rows:
    """What a page is told that takes part: its own tries, and of others' what was sent."""
    own = None if attempt is None else attempt.browser
    shown = [leg for leg in legs if leg.tx_hash or leg.status in _SENT or (leg.attempt and leg.attempt.browser == own)]
    return Rows(intent, now(), legs=shown, attempt=attempt, status=_status_for(intent, attempt), browser=own)


def _status_for(intent: PaymentIntent, attempt: PaymentAttempt | None) -> str:
    """The intent's status, but for what others are asked: how far this payer is itself."""
    if intent.status not in (IntentStatus.QUOTED, IntentStatus.AWAITING_SIGNATURE):
        return intent.status
    base = unattempted(intent)
    return base if attempt is None else _OWN_STATUS.get(AttemptStatus(attempt.status), base)


def _wallet(wallet: PayerWallet | None) -> dict[str, Any] | None:
    if wallet is None:
        return None
    return {
        "family": wallet.family,
        "address": wallet.address,
        "status": "looking" if wallet.tokens is None else "ready",
        "tokens": [token_body(token) for token in wallet.tokens or ()],
        "unread_chains": wallet.unread,
    }


def _read_attempts(
    intent: PaymentIntent, browser: str | None
) -> tuple[PaymentAttempt | None, list[PaymentAttempt], list[Leg]]:
    """The browser's newest attempt, those that others have open, and every transaction, as they were together.

    Why the attempt comes along with its transactions: a quote that was made or given up between two questions would
    be shown without figures. If it has none by then, it was given up since it was read first.
    """
    attempt, others = _own_and_others(intent, browser)
    legs = list(intent.legs.select_related("attempt").order_by("sequence"))
    if attempt is None:
        return None, others, legs
    together = next((leg.attempt for leg in legs if leg.attempt_id == attempt.pk), None)
    if together is None and attempt.status in _WITH_LEGS:
        attempt, others = _own_and_others(intent, browser)
    return together or attempt, others, legs


def _own_and_others(intent: PaymentIntent, browser: str | None) -> tuple[PaymentAttempt | None, list[PaymentAttempt]]:
    """Why one question for both, and the newest only: pages ask all the time, and a payer may try many times."""
    shown = Q(status__in=OPEN_ATTEMPT) if browser is None else Q(status__in=OPEN_ATTEMPT) | Q(browser=browser)
    found = list(intent.payment_attempts.filter(shown).order_by("-number")[:_MOST_READ])
    own = next((one for one in found if one.browser == browser), None)
    return own, [one for one in found if one.browser != browser and one.status in OPEN_ATTEMPT]


def _attempt(intent: PaymentIntent, attempt: PaymentAttempt, legs: list[Leg]) -> dict[str, Any]:
    mine = [leg for leg in legs if leg.attempt_id == attempt.pk]
    transactions = _transactions(attempt, mine)
    routes = (attempt.routes or []) if attempt.status in _PRICED or transactions else []
    return {
        "id": str(attempt.pk),
        "number": attempt.number,
        "status": attempt.status,
        "chain": attempt.chain,
        "token": attempt.token,
        "token_address": attempt.token_address,
        **_figures(intent, attempt, mine),
        "duration_sec": attempt.duration_sec,
        "refund_to": "" if intent.status in INTENT_MACHINE.terminal else attempt.payer_address,
        "quote_expires_at": optional_wire_time(attempt.lapses_at),
        "terms": terms_body(attempt, mine) if attempt.status == AttemptStatus.QUOTED else None,
        "route": route_words(routes, len(mine)),
        "routes": [route_body(route) for route in routes],
        "transactions": transactions,
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
        "total_usd": None if attempt.total_usd is None else to_decimal_string(attempt.total_usd),
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


def payers_name_of(intent: PaymentIntent) -> str:
    """The name that payers know the merchant by: that of its look, else the business's own."""
    return shown_brand(branding_of(intent.merchant_id), intent.merchant.name).name


def branding_of(merchant_id: int) -> Branding | None:
    """How a merchant's checkout looks, without the logo's bytes; None where it looks as the service does."""
    found: Branding | None = Branding.objects.defer("logo").filter(merchant_id=merchant_id).first()
    return found


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
