"""The link by which a wallet on Solana fetches its own transaction.

Source: https://docs.solanapay.com/spec, transaction requests.
"""

from urllib.parse import quote

from django.conf import settings

from chains.registry import Family, chain
from core.modes import Mode
from payments.models import PaymentIntent
from payments.selectors import bridges_from
from payments.states import INTENT_MACHINE


def transaction_request(intent: PaymentIntent) -> str | None:
    """The ``solana:`` link of a live intent; None where no payer on Solana could use it.

    Why only https: wallets refuse any other address. Never a transfer request: without a leg's reference its
    payment could not be told from a stranger's.
    """
    if intent.mode != Mode.LIVE or intent.status in INTENT_MACHINE.terminal:
        return None
    if not settings.BASE_URL.startswith("https://") or not _can_start_on_solana(intent):
        return None
    return "solana:" + quote(f"{settings.BASE_URL}/api/public/v1/checkout/{intent.pk}/solana-pay", safe="")


def _can_start_on_solana(intent: PaymentIntent) -> bool:
    known = chain(intent.settlement_chain)
    is_there = known is not None and known.family is Family.SOLANA
    return bool(settings.RPC_URLS["solana"]) and (is_there or bridges_from("solana"))
