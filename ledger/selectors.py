"""What the books say: balances, and what was booked."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.db.models import Q, QuerySet

from ledger.accounts import Account
from ledger.models import Posting, Statement
from ledger.standing import Amount, added
from ledger.statements import Asset, closing_of, ends, summed
from merchants.principal import Principal

MOST_ASSETS: Final = 200


@dataclass(frozen=True, kw_only=True)
class Balance:
    """What is on each account of one asset."""

    asset: Asset
    amounts: dict[Account, Amount]


def balances(principal: Principal) -> list[Balance]:
    """What is on each account of each asset: the newest statements, and what was booked since."""
    return [balance_of(principal, *place) for place in _places(principal)]


def balance_of(principal: Principal, chain: str, token_address: str) -> Balance:
    """The same of one asset."""
    asset = Asset(principal.merchant_id, str(principal.mode), chain, token_address)
    statement = Statement.objects.filter(**asset._asdict()).order_by("-day", "-pk").first()
    since = Posting.objects.filter(**asset._asdict())
    if statement is not None:
        since = since.filter(booked_at__gte=ends(statement.day))
    found = added(closing_of(statement), summed(since.order_by("booked_at", "pk").iterator()))
    return Balance(asset=asset, amounts={account: amount for account, amount in found.items() if amount != Amount()})


def booked_between(principal: Principal, place: Q, since: datetime | None, until: datetime | None) -> QuerySet[Posting]:
    """What was booked in that time, newest first; ``place`` narrows it further."""
    rows = Posting.objects.visible_to(principal).filter(place)
    if since is not None:
        rows = rows.filter(booked_at__gte=since)
    if until is not None:
        rows = rows.filter(booked_at__lt=until)
    return rows.order_by("-booked_at", "-pk")


def entry_of(principal: Principal, posting_id: int) -> list[Posting]:
    """All postings of the entry that one of them belongs to, debits first; none where this principal has no such."""
    mine = Posting.objects.visible_to(principal)
    row = mine.filter(pk=posting_id).first()
    if row is None:
        return []
    same = mine.filter(source=row.source, source_id=row.source_id, entry=row.entry)
    return sorted(same.order_by("pk"), key=lambda one: (-one.base_units, -one.amount_usd))


def _places(principal: Principal) -> Iterator[tuple[str, str]]:
    """Each chain and token of which something was booked, one step over the index for each of them."""
    mine = Posting.objects.visible_to(principal).order_by("chain", "token_address", "booked_at", "pk")
    places = mine.values_list("chain", "token_address")
    place = places.first()
    for _ in range(MOST_ASSETS):
        if place is None:
            return
        yield place
        chain, token_address = place
        place = places.filter(Q(chain__gt=chain) | Q(chain=chain, token_address__gt=token_address)).first()
