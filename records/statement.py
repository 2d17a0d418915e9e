"""What is signed: the receipt of a settled payment with its custody statement, and the seal of what came later."""

from collections.abc import Iterable
from typing import Any, Final

from django.conf import settings

from chains.models import GasAccount, SigningAccount
from core.clock import now, optional_wire_time, wire_time
from core.modes import Mode
from core.money import optional_decimal_string, to_decimal_string
from payments.models import Credit, Leg, PaymentIntent
from payments.selectors import legs_of
from records.entries import transfer_of

RECEIPT, SEAL = "causeway.receipt.v1", "causeway.seal.v1"
"""What a signature is made for: a receipt, or all that a record says up to an entry."""
SIMULATED: Final = "Test mode: the chain is simulated, so no money moved and nobody held any."
NOBODY: Final = "Each transfer went to the merchant's address, and the service has no key to any address listed here."
HELD: Final = "The service can sign for an address on its way, as the merchant set it up: see held_at."


def seal_statement(intent: PaymentIntent, entries: int, head: str) -> dict[str, Any]:
    """What every signature over a record says."""
    return {
        "type": SEAL,
        "issuer": settings.BASE_URL,
        "mode": intent.mode,
        "payment_intent_id": str(intent.pk),
        "entries": entries,
        "head": head,
        "signed_at": wire_time(now()),
    }


def receipt_statement(intent: PaymentIntent, entries: int, head: str) -> dict[str, Any]:
    """The same of a payment that is settled: who was paid how much of what, where, by which transactions."""
    credits = intent.credits.filter(purpose="settlement", final_at__isnull=False, reversed_at=None)
    counted = list(credits.order_by("chain", "block_number", "tx_hash", "position", "id"))
    return {
        **seal_statement(intent, entries, head),
        "type": RECEIPT,
        "merchant": {"id": str(intent.merchant_id), "name": intent.merchant.name},
        "amount": to_decimal_string(intent.amount),
        "currency": intent.currency,
        "received_usd": to_decimal_string(intent.received_usd),
        "net_settlement_usd": optional_decimal_string(intent.net_settlement_usd),
        "platform_fee_usd": optional_decimal_string(intent.platform_fee_usd),
        "status": intent.status,
        "settled_at": optional_wire_time(intent.settled_at),
        "settled_reason": intent.settled_reason,
        "settlement": {
            "chain": intent.settlement_chain,
            "token": intent.settlement_token,
            "token_address": intent.settlement_token_address,
            "decimals": intent.settlement_decimals,
            "address": intent.settlement_address,
        },
        "transactions": [transfer_of(credit) for credit in counted],
        "custody": custody(intent, counted),
    }


def custody(intent: PaymentIntent, counted: Iterable[Credit]) -> dict[str, Any]:
    """Through whose hands the money went, by the legs, and whether the service could sign for any of them."""
    legs = {leg.pk: leg for leg in legs_of(intent)}
    paths = [_path(credit, legs.get(credit.leg_id) if credit.leg_id else None) for credit in counted]
    # What the service signs for, or ever did. Why on any chain: an EVM key is one on all of them.
    # Why whatever the case: the same EVM address is written in several.
    addresses = {hop["address"] for path in paths for hop in path}
    held = sorted(one for one in addresses if SigningAccount.objects.filter(address__iexact=one).exists())
    is_simulated = intent.mode == Mode.TEST
    statement = SIMULATED if is_simulated else HELD if held else NOBODY
    return {
        "held_by_service": bool(held),
        "held_at": held,
        "simulated": is_simulated,
        "statement": statement,
        "paths": paths,
    }


def _path(credit: Credit, leg: Leg | None) -> list[dict[str, str]]:
    """From the payer to the merchant: a contract between them, and one on each side where it crossed a bridge."""
    hops = []
    payer = credit.payer or (leg.payer_address if leg is not None else "")
    if payer:
        hops.append(_hop("payer", leg.chain if leg is not None else credit.chain, payer, leg.tx_hash if leg else ""))
    if leg is not None and leg.provider and leg.chain != leg.to_chain:
        hops.append(_hop("bridge", leg.chain, leg.bridge or leg.provider, leg.tx_hash))
    # Why not an account for gas: it sends what payers signed, pays for the transaction, and is paid nothing.
    is_gas = GasAccount.objects.filter(address__iexact=credit.sender).exists()
    if not is_gas and not _is_same(credit.sender, payer):
        hops.append(_hop("contract", credit.chain, credit.sender, credit.tx_hash))
    return [*hops, _hop("merchant", credit.chain, credit.recipient, credit.tx_hash)]


def _hop(role: str, chain: str, address: str, tx_hash: str) -> dict[str, str]:
    return {"role": role, "chain": chain, "address": address, "tx_hash": tx_hash}


def _is_same(one: str, other: str) -> bool:
    return one == other or (one.startswith("0x") and one.lower() == other.lower())
