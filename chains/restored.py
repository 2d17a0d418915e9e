"""What a person says of transfers that a database older than their payment may not know of. A worker acts on it.

Source: docs/adr/0048-a-restored-database-pays-nothing-again.md.
"""

import re
from datetime import datetime
from uuid import UUID

from django.db import transaction

from chains import ledger
from chains.models import SigningAccount, Transfer, TransferAttempt
from chains.rails.accounts import FOREIGN_NONCE, UNKNOWN_PENDING
from chains.rails.base import RailName
from chains.states import TransferStatus
from core.clock import now
from core.errors import InvalidRequest, NotFound, field_problem

MOST_NAMED = 10
_HASH = re.compile(r"0x[0-9a-fA-F]{64}")


def undecided_hashes(transfer: Transfer) -> list[str]:
    """What the account sent to the same address, as much, and of which nobody said what it was."""
    others = transfer.past.get("others", [])
    return [tx_hash for tx_hash in transfer.past.get("maybe", []) if tx_hash not in others]


@transaction.atomic
def call_paid_by(transfer_id: UUID, tx_hash: str) -> Transfer:
    """Say that a transaction was this transfer; a worker holds that against the chain, and follows it.

    Raises: InvalidRequest with one sentence; NotFound. Locks: the transfer.
    """
    transfer = _unsent(transfer_id)
    paid_by = tx_hash.lower()
    if transfer.rail != RailName.EVM or _HASH.fullmatch(paid_by) is None:
        raise _refusal("This is not the hash of a transaction on that chain.")
    if TransferAttempt.objects.filter(tx_hash=paid_by).exists():
        raise _refusal("That transaction already stands for a transfer of this database.")
    ledger.note(transfer, past={**transfer.past, "paid_by": paid_by}, blocker="")
    return transfer


@transaction.atomic
def call_unpaid(transfer_id: UUID) -> Transfer:
    """Say that a transfer was not made: what was seen of its kind was something else. It goes on.

    Raises: InvalidRequest with one sentence; NotFound. Locks: the transfer.
    """
    transfer = _unsent(transfer_id)
    kept = {name: value for name, value in transfer.past.items() if name != "paid_by"}
    found = {"others": transfer.past.get("maybe", []), "unpaid_at": now().isoformat()}
    ledger.note(transfer, past={**kept, **found}, blocker="")
    return transfer


def refuse_undecided(account: SigningAccount) -> None:
    """Refuse to let an account sign again after a foreign use of its key, while one of its transfers may explain it.

    Those are what was ordered before and never signed here, and of which nobody said since that it was not made.
    Raises: InvalidRequest, which names them and says what to do.
    """
    if account.paused_at is None or account.paused_reason not in (FOREIGN_NONCE, UNKNOWN_PENDING):
        return
    waiting = account.transfers.filter(
        status=TransferStatus.NEW, attempts=None, created_at__lte=account.paused_at
    ).order_by("created_at", "pk")
    open_ones = [
        transfer
        for transfer in waiting
        if (unpaid_at := transfer.past.get("unpaid_at")) is None
        or datetime.fromisoformat(unpaid_at) < account.paused_at
    ]
    if open_ones:
        named = ", ".join(str(transfer.pk) for transfer in open_ones[:MOST_NAMED])
        more = f" and {len(open_ones) - MOST_NAMED} more" if len(open_ones) > MOST_NAMED else ""
        raise _refusal(
            f"{len(open_ones)} of its transfers were ordered before it was paused and never signed by this database: "
            f"{named}{more}. An older database may have paid them. Look at the account's address in an explorer, "
            "then say of each: decide_transfer ID --not-paid, or --paid-by HASH."
        )


def _unsent(transfer_id: UUID) -> Transfer:
    if not Transfer.objects.filter(pk=transfer_id).exists():
        raise NotFound("transfer")
    transfer = ledger.locked_transfer(transfer_id)
    if transfer.status != TransferStatus.NEW:
        raise _refusal(f"This transfer is {transfer.status}: only one that is new can be decided.")
    return transfer


def _refusal(sentence: str) -> InvalidRequest:
    return InvalidRequest(details={"fields": [field_problem("transfer", "unknown_value", sentence)]})
