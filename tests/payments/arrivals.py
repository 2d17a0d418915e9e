"""Money that is seen at the merchant's address, and a worker's conclusions from it."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any
from uuid import UUID

from django.db import transaction

from core.clock import now
from core.money import BaseUnits
from payments.models import Credit, Leg, PaymentIntent
from payments.services.outcome import conclude
from payments.services.schedule import schedule_next_look
from payments.services.transition import locked_intent
from payments.services.underway import underway
from tests.factories.payments import credit


@contextmanager
def judged_anew(intent: dict[str, Any]) -> Iterator[PaymentIntent]:
    """Something happens to an intent's credits, and a worker draws its conclusions. It is over 25 dollars of USDC."""
    with transaction.atomic():
        locked = locked_intent(UUID(intent["id"]))
        if locked.target_base_units is None:
            locked.target_base_units = BaseUnits(25_000_000)
            locked.save(update_fields=["target_base_units"])
        yield locked
        conclude(locked, underway(locked))
        schedule_next_look(locked)


def arrives(intent: dict[str, Any], units: int, leg: str = "", *, late: bool = False, final: bool = True) -> Credit:
    """So much of the settlement token is seen, under the mark of the first leg where a kind of leg is named."""
    with judged_anew(intent) as row:
        facts: dict[str, Any] = {"late": late, "final_at": now() if final else None, "value_usd": units // 10**6}
        if leg:
            facts["leg"] = Leg.objects.filter(intent=row).earliest("sequence")
            Leg.objects.filter(pk=facts["leg"].pk).update(status="confirmed", kind=leg)
        return credit(row, units, block_time=row.expires_at + timedelta(seconds=1 if late else -1), **facts)
