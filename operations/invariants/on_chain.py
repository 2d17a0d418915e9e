"""I2 and I14 by the chains' own records: every paid transfer is asked of the nodes again.

Goes over the network, so no transaction is open. The simulated chain needs no asking: its table is read by
``simulated``.
"""

from collections.abc import Iterator, Sequence

from chains.clients.paid import Landing, landing_of
from chains.errors import ChainUnavailable
from chains.models import Transfer, TransferAttempt
from operations.invariants.scope import Scope

SIMULATED = "simulated"
OVER_UNPAID = ("failed", "reverted")


def chains_agree(scope: Scope) -> Iterator[str]:
    """I2 and I14: what is paid landed as ordered, and no other transaction that was signed for it did."""
    for batch in scope.batches(Transfer):
        real = [transfer for transfer in batch if transfer.rail != SIMULATED]
        hashes: dict[Transfer, list[str]] = {}
        for attempt in TransferAttempt.objects.filter(transfer__in=real, kind="pay").select_related("transfer"):
            hashes.setdefault(attempt.transfer, []).append(attempt.tx_hash)
        for transfer in real:
            try:
                yield from _compared(transfer, hashes.get(transfer, []))
            except ChainUnavailable:
                yield f"I14 transfer {transfer.pk} cannot be compared: no node of {transfer.chain} answers"


def _compared(transfer: Transfer, signed: Sequence[str]) -> Iterator[str]:
    if transfer.status == "paid":
        landed = _landing(transfer, transfer.tx_hash)
        if landed is not Landing.AS_ORDERED:
            yield f"I14 transfer {transfer.pk} is paid by {transfer.tx_hash}, the chain says {landed.value}"
    if transfer.status == "paid" or transfer.status in OVER_UNPAID:
        for tx_hash in signed:
            is_another = tx_hash != transfer.tx_hash or transfer.status in OVER_UNPAID
            if is_another and _landing(transfer, tx_hash) is Landing.AS_ORDERED:
                yield f"I2 transfer {transfer.pk} is {transfer.status}, and the chain shows {tx_hash} as paid, too"


def _landing(transfer: Transfer, tx_hash: str) -> Landing:
    return landing_of(
        transfer.chain, tx_hash, token=transfer.token_address, recipient=transfer.recipient, units=transfer.base_units
    )
