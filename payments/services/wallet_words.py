"""Asking wallets that are contracts what they signed: a row waits, a worker asks, and its owner acts on the word.

What a word is worth: it says who the wallet's owner is now. It never says whose a transfer was. Source: docs/adr/0062.
"""

import logging
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from django.db import transaction

from chains.clients.allowance import BudgetSpent, asking_for
from chains.clients.evm_wallets import WalletQuestion
from chains.clients.evm_wallets import WalletWord as Word
from chains.clients.registry import EVM
from chains.signatures import personal_digest
from core.clock import now
from core.leases import take_due, time_limit
from core.sweeps import Sweep
from payments.models import WalletWord
from payments.services.budgets import WalletPurse

GAS: Final = 5_000_000
"""For the whole call. Why so much: keys of passkeys take a million where the chain does not help."""
SECONDS: Final = 8
"""For one chain's answer."""
PAUSES: Final = (1, 2, 4, 8, 16, 30, 60, 60)
"""Seconds after each try at which nobody could say; after the last one it stays unsaid."""
BATCH: Final = 10
SWEEP_SECONDS: Final = 5
KEPT: Final = timedelta(days=1)
"""How long what was refused can be asked after."""
logger = logging.getLogger("causeway.payments")


@dataclass(frozen=True, kw_only=True)
class Asked:
    """What a wallet's contract is asked: whether it takes the signature under the message, on each of the chains.

    ``with_coin``: and whether it takes the chain's own coin with a payment's mark behind it.
    """

    purpose: str
    subject: str
    wallet: str
    chains: Sequence[str]
    message: str
    signature: bytes
    ends_at: datetime
    with_coin: bool = False


@transaction.atomic
def ask_wallet(merchant_id: int, mode: str, asked: Asked) -> WalletWord:
    """The question's row, which a worker takes up; one for each subject, and the first stands. Asks no node."""
    WalletWord.objects.filter(merchant_id=merchant_id, done_at__lt=now() - KEPT).exclude(word=Word.YES).delete()
    row, _ = WalletWord.objects.get_or_create(
        purpose=asked.purpose,
        subject=asked.subject,
        defaults={
            "merchant_id": merchant_id,
            "mode": mode,
            "wallet": asked.wallet,
            "chains": list(asked.chains),
            "message": asked.message,
            "signature": "0x" + asked.signature.hex(),
            "with_coin": asked.with_coin,
            "ends_at": asked.ends_at,
            "next_attempt_at": now(),
        },
    )
    found: WalletWord = row
    return found


def answered_word_ids(purpose: str, most: int) -> list[int]:
    """Keys of the questions that were answered, and that their owner did not act on yet; the oldest first."""
    rows = WalletWord.objects.filter(purpose=purpose, done_at=None).exclude(word="").order_by("pk")
    return list(rows.values_list("pk", flat=True)[:most])


def finish(row: WalletWord, outcome: str = "") -> None:
    """Note that the owner acted on a word, and what came of it. Locks: the caller holds the row's subject."""
    row.outcome, row.done_at = outcome, now()
    row.save(update_fields=["outcome", "done_at"])


def sweep_wallet_words(seconds: int = SWEEP_SECONDS) -> int:
    """Ask for what is due, batch by batch, for about so many seconds; returns how many questions."""
    return SWEEP.run(time_limit(seconds))


def answer_word(word_id: int) -> None:
    """Ask the chains once, with no transaction open, and write down what they say, or when to ask again.

    Safe to repeat at any point, by any number of workers.
    """
    row = WalletWord.objects.get(pk=word_id)
    if row.word:
        return
    try:
        with asking_for(WalletPurse(row.merchant_id)):
            answer = _together(EVM.wallet_word(chain, _question(row)) for chain in row.chains)
    except BudgetSpent as spent:
        WalletWord.objects.filter(pk=word_id, word="").update(
            next_attempt_at=now() + timedelta(seconds=spent.wait_seconds)
        )
        return
    tries = row.attempts + 1
    again_at = None
    if answer is Word.UNSAID and tries < len(PAUSES):
        again_at = now() + timedelta(seconds=PAUSES[tries - 1])
    if again_at is not None and again_at < row.ends_at:
        WalletWord.objects.filter(pk=word_id, word="").update(next_attempt_at=again_at, attempts=tries)
        return
    WalletWord.objects.filter(pk=word_id, word="").update(word=answer.value, next_attempt_at=None, attempts=tries)
    if answer is Word.UNSAID:
        logger.warning("wallet_silent %s: no chain could say what it signed", row.wallet)


def _together(words: Iterable[Word]) -> Word:
    """Yes where every chain says so, and one is asked at all; no by one of them; else unsaid."""
    found = set()
    for word in words:
        if word is Word.NO:
            return Word.NO
        found.add(word)
    if not found:
        return Word.NO
    return Word.UNSAID if Word.UNSAID in found else Word.YES


def _question(row: WalletWord) -> WalletQuestion:
    return WalletQuestion(
        wallet=row.wallet,
        digest=personal_digest(row.message),
        signature=bytes.fromhex(row.signature.removeprefix("0x")),
        gas=GAS,
        seconds=SECONDS,
        with_coin=row.with_coin,
    )


SWEEP = Sweep[int](
    model=WalletWord,
    take=lambda until: take_due(WalletWord.objects.all(), most=BATCH, until=until),
    advance=lambda claim: answer_word(claim.key),
    lease=timedelta(minutes=2),
)
