"""I1: refunds never exceed what arrived, in dollars and in tokens, however their statuses are worded."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from decimal import Decimal
from uuid import UUID

from operations.invariants.paths import REFUND_PUBLIC, REFUND_RECORD, RELEASED
from operations.invariants.scope import Scope
from payments.models import Credit, IntentTransition, PaymentIntent
from refunds.models import Refund

Asset = tuple[str, str]
Refunds = dict[UUID, list[Refund]]
VOCABULARIES = {"record": REFUND_RECORD, "public": REFUND_PUBLIC}


def refunds_stay_within_what_arrived(scope: Scope) -> Iterator[str]:
    """I1: per intent, what refunds reserve or paid is at most what arrived for good."""
    for batch in scope.batches(PaymentIntent):
        refunds, arrived = _refunds(batch), _arrived(batch)
        for intent in batch:
            for name, words in VOCABULARIES.items():
                holding = [one for one in refunds[intent.pk] if words.get(one.status, one.status) not in RELEASED]
                yield from _beyond(intent, name, holding, arrived[intent.pk])


def _beyond(intent: PaymentIntent, words: str, holding: Sequence[Refund], arrived: Sequence[Credit]) -> Iterator[str]:
    home = (intent.settlement_chain, intent.settlement_token_address)
    for asset in sorted({_asset(refund) for refund in holding}):
        mine = [refund for refund in holding if _asset(refund) == asset]
        came = [credit for credit in arrived if (credit.chain, credit.token_address) == asset]
        units, most_units = sum(one.base_units for one in mine), sum(one.base_units for one in came)
        dollars = sum((one.amount_usd for one in mine), Decimal(0))
        most = intent.received_usd if asset == home else sum((one.value_usd for one in came), Decimal(0))
        if dollars > most:
            yield f"I1 intent {intent.pk} gives back {dollars} USD of {most}, by the {words} statuses"
        if units > most_units:
            yield f"I1 intent {intent.pk} gives back {units} of {most_units} base units, by the {words} statuses"


def refunded_means_paid_back(scope: Scope) -> Iterator[str]:
    """I1: what an intent says was refunded is what its paid refunds sum to, and ``refunded`` is said when it is all.

    A paid refund that is due still has to mark an intent that was busy.
    """
    for batch in scope.batches(PaymentIntent):
        refunds, late = _refunds(batch), _credited_after_refund(batch)
        for intent in batch:
            paid = sum((one.amount_usd for one in refunds[intent.pk] if one.status == "paid"), Decimal(0))
            if intent.refunded_usd != paid:
                yield f"I1 intent {intent.pk} says {intent.refunded_usd} USD were refunded, its paid refunds {paid}"
            is_all = paid > 0 and paid >= intent.received_usd
            is_coming = any(one.status == "paid" and one.next_attempt_at for one in refunds[intent.pk])
            if is_all != (intent.status == "refunded") and intent.pk not in late and not is_coming:
                yield f"I1 intent {intent.pk} is {intent.status} with {paid} of {intent.received_usd} USD paid back"


def _asset(refund: Refund) -> Asset:
    return refund.chain, refund.token_address


def _refunds(intents: Sequence[PaymentIntent]) -> Refunds:
    found: Refunds = defaultdict(list)
    for refund in Refund.objects.filter(intent__in=intents, stray=None):
        found[refund.intent_id].append(refund)
    return found


def _arrived(intents: Sequence[PaymentIntent]) -> dict[UUID, list[Credit]]:
    """What arrived for good, but for strays: what goes back of them is counted apart, in ``strays``."""
    found: dict[UUID, list[Credit]] = defaultdict(list)
    came = Credit.objects.filter(intent__in=intents, reversed_at=None, final_at__isnull=False)
    for credit in came.exclude(purpose="stray"):
        if credit.intent_id is not None:
            found[credit.intent_id].append(credit)
    return found


def _credited_after_refund(intents: Sequence[PaymentIntent]) -> set[UUID]:
    """Intents that were wholly refunded when more money came: they stay refunded, and it can be given back too."""
    over = [intent for intent in intents if intent.status == "refunded"]
    lines = IntentTransition.objects.filter(subject__in=over, to_status="refunded")
    moments = dict(lines.values_list("subject_id", "created_at"))
    credits = Credit.objects.filter(intent__in=over, reversed_at=None, final_at__isnull=False)
    return {
        intent_id
        for intent_id, final_at in credits.values_list("intent_id", "final_at")
        if intent_id in moments and final_at is not None and final_at > moments[intent_id]
    }
