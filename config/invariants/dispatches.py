"""I2, I14 and I15 from the side of refunds and payouts: paid means that exactly this reached exactly that address."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import Any
from uuid import UUID

from django.db.models import Q

from chains.models import Transfer
from config.invariants.credits import final_settlements
from config.invariants.scope import Scope
from payments.models import PaymentIntent
from payouts.models import Payout
from refunds.models import Refund

LANDED_OR_MAY = ("signed", "broadcast", "mined", "paid")
OVER_UNPAID = {"refund": ("failed", "cancelled"), "payout": ("failed",)}
SETTLED, SIGNED = ("settled", "refunded"), ("evm", "solana")
OWNERS: tuple[tuple[str, Any], ...] = (("refund", Refund), ("payout", Payout))


def paid_means_landed(scope: Scope) -> Iterator[str]:
    """I2 and I14: a paid refund or payout has one paid transfer, of its units, in its token, to its destination."""
    for name, model in OWNERS:
        for batch in scope.batches(model):
            transfers = _transfers(name, batch)
            for row in batch:
                paid = [one for one in transfers[row.pk] if one.status == "paid"]
                yield from _wrong_payment(name, row, paid)
                yield from _contradicted(name, row, transfers[row.pk])


def _wrong_payment(name: str, row: Any, paid: Sequence[Transfer]) -> Iterator[str]:
    if row.status != "paid" or row.rail == "direct":
        return
    if len(paid) != 1:
        yield f"I2 {name} {row.pk} is paid by {len(paid)} transfers that landed"
        return
    wanted = (row.chain, row.token_address, row.destination, int(row.base_units), row.tx_hash)
    sent = paid[0]
    got = (sent.chain, sent.token_address, sent.recipient, int(sent.base_units), sent.tx_hash)
    if wanted != got:
        yield f"I14 {name} {row.pk} wanted {wanted}, and {got} landed"
    if row.paid_at is None:
        yield f"I14 {name} {row.pk} is paid at no time"


def _contradicted(name: str, row: Any, transfers: Sequence[Transfer]) -> Iterator[str]:
    """What was called over unpaid must have nothing that landed or may land."""
    if row.status in OVER_UNPAID[name]:
        alive = [one.status for one in transfers if one.status in LANDED_OR_MAY]
        if alive:
            yield f"I2 {name} {row.pk} is {row.status} while its transfer is {alive[0]}"


def direct_payouts_were_received(scope: Scope) -> Iterator[str]:
    """I14: a payout that needed no transfer names a final credit of its intent at the merchant's own address."""
    direct = scope.rows(Payout).filter(rail="direct").select_related("intent")
    for payout in direct.iterator():
        credits = final_settlements([payout.intent])[payout.intent.pk] if payout.intent else []
        if payout.tx_hash not in {credit.tx_hash for credit in credits}:
            yield f"I14 payout {payout.pk} is direct, and no final credit of its intent has its hash"
        if Transfer.objects.filter(Q(purpose="payout", purpose_id=payout.pk)).exists():
            yield f"I2 payout {payout.pk} is direct, and yet a transfer was made for it"


def payout_and_fee_are_all(scope: Scope) -> Iterator[str]:
    """I15: what is paid out and the platform's fee are what was received, exactly; and one payout per intent.

    Less, where refunds had left less for a signer to send on, or where money came after the payout was made.
    """
    for batch in scope.batches(Payout):
        seen: dict[UUID, Payout] = {}
        intents = {one.pk: one for one in PaymentIntent.objects.filter(pk__in=[one.intent_id for one in batch])}
        for payout in batch:
            intent = None if payout.intent_id is None else intents[payout.intent_id]
            if intent is None:
                continue
            if intent.pk in seen:
                yield f"I2 intent {intent.pk} has two payouts"
            seen[intent.pk] = payout
            fee = intent.platform_fee_usd or Decimal(0)
            missing = intent.received_usd - fee - payout.amount_usd
            if intent.status in SETTLED and (missing < 0 or (missing > 0 and not _may_be_less(payout, intent))):
                yield f"I15 payout {payout.pk} of {payout.amount_usd} and a fee of {fee} are not {intent.received_usd}"


def _may_be_less(payout: Payout, intent: PaymentIntent) -> bool:
    if payout.rail in SIGNED and intent.refunded_usd > 0:
        return True
    late = intent.credits.filter(purpose="settlement", reversed_at=None, final_at__gt=payout.created_at)
    return late.exists()


def _transfers(purpose: str, batch: Sequence[Any]) -> dict[UUID, list[Transfer]]:
    found: dict[UUID, list[Transfer]] = defaultdict(list)
    for transfer in Transfer.objects.filter(purpose=purpose, purpose_id__in=[row.pk for row in batch]):
        found[transfer.purpose_id].append(transfer)
    return found
