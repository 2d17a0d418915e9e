"""Stories that were not told, and payouts that say they needed no transfer."""

from tests.invariants_plants.ground import Ground, change
from webhooks.models import Event


def a_settlement_of_which_nobody_was_told(ground: Ground) -> list[str]:
    told = Event.objects.filter(resource_id=ground.settled.pk)
    told.filter(type="payment_intent.settled").delete()
    types = list(told.order_by("sequence").values_list("type", flat=True))
    numbers = list(told.order_by("sequence").values_list("sequence", flat=True))
    pk, count = ground.settled.pk, len(types) + 1
    return [
        f"I5 intent {pk} numbered its events {numbers}, and counts {count}",
        f"I5 intent {pk} told {types}, its history says {[*types, 'payment_intent.settled']}",
    ]


def a_direct_payout_of_what_never_came(ground: Ground) -> list[str]:
    change(ground.payout, rail="direct")
    pk = ground.payout.pk
    return [
        f"I2 payout {pk} is direct, and yet a transfer was made for it",
        f"I9 payout {pk} of test mode goes by a real rail",
        f"I14 payout {pk} is direct, and no final credit of its intent has its hash",
    ]
