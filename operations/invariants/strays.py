"""I18 of what never counted: a stray goes back as it came, once, to who sent it, and in its own token alone.

Counted from arrivals and from transfers that landed or may land. Source: docs/adr/0065.
"""

from collections import defaultdict
from collections.abc import Iterator
from uuid import UUID

from chains.models import Transfer
from operations.invariants.paths import RELEASED
from operations.invariants.scope import Scope
from payments.models import Credit
from refunds.models import Refund

MAY_LAND = ("signed", "broadcast", "mined", "paid")


def strays_go_back_as_they_came(scope: Scope) -> Iterator[str]:
    """I18: a refund of a stray sends that stray's units in its token, on its chain, to its payer, and no dollars."""
    for batch in scope.batches(Refund):
        mine = [one for one in batch if one.stray_id is not None]
        strays = Credit.objects.in_bulk([one.stray_id for one in mine])
        for refund in mine:
            stray = strays[refund.stray_id]
            if (stray.purpose, stray.intent_id) != ("stray", refund.intent_id) or refund.amount_usd:
                yield f"I18 refund {refund.pk} gives back credit {stray.pk}, which is no stray of its payment"
            elif refund.status == "paid" and _of_refund(refund) != _of_stray(stray):
                yield f"I18 refund {refund.pk} gave back {_of_refund(refund)} for {_of_stray(stray)}"


def no_stray_goes_back_twice(scope: Scope) -> Iterator[str]:
    """I18: of each stray at most its own units left, or may, in its own token, however many refunds there are of it."""
    for batch in scope.batches(Credit, "observed_at"):
        strays = [one for one in batch if one.purpose == "stray"]
        refunds = list(Refund.objects.filter(stray__in=strays))
        sent = Transfer.objects.filter(
            purpose="refund", purpose_id__in=[one.pk for one in refunds], status__in=MAY_LAND
        )
        left: dict[UUID, int] = defaultdict(int)  # by refund, the base units that landed or may
        for refund_id, base_units in sent.values_list("purpose_id", "base_units"):
            left[refund_id] += int(base_units)
        for stray in strays:
            own = [one for one in refunds if one.stray_id == stray.pk]
            living = [one for one in own if one.status not in RELEASED]
            if len(living) > 1:
                yield f"I18 stray {stray.pk} goes back by {len(living)} refunds"
            units = sum(left[one.pk] for one in own)
            if own and units > int(stray.base_units):
                yield f"I18 stray {stray.pk} of {stray.base_units} base units went back with {units}"
            if living and stray.promised_at is None:
                yield f"I18 stray {stray.pk} goes back, and another title may take it over"


def _of_refund(refund: Refund) -> tuple[str, ...]:
    return refund.chain, refund.token_address, str(int(refund.base_units)), _plain(refund.destination)


def _of_stray(stray: Credit) -> tuple[str, ...]:
    return stray.chain, stray.token_address, str(int(stray.base_units)), _plain(stray.payer)


def _plain(address: str) -> str:
    """Letters of hexadecimal addresses have no case."""
    return address.lower() if address[:2] == "0x" else address
