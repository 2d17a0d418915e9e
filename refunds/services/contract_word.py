"""A claim by a wallet that is a contract: its own code says what it signed, asked by a worker, never by a request.

It is asked on each chain on which it paid: the same address may be somebody else's on another one.
Source: docs/adr/0062.
"""

from typing import Final

from django.db.models import QuerySet

from chains.addresses import same_address
from chains.registry import Family
from core.errors import ServiceError
from core.modes import Mode
from payments.models import WalletWord
from payments.services.wallet_words import Asked, ask_wallet
from refunds.errors import (
    ClaimExceedsPayment,
    ClaimNotFinal,
    ClaimNotPayer,
    ClaimSignatureInvalid,
    ClaimUsed,
    ClaimWalletSilent,
    RefundDestinationNotNeeded,
)
from refunds.models import Refund, RefundClaim
from refunds.shares import chains_paid_on
from refunds.states import PUBLIC_STATUS, R

PURPOSE: Final = "refund_claim"
_REFUSALS: Final[dict[str, type[ServiceError]]] = {
    one.code: one
    for one in (ClaimSignatureInvalid, ClaimWalletSilent, ClaimNotPayer, ClaimExceedsPayment, ClaimNotFinal, ClaimUsed)
}


def may_be_contract(claim: RefundClaim) -> bool:
    """Whether there is a chain to ask. Test mode has none."""
    return claim.mode == Mode.LIVE and claim.family == Family.EVM.value


def ask_contract(claim: RefundClaim, signature: bytes) -> None:
    """Have the wallet's contract asked whether it signed the claim's text. Says nothing about who paid.

    Where the money goes to the wallet itself, it must be that wallet on the refund's chain as well.
    """
    chains, refund = chains_paid_on(claim.refund.intent_id, claim.wallet), claim.refund
    if chains and same_address(claim.destination, claim.wallet):
        chains = sorted({*chains, refund.chain})
    asked = Asked(
        purpose=PURPOSE,
        subject=claim.nonce,
        wallet=claim.wallet,
        chains=chains,
        message=claim.message,
        signature=signature,
        ends_at=claim.ends_at,
    )
    ask_wallet(claim.merchant_id, claim.mode, asked)


def word_on(claim: RefundClaim) -> WalletWord | None:
    """The question to the wallet's contract, where one was put."""
    found: WalletWord | None = WalletWord.objects.filter(purpose=PURPOSE, subject=claim.nonce).first()
    return found


def nonces_asked_about() -> "QuerySet[WalletWord, str]":
    """The texts of which a wallet's contract has yet to say whether it signed them, or which were not followed yet."""
    return WalletWord.objects.filter(purpose=PURPOSE, done_at=None).values_list("subject", flat=True)


def raise_refusal(asked: WalletWord, refund: Refund) -> None:
    """Raises: the refusal that the question ended in, if it did."""
    if not asked.outcome:
        return
    if asked.outcome in _REFUSALS:
        raise _REFUSALS[asked.outcome]
    raise RefundDestinationNotNeeded(PUBLIC_STATUS[R(refund.status)])
