"""Faults that are planted into the service, so that it is known what stories find: old ones, and near ones."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from typing import Any
from unittest.mock import patch

from django.db.models import Model

from core.bulk import insert_together
from core.money import BaseUnits
from payments.models import Credit, PaymentIntent
from payments.services import balance
from payments.services.balance import Balance, Sum
from refunds.models import Refund
from refunds.shares import Share


def _counted_gross(_intent: PaymentIntent, counted: BaseUnits, _received: Sum, _returned: Sum) -> BaseUnits:
    return counted


def _newest_payer(refund: Refund, parts: Sequence[Share]) -> str:
    paid = Credit.objects.filter(intent_id=refund.intent_id, reversed_at=None).exclude(payer="").order_by("-pk").first()
    return "" if paid is None else str(paid.payer)


def _always(answer: object, *_arguments: Any, **_named: Any) -> Any:
    return answer


def _all_but_the_last(rows: Sequence[Model]) -> None:
    insert_together(rows[:-1])


@contextmanager
def _unbooked(*_rows: object) -> Iterator[None]:
    yield


Plant = Callable[[], Any]
_YES, _NO = partial(_always, True), partial(_always, False)  # noqa: FBT003 - what is answered

PLANTS: dict[str, Sequence[Plant]] = {
    "payouts_do_not_count": (partial(patch.dict, balance._readers, clear=False),),  # noqa: SLF001 - where it breaks
    "what_went_back_still_settles": (partial(patch, "payments.services.balance._counted_net", _counted_gross),),
    "back_to_who_paid_last": (
        partial(patch, "refunds.services.create.payer_for", _newest_payer),
        partial(patch, "refunds.services.dispatch._is_its_payers", _YES),
    ),
    "a_claim_takes_anything": (
        partial(patch, "chains.clients.evm_claims._is_bare_transfer", _YES),
        partial(patch, "chains.clients.evm_reading.may_count", _YES),
        partial(patch, "payments.services.credits.outranks", _NO),
    ),
    "half_an_entry_is_booked": (partial(patch, "ledger.services.insert_together", _all_but_the_last),),
    "what_a_reorganisation_takes_stays_booked": (
        partial(patch, "payments.services.finality.booking", _unbooked),
        partial(patch, "payments.services.credits.booking", _unbooked),
    ),
    "payouts_do_not_wait": (partial(patch, "payouts.services.dispatch.stands_for_good", _YES),),
    "refunds_do_not_see_payouts": (
        partial(patch, "refunds.services.dispatch.balance", lambda intent: _Lenient(balance.balance(intent))),
    ),
}
"""By name: what is replaced. The first five are named in docs/reliability.md."""


class _Lenient:
    def __init__(self, held: Balance) -> None:
        self.covers_all = held.covers_refunds


@contextmanager
def planted(name: str) -> Iterator[None]:
    with ExitStack() as stack:
        for replace in PLANTS[name] if name else ():
            stack.enter_context(replace())
        if name == "payouts_do_not_count":
            balance._readers.pop("payouts")  # noqa: SLF001 - as above
        yield
