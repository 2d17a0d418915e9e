"""I2, I14 and I15 from the side of refunds and payouts: paid means that exactly this reached exactly that address."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import Any
from uuid import UUID

from chains.models import Transfer
from operations.invariants.credits import final_settlements
from operations.invariants.scope import Scope, batches
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
            transfers: dict[UUID, list[Transfer]] = defaultdict(list)
            for transfer in Transfer.objects.filter(purpose=name, purpose_id__in=[row.pk for row in batch]):
                transfers[transfer.purpose_id].append(transfer)
            for row in batch:
                paid = [one for one in transfers[row.pk] if one.status == "paid"]
                yield from _wrong_payment(name, row, paid)
                # What was called over unpaid must have nothing that landed or may land.
                alive = [one.status for one in transfers[row.pk] if one.status in LANDED_OR_MAY]
                if row.status in OVER_UNPAID[name] and alive:
                    yield f"I2 {name} {row.pk} is {row.status} while its transfer is {alive[0]}"


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


def direct_payouts_were_received(scope: Scope) -> Iterator[str]:
    """I14: a payout that needed no transfer names a final credit of its intent at the merchant's own address."""
    for batch in batches(scope.rows(Payout).filter(rail="direct").select_related("intent")):
        final = final_settlements([payout.intent for payout in batch if payout.intent])
        ordered = Transfer.objects.filter(purpose="payout", purpose_id__in=[payout.pk for payout in batch])
        moved = set(ordered.values_list("purpose_id", flat=True))
        for payout in batch:
            credits = final[payout.intent_id] if payout.intent_id else []
            if payout.tx_hash not in {credit.tx_hash for credit in credits}:
                yield f"I14 payout {payout.pk} is direct, and no final credit of its intent has its hash"
            if payout.pk in moved:
                yield f"I2 payout {payout.pk} is direct, and yet a transfer was made for it"


def payout_and_fee_are_all(scope: Scope) -> Iterator[str]:
    """I15: what is paid out is what was received, the platform's fee having been paid on top; one payout at a time.

    Less, where refunds had left less when the newest was made, or where money came afterwards.
    """
    for batch in scope.batches(PaymentIntent):
        payouts: dict[UUID, list[Payout]] = defaultdict(list)
        for payout in Payout.objects.filter(intent__in=batch).order_by("created_at", "id"):
            payouts[payout.intent_id].append(payout)  # type: ignore[index]  # filtered by intent
        for intent in batch:
            if payouts[intent.pk]:
                yield from _paid_out(intent, payouts[intent.pk])


def _paid_out(intent: PaymentIntent, payouts: Sequence[Payout]) -> Iterator[str]:
    under_way = [one for one in payouts if one.status not in ("paid", "failed")]
    if len(under_way) > 1:
        yield f"I2 intent {intent.pk} has {len(under_way)} payouts that are not over"
    standing = [one for one in payouts if one.status != "failed"]
    if intent.status not in SETTLED or not standing:
        return
    out = sum((one.amount_usd for one in standing), Decimal(0))
    missing = intent.received_usd - out
    newest = standing[-1]
    # Why the refunds that were paid, too: older rows do not say what they left.
    left = max(newest.less_refunds_usd, intent.refunded_usd if newest.rail in SIGNED else Decimal(0))
    later = intent.credits.filter(purpose="settlement", reversed_at=None, final_at__gt=newest.created_at)
    if missing < 0 or (missing > left and not later.exists()):
        yield f"I15 payouts of {out} for intent {intent.pk} are not the {intent.received_usd} that arrived"
