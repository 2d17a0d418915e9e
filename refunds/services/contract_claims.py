"""Doing what wallets that are contracts said: their refunds go where they claim, by the same rules as any payer's.

A word says that the wallet signed. Whether it paid, and how much, is asked afterwards, under the intent's lock.
"""

import logging
from typing import Final

from django.db import transaction

from chains.clients.evm_wallets import WalletWord as Word
from core.errors import ServiceError
from payments.models import WalletWord
from payments.services.wallet_words import answered_word_ids, finish
from refunds.errors import ClaimSignatureInvalid, ClaimUnknown, ClaimWalletSilent
from refunds.models import RefundClaim
from refunds.services.claim import follow_claim
from refunds.services.contract_word import PURPOSE

BATCH: Final = 50
"""In one sweep. Why an end: refunds and payments need the same workers."""
logger = logging.getLogger("causeway.refunds")


def sweep_contract_claims() -> int:
    """Act on the words that wallets gave on claims; returns how many."""
    word_ids = answered_word_ids(PURPOSE, BATCH)
    for word_id in word_ids:
        try:
            act_on_word(word_id)
        except Exception:  # one claim's failure must not hold up the others; the next sweep comes back to it
            logger.exception("could not act on the word %s of a wallet", word_id)
    return len(word_ids)


def act_on_word(word_id: int) -> None:
    """Send the refund where the claim says if its wallet's contract said yes; else note why not.

    Safe to repeat at any point. Locks: the question, then as ``follow_claim``.
    """
    try:
        with transaction.atomic():
            row = WalletWord.objects.select_for_update().get(pk=word_id)
            if row.done_at is None:
                _follow(row)
                finish(row)
    except ServiceError as refusal:
        with transaction.atomic():
            row = WalletWord.objects.select_for_update().get(pk=word_id)
            if row.done_at is None:
                finish(row, refusal.code)


def _follow(row: WalletWord) -> None:
    """Raises: as ``submit_claim``; then nothing is changed."""
    claim = RefundClaim.objects.select_related("refund").filter(nonce=row.subject).first()
    if claim is None:
        raise ClaimUnknown
    if row.word == Word.UNSAID:
        raise ClaimWalletSilent
    if row.word != Word.YES:
        raise ClaimSignatureInvalid
    follow_claim(claim.refund, claim.pk, f"word:{row.pk}")
