"""Where a merchant settles, as this process remembers it. A statement that goes by it checks that it still holds."""

from dataclasses import dataclass
from typing import Final

from django.db.models.expressions import RawSQL

from merchants.principal import Principal
from payments.models import SettlementProfile

MOST_REMEMBERED: Final = 10_000
STILL_HOLD: Final = """
    AND (%(profiles)s::text IS NULL OR %(profiles)s::text = coalesce((
        SELECT string_agg(profile::text, chr(10) ORDER BY profile.id) FROM payments_settlementprofile AS profile
        WHERE profile.merchant_id = caller.merchant_id AND profile.mode = caller.mode
    ), ''))
"""
"""Beside ``IS_GOOD``: the merchant's profiles are what was remembered, to the last column; null: they do not matter."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Profiles:
    """A merchant's profiles of one mode, and the text by which PostgreSQL tells them from any others."""

    rows: tuple[SettlementProfile, ...]
    text: str


_remembered: dict[tuple[int, str], Profiles] = {}


def known_profiles(principal: Principal) -> Profiles | None:
    """A merchant's profiles, where they were learnt."""
    return _remembered.get((principal.merchant_id, principal.mode.value))


def learn_profiles(principal: Principal) -> None:
    """Read a merchant's profiles, unless they are known."""
    key = principal.merchant_id, principal.mode.value
    if key not in _remembered:
        if len(_remembered) >= MOST_REMEMBERED:
            _remembered.clear()
        _remembered[key] = _read(principal)


def forget_profiles(principal: Principal) -> None:
    """Read a merchant's anew at its next request."""
    _remembered.pop((principal.merchant_id, principal.mode.value), None)


def forget_all_profiles() -> None:
    """Know of nobody's."""
    _remembered.clear()


def _read(principal: Principal) -> Profiles:
    as_text = RawSQL("payments_settlementprofile::text", ())
    rows = tuple(SettlementProfile.objects.visible_to(principal).annotate(as_text=as_text).order_by("id"))
    return Profiles(rows=rows, text="\n".join(row.as_text for row in rows))
