"""What one wallet paid of an intent, as far as that is proven: more than that it cannot claim back."""

from dataclasses import dataclass

from chains.registry import Family, chain
from core.money import BaseUnits
from payments.models import Credit
from refunds.models import Refund, RefundClaim
from refunds.selectors import is_signed_by_payer
from refunds.states import RELEASED


@dataclass(frozen=True, kw_only=True)
class Share:
    """A wallet's part in settlement units: what stands for good, what stands at all, and what it gets back already."""

    final: BaseUnits
    seen: BaseUnits
    returned: BaseUnits


def share_of(refund: Refund, family: Family, wallet: str) -> Share:
    """The wallet's part of the intent that a refund sends back, that refund left out.

    Locks: the caller holds the intent's lock, so that two refunds never count the same payment.
    """
    mine = [credit for credit in _credits(refund) if _paid(credit, family, wallet)]
    return Share(
        final=BaseUnits(sum(credit.base_units for credit in mine if credit.finalized_at is not None)),
        seen=BaseUnits(sum(credit.base_units for credit in mine)),
        returned=BaseUnits(sum(other.base_units for other in _others(refund) if _goes_to(other, family, wallet))),
    )


def same_wallet(family: Family, one: str, other: str) -> bool:
    """Whether two spellings are one address. Why letter case counts on Solana: there it is part of the address."""
    return one.lower() == other.lower() if family is Family.EVM else one == other


def _credits(refund: Refund) -> list[Credit]:
    standing = Credit.objects.filter(intent_id=refund.intent_id, purpose="settlement")
    return list(standing.filter(reversed_at=None, vanished_at=None, leg__isnull=False).select_related("leg"))


def _paid(credit: Credit, family: Family, wallet: str) -> bool:
    """Whether this wallet paid it: the leg was made for it, and the chain or its own signature says that it sent it.

    Why both: anybody can name any wallet at the checkout, and whoever carries a call into a block may be a stranger.
    """
    leg = credit.leg
    if leg is None or not same_wallet(family, leg.payer_address, wallet) or _family_of(leg.chain) not in (family, None):
        return False
    return is_signed_by_payer(leg) or same_wallet(family, credit.sender, wallet)


def _family_of(chain_name: str) -> Family | None:
    """The family of a chain; None of one that only test mode knows, where any wallet pays."""
    known = chain(chain_name)
    return None if known is None else known.family


def _others(refund: Refund) -> list[Refund]:
    beside = Refund.objects.filter(intent_id=refund.intent_id).exclude(pk=refund.pk).exclude(status__in=RELEASED)
    return list(beside.prefetch_related("claims"))


def _goes_to(other: Refund, family: Family, wallet: str) -> bool:
    """Whether a refund went to this wallet, or where this wallet said."""
    used: list[RefundClaim] = [claim for claim in other.claims.all() if claim.used_at is not None]
    return same_wallet(family, other.destination, wallet) or any(
        same_wallet(family, claim.wallet, wallet) for claim in used
    )
