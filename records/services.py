"""Writes of records: a settlement asks for its seal in its own transaction, and a worker signs it right after.

Why not in that transaction: signing opens a private key and reads a dozen tables, and settling must not wait for it.
"""

import zlib
from datetime import timedelta
from typing import Final
from uuid import UUID

from django.db import transaction

from core.bulk import insert_once
from core.clock import now
from core.leases import take_due, time_limit
from core.sweeps import Claim, Sweep
from core.transitions import locked
from payments.models import PaymentIntent
from payments.states import IntentStatus
from proofs.canonical import canonical
from proofs.keys import sign
from records.models import AwaitedSeal, RecordSeal
from records.selectors import later_entries, sealed_entries, seals_of
from records.statement import receipt_statement, seal_statement

LEASE: Final = timedelta(seconds=60)
BATCH, SWEEP_SECONDS = 50, 5
AGAIN_AFTER: Final = timedelta(days=1)
"""When a record is looked at once more: its deliveries and a first refund are sealed then, before any is purged."""
PAID: Final = frozenset({IntentStatus.SETTLED, IntentStatus.REFUNDED})
SETTLING: Final = frozenset({"payment.settle", "payment.accept_partial", "payment.accept_late", "payment.restore"})


def await_seal(intent: PaymentIntent) -> None:
    """Have a payment's record sealed soon. Locks: the caller holds the intent's lock."""
    row = AwaitedSeal(intent=intent, next_attempt_at=now())
    if not insert_once(row):
        AwaitedSeal.objects.filter(pk=intent.pk).update(next_attempt_at=now())


def sweep_due(seconds: int = SWEEP_SECONDS) -> int:
    """Seal the records that wait, for about so many seconds; returns how many."""
    return SWEEP.run(time_limit(seconds))


def seal_claimed(claim: Claim[UUID]) -> None:
    """Seal one claimed record, and look at it once more a day later; then it rests."""
    is_sealed = seal(claim.key)
    mine = AwaitedSeal.objects.filter(pk=claim.key, next_attempt_at=claim.until)
    if is_sealed:
        mine.update(next_attempt_at=now() + AGAIN_AFTER)
    else:
        mine.delete()


@transaction.atomic
def seal(intent_id: UUID) -> bool:
    """Sign what happened since the last seal; whether there was anything. A receipt where it settled since.

    Raises: SecretUnreadable. Locks: the intent, so that what is signed was true of it at one moment.
    """
    intent = locked(PaymentIntent.objects.select_related("merchant"), pk=intent_id)
    seals = seals_of(intent)
    sealed = sealed_entries(seals)
    new = later_entries(intent, sealed)
    if not new:
        return False
    is_settled = intent.status in PAID and any(entry["type"] in SETTLING for entry in new)
    write = receipt_statement if is_settled else seal_statement
    statement = write(intent, len(sealed) + len(new), new[-1]["hash"])
    text = canonical(statement)
    signature = sign(statement["type"], text)
    RecordSeal(
        intent=intent,
        number=len(seals) + 1,
        entries=zlib.compress(canonical(new)),
        statement=text.decode(),
        key_id=signature.key_id,
        signature=signature.value,
    ).save(force_insert=True)
    return True


SWEEP = Sweep[UUID](
    model=AwaitedSeal,
    take=lambda until: take_due(AwaitedSeal.objects.all(), most=BATCH, until=until),
    advance=seal_claimed,
    lease=LEASE,
)
