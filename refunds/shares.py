"""Who paid how much of an intent, and what of it went back already: the one answer that every refund is judged by.

A wallet paid what its own transactions brought, as each credit says. What nothing proves is nobody's, and lessens
nobody's share. Source: docs/adr/0043.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from django.db.models import OuterRef, QuerySet, Subquery, prefetch_related_objects

from chains.addresses import family_of_address, same_address
from chains.registry import Family, chain
from core.money import ZERO_USD, BaseUnits, UsdAmount, usd_from_micros, usd_to_micros
from payments.models import Credit
from refunds.models import Refund, RefundClaim
from refunds.states import RELEASED, R

MOST_SHOWN: Final = 20
"""How many payers are named, and repaid, at once: those with the most left. Why bounded: anybody can send dust."""


@dataclass(frozen=True, kw_only=True)
class Share:
    """One wallet's part of an intent, in settlement units and dollars.

    ``seen_units`` stand on the chain, ``paid_units`` count, ``final_units`` can be taken back by nobody any more.
    """

    wallet: str
    seen_units: BaseUnits
    paid_units: BaseUnits
    final_units: BaseUnits
    paid_usd: UsdAmount
    returned_units: BaseUnits
    returned_usd: UsdAmount

    @property
    def family(self) -> Family | None:
        """The family of chains that the wallet lives on; None of a made-up one."""
        return family_of_address(self.wallet)

    @property
    def unreturned_units(self) -> BaseUnits:
        """What it paid and did not get back."""
        return BaseUnits(max(self.paid_units - self.returned_units, 0))

    @property
    def unreturned_usd(self) -> UsdAmount:
        """The same in dollars, as its payments were valued, cut down."""
        if not self.paid_units:
            return ZERO_USD
        return usd_from_micros(usd_to_micros(self.paid_usd) * self.unreturned_units // self.paid_units)

    def is_of(self, wallet: str) -> bool:
        """Whether a wallet is this one, however it is spelled."""
        return same_address(self.wallet, wallet)

    def may_receive_on(self, chain_name: str) -> bool:
        """Whether the wallet is an address of that chain. Chains that only test mode knows take any."""
        known = chain(chain_name)
        return known is None or known.family is self.family


@dataclass(frozen=True, kw_only=True)
class _Returned:
    """A refund that neither failed nor was cancelled, and whose it is."""

    pk: UUID
    to: tuple[str, ...]
    units: BaseUnits
    usd: UsdAmount

    def is_for(self, wallet: str) -> bool:
        return any(same_address(one, wallet) for one in self.to)


def shares(intent_id: UUID) -> list[Share]:
    """Every wallet that provably paid an intent, those with the most left first.

    Locks: where money follows from it, the caller holds the intent's lock.
    """
    return shares_of([intent_id]).get(intent_id, [])


def shares_of(intent_ids: Iterable[UUID], *, apart_from: UUID | None = None) -> dict[UUID, list[Share]]:
    """The same for many intents, in two queries; one refund may be left out of what went back.

    Why summed here: SQLite would lose digits.
    """
    wanted = set(intent_ids)
    credits_by_payer: dict[tuple[UUID, str], list[Credit]] = defaultdict(list)
    kept = ("intent_id", "payer", "base_units", "value_usd", "final_at", "finalized_at")
    # Why no dust is left out: it is a share of dust.
    for credit in _counting(wanted).exclude(payer="").only(*kept).order_by("pk"):
        if credit.intent_id is not None:
            credits_by_payer[credit.intent_id, _key(credit.payer)].append(credit)
    returned = _returned(wanted, apart_from) if credits_by_payer else {}
    found: dict[UUID, list[Share]] = defaultdict(list)
    for (intent_id, _), paid in credits_by_payer.items():
        found[intent_id].append(_share(paid, returned.get(intent_id, ())))
    return {
        intent_id: sorted(parts, key=lambda one: (-one.unreturned_units, _key(one.wallet)))
        for intent_id, parts in found.items()
    }


def share_of(intent_id: UUID, wallet: str, *, apart_from: UUID | None = None) -> Share | None:
    """One wallet's part; None where nothing proves that it paid. Locks: as ``shares``."""
    parts = shares_of([intent_id], apart_from=apart_from).get(intent_id, [])
    return next((one for one in parts if one.is_of(wallet)), None)


def chains_paid_on(intent_id: UUID, wallet: str) -> list[str]:
    """The chains on which a wallet provably made what counts for an intent; none where nothing proves that it paid."""
    rows = _counting({intent_id}).exclude(payer="").exclude(leg=None).values_list("payer", "leg__chain").distinct()
    return sorted({chain_name for payer, chain_name in rows if same_address(payer, wallet)})


def unproven_usd(intent_id: UUID) -> UsdAmount:
    """What counts for an intent and is nobody's."""
    nobodys = _counting({intent_id}).filter(payer="", final_at__isnull=False)
    return UsdAmount(sum(nobodys.values_list("value_usd", flat=True), ZERO_USD))


def sole_payer(parts: Sequence[Share], chain_name: str, units: BaseUnits) -> str:
    """The one wallet whose unreturned share covers so many units, on an address of that chain; else empty.

    Why the only one: where two paid as much, nothing says whose refund it is.
    """
    covering = [one for one in parts if one.unreturned_units >= units and one.may_receive_on(chain_name)]
    return covering[0].wallet if len(covering) == 1 else ""


def payer_for(refund: Refund, parts: Sequence[Share]) -> str:
    """Where a refund without a destination may go by itself: to who paid it, and to nobody else; else empty.

    What sends one late payment back belongs to who sent that payment, as far as that was not returned otherwise.
    """
    if refund.credit_id is None:
        return sole_payer(parts, refund.chain, refund.base_units)
    credit = refund.credit
    own = [one for one in parts if credit is not None and credit.payer and one.is_of(credit.payer)]
    return sole_payer(own, refund.chain, refund.base_units)


def offers(refunds: Iterable[Refund]) -> dict[UUID, list[Share]]:
    """By refund that waits for a destination: the payers of its intent."""
    waiting = [refund for refund in refunds if refund.status == R.WAITING]
    found = shares_of({refund.intent_id for refund in waiting}) if waiting else {}
    prefetch_related_objects(waiting, "credit")
    return {refund.pk: found.get(refund.intent_id, []) for refund in waiting}


def _counting(intent_ids: set[UUID]) -> QuerySet[Credit]:
    rows: QuerySet[Credit] = Credit.objects.filter(intent_id__in=intent_ids, purpose="settlement")
    return rows.filter(reversed_at=None, vanished_at=None)


def _returned(intent_ids: set[UUID], apart_from: UUID | None) -> Mapping[UUID, Sequence[_Returned]]:
    """Refunds by intent, but of strays. A claimed one counts for who claimed it, wherever that wallet had it sent."""
    claimed = RefundClaim.objects.filter(refund=OuterRef("pk"), used_at__isnull=False).values("wallet")[:1]
    rows = Refund.objects.filter(intent_id__in=intent_ids, stray=None).exclude(status__in=RELEASED)
    rows = rows if apart_from is None else rows.exclude(pk=apart_from)
    facts = ("pk", "intent_id", "destination", "base_units", "amount_usd", "claimant")
    found: dict[UUID, list[_Returned]] = defaultdict(list)
    for pk, intent_id, destination, units, usd, claimant in rows.annotate(claimant=Subquery(claimed)).values_list(
        *facts
    ):
        to = tuple(filter(None, (destination, claimant)))
        found[intent_id].append(_Returned(pk=pk, to=to, units=units, usd=usd))
    return found


def _share(paid: Sequence[Credit], returned: Iterable[_Returned]) -> Share:
    wallet = paid[0].payer
    mine = [one for one in returned if one.is_for(wallet)]
    counting = [credit for credit in paid if credit.final_at is not None]
    return Share(
        wallet=wallet,
        seen_units=BaseUnits(sum(credit.base_units for credit in paid)),
        paid_units=BaseUnits(sum(credit.base_units for credit in counting)),
        final_units=BaseUnits(sum(credit.base_units for credit in counting if credit.finalized_at is not None)),
        paid_usd=UsdAmount(sum((credit.value_usd for credit in counting), ZERO_USD)),
        returned_units=BaseUnits(sum(one.units for one in mine)),
        returned_usd=UsdAmount(sum((one.usd for one in mine), ZERO_USD)),
    )


def _key(wallet: str) -> str:
    """What one wallet is known by. Why letter case counts on Solana: there it is part of the address."""
    return wallet.lower() if family_of_address(wallet) is Family.EVM else wallet
