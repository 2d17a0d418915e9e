"""A payout as the dashboard shows it, and the one that an address names."""

from dataclasses import dataclass
from uuid import UUID

from django.http import Http404

from chains.registry import chain, explorer_address_url, explorer_tx_url
from core.modes import Mode
from core.money import from_base_units, to_decimal_string
from dashboard.payouts.words import STATUS, reason_words, where_words
from dashboard.visit import Visit
from merchants.admission import HoldReason
from payouts.models import Payout
from payouts.services.destination import present_destination
from payouts.states import DESTINATION_CHANGED, MERCHANT_PAUSED, PAYOUT_MACHINE, PayoutStatus

_NOT_RESUMED = (MERCHANT_PAUSED, DESTINATION_CHANGED)


@dataclass(frozen=True, kw_only=True)
class PayoutLine:
    """One payout in words. ``has_moved``: it is held for its address; ``present`` is the one in the settings."""

    payout: Payout
    status: str
    tone: str
    amount: str
    chain_name: str
    where: str
    why: str
    next: str
    tx_url: str
    destination_url: str
    can_replay: bool
    can_resume: bool
    has_moved: bool
    present: str
    is_paused_by_you: bool
    is_agents: bool


def payout_line(payout: Payout) -> PayoutLine:
    """What is shown of a payout. Why no links in test mode: its transactions are on no chain."""
    known, is_live = chain(payout.chain), payout.mode == Mode.LIVE
    name = payout.chain if known is None else known.display_name
    has_moved = payout.status == PayoutStatus.PAUSED and payout.failure_reason == DESTINATION_CHANGED
    label, reason = STATUS[PayoutStatus(payout.status)], reason_words(payout.failure_reason)
    return PayoutLine(
        payout=payout,
        status=label.word,
        tone=label.tone,
        amount=f"{to_decimal_string(from_base_units(payout.base_units, payout.token_decimals))} {payout.token}",
        chain_name=name,
        where=where_words(payout, name),
        why=reason.what,
        next=reason.next,
        tx_url=(explorer_tx_url(payout.chain, payout.tx_hash) or "") if is_live and payout.tx_hash else "",
        destination_url=(explorer_address_url(payout.chain, payout.destination) or "") if is_live else "",
        can_replay=PAYOUT_MACHINE.allows(payout.status, "replay"),
        can_resume=PAYOUT_MACHINE.allows(payout.status, "resume") and payout.failure_reason not in _NOT_RESUMED,
        has_moved=has_moved,
        present=present_destination(payout) if has_moved else "",
        is_paused_by_you=payout.status == PayoutStatus.PAUSED and payout.failure_reason == MERCHANT_PAUSED,
        is_agents=payout.status == PayoutStatus.PAUSED and payout.failure_reason in set(HoldReason),
    )


def payout_of(visit: Visit, payout_id: UUID) -> Payout:
    """The merchant's payout in this mode. Raises: Http404."""
    found: Payout | None = Payout.objects.visible_to(visit.principal).filter(pk=payout_id).first()
    if found is None:
        raise Http404
    return found
