"""What the pages show of where payments settle, and of changes that wait."""

from collections.abc import Iterable
from dataclasses import dataclass

from chains.registry import Family, chain, explorer_address_url
from core.modes import Mode
from dashboard.cards import Task
from dashboard.visit import Visit
from merchants.acts import Act
from payments.models import PaymentIntent, SettlementChange, SettlementProfile
from payments.services.settlement import awaits_proof
from payments.services.settlement_changes import may_confirm
from payments.services.settlement_leftovers import given_up_address, paid_at_old_address, unpaid_at_old_address
from payments.services.settlement_mail import in_words, person_behind, shown
from payments.states import SettlementChangeStatus
from tokens.selectors import allowed_settlement_pairs

COUNTED, NAMED, LOOKED_BACK = 1000, 20, 5
"""At most so many payments are counted and named, and so many changes looked at."""
FAMILIES = {Family.EVM.value: "Ethereum and other EVM chains", Family.SOLANA.value: "Solana"}


@dataclass(frozen=True, kw_only=True)
class ChangeLine:
    """A change that waits, in words, and what this visitor may do with it."""

    change: SettlementChange
    title: str
    before: str
    after: str
    asked_by: str
    may_confirm: bool
    is_own: bool


@dataclass(frozen=True, kw_only=True)
class FamilyLine:
    """Where payments of one chain family settle."""

    family: str
    name: str
    profile: SettlementProfile | None
    chain_name: str
    url: str
    change_url: str
    prove_url: str
    awaits_proof: bool


@dataclass(frozen=True, kw_only=True)
class LeftoverLine:
    """Payments that still settle at an address that was given up. ``unpaid`` can be cancelled, ``paid`` stay."""

    change: SettlementChange
    address: str
    unpaid: int
    has_more: bool
    paid: list[PaymentIntent]
    url: str


def leftover_line(visit: Visit, change: SettlementChange) -> LeftoverLine | None:
    """What a change left behind; None where nothing is left."""
    unpaid = len(unpaid_at_old_address(change).values_list("pk", flat=True)[: COUNTED + 1])
    paid = list(paid_at_old_address(change).order_by("created_at", "pk")[:NAMED])
    if not unpaid and not paid:
        return None
    return LeftoverLine(
        change=change,
        address=given_up_address(change),
        unpaid=min(unpaid, COUNTED),
        has_more=unpaid > COUNTED,
        paid=paid,
        url=visit.url("settlement_leftovers", change_id=change.pk),
    )


def leftover_lines(visit: Visit) -> list[LeftoverLine]:
    """The same of the newest changes that took effect, each address once."""
    mine = SettlementChange.objects.visible_to(visit.principal).filter(status=SettlementChangeStatus.IN_EFFECT)
    newest = mine.filter(part__in=list(FAMILIES)).order_by("-ended_at", "-pk")[:LOOKED_BACK]
    lines = [line for change in newest if (line := leftover_line(visit, change)) is not None]
    return list({line.address: line for line in reversed(lines)}.values())


def change_line(visit: Visit, change: SettlementChange) -> ChangeLine:
    """One change as this visitor sees it."""
    return ChangeLine(
        change=change,
        title=in_words(change.part),
        before=shown(change.part, change.before),
        after=shown(change.part, change.after),
        asked_by=person_behind(change.requested_by),
        may_confirm=visit.may(Act.CHANGE_SETTLEMENT) and may_confirm(visit.principal, change),
        is_own=change.requested_by == visit.principal.actor,
    )


def waiting_changes(visit: Visit) -> list[SettlementChange]:
    """Those of the visitor's merchant and mode, oldest first; one per part at most."""
    mine = SettlementChange.objects.visible_to(visit.principal).filter(status=SettlementChangeStatus.WAITING)
    return list(mine.order_by("created_at", "pk"))


def family_lines(visit: Visit, profiles: Iterable[SettlementProfile]) -> list[FamilyLine]:
    """Both families, with what is set for each."""
    by_family = {profile.family: profile for profile in profiles}
    return [_family_line(visit, family, by_family.get(family)) for family in FAMILIES]


def _family_line(visit: Visit, family: str, profile: SettlementProfile | None) -> FamilyLine:
    """Why no link in test mode: nothing of it is on a chain."""
    known = None if profile is None else chain(profile.chain)
    url = explorer_address_url(known.name, profile.address) if known and profile and profile.mode == Mode.LIVE else ""
    chain_name = known.display_name if known else profile.chain if profile else ""
    return FamilyLine(
        family=family,
        name=FAMILIES[family],
        profile=profile,
        chain_name=chain_name,
        url=url or "",
        change_url=visit.url(f"settlement_{family}"),
        prove_url=visit.url(f"prove_{family}"),
        awaits_proof=profile is not None and awaits_proof(profile),
    )


def settlement_section(visit: Visit) -> dict[str, object]:
    """Everything of where this merchant's payments settle in this mode."""
    profiles = list(SettlementProfile.objects.visible_to(visit.principal).order_by("family"))
    return {
        "families": family_lines(visit, profiles),
        "has_profile": bool(profiles),
        "has_choice": len(profiles) > 1,
        "is_locked": any(profile.locked for profile in profiles),
        "default": next((FAMILIES[profile.family] for profile in profiles if profile.is_default), ""),
        "leftovers": leftover_lines(visit),
        "changes": [change_line(visit, change) for change in waiting_changes(visit)],
        "may_change": visit.may(Act.CHANGE_SETTLEMENT),
        "is_live": visit.mode == Mode.LIVE,
    }


def asset_choices(family: str) -> list[tuple[str, str]]:
    """What payments of a family can settle as: a value for the form, and its words."""
    found = [(pair, chain(pair["chain"])) for pair in allowed_settlement_pairs()]
    return [
        (f"{pair['chain']}:{pair['token']}", f"{pair['token']} on {known.display_name}")
        for pair, known in found
        if known is not None and known.family.value == family
    ]


def needs_of(visit: Visit) -> list[Task]:
    """Changes that wait: each could be somebody else's doing, so everybody who leads should have looked."""
    if not visit.may(Act.CHANGE_SETTLEMENT):
        return []
    waiting = waiting_changes(visit)
    for_me = [change for change in waiting if may_confirm(visit.principal, change)]
    url = visit.url("settings")
    return [
        Task(count=len(for_me), words="Settlement changes that you can confirm or withdraw", url=url, tone="bad"),
        Task(count=len(waiting) - len(for_me), words="Settlement changes that wait", url=url),
    ]


def has_address(visit: Visit) -> bool:
    """Whether payments have somewhere to settle by themselves."""
    return SettlementProfile.objects.visible_to(visit.principal).exists()
