"""Finding out who paid credits that were written before that was kept: each is read once more from its chain.

Slow on purpose: it is old news, and payments need the same nodes. Source: docs/adr/0043.
"""

from dataclasses import replace
from datetime import timedelta

from django.db import transaction

from chains.clients.base import IssuedLeg, ObservedTransfer, TransferKind
from chains.clients.registry import client_for
from chains.errors import ChainUnavailable
from core.clock import now
from core.leases import take_due, time_limit
from core.sweeps import Sweep
from payments.models import Credit
from payments.services.credits import payer_facts
from payments.services.transition import locked_intent
from payments.services.watch import issued_leg

BATCH = 20
SWEEP_SECONDS = 5
LATER = timedelta(hours=1)
"""When a credit is tried again whose chain no node could speak of."""


def sweep_unknown_payers(seconds: int = SWEEP_SECONDS) -> int:
    """Read again what is due, batch by batch, for about so many seconds; returns how many credits."""
    return SWEEP.run(time_limit(seconds))


def find_payer(credit_id: int) -> None:
    """Ask the chain who paid one credit, with no transaction open, and write it down. What nothing shows is nobody's.

    Safe to repeat at any point, by any number of workers.
    """
    credit = Credit.objects.select_related("intent", "leg").get(pk=credit_id)
    if credit.payer or credit.intent is None or credit.leg is None:
        Credit.objects.filter(pk=credit_id).update(payer_due_at=None)
        return
    try:
        view = client_for(credit.mode).look(_asked(credit, issued_leg(credit.intent, credit.leg)))
    except ChainUnavailable:
        Credit.objects.filter(pk=credit_id).update(payer_due_at=now() + LATER)
        return
    same = [one for one in view.transfers if _is_same(credit, one)]
    facts = payer_facts(same[0]) if same else {}
    with transaction.atomic():
        locked_intent(credit.intent.pk)
        # Why the leg too: whoever took the credit over meanwhile wrote down who paid it.
        Credit.objects.filter(pk=credit_id, payer="", leg=credit.leg).update(**facts | {"payer_due_at": None})


def _asked(credit: Credit, issued: IssuedLeg) -> IssuedLeg:
    """The leg, asked about this credit's own transaction alone.

    Why without what was credited: a node that keeps no old transactions is not at fault.
    """
    asked = replace(issued, known_hashes=(), known_blocks=(), least_head=0)
    if issued.chain == issued.to_chain:
        return replace(asked, tx_hash=credit.tx_hash)
    return replace(asked, known_hashes=(credit.tx_hash,))


def _is_same(credit: Credit, transfer: ObservedTransfer) -> bool:
    """Whether it is the credit's event. By its amount where the place was named within the block, all digits."""
    if (credit.tx_hash, credit.kind) != (transfer.tx_hash, transfer.kind):
        return False
    is_old = credit.kind == TransferKind.LOG and credit.position.isdigit()
    return credit.position == transfer.position or (is_old and credit.base_units == transfer.base_units)


SWEEP = Sweep[int](
    model=Credit,
    take=lambda until: take_due(Credit.objects.all(), most=BATCH, until=until, column="payer_due_at"),
    advance=lambda claim: find_payer(claim.key),
    lease=timedelta(minutes=5),
    column="payer_due_at",
)
