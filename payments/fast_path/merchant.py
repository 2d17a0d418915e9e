"""What a merchant has set, as this process remembers it. A statement that goes by it checks that it still holds."""

from dataclasses import dataclass
from typing import Final

from django.db.models.expressions import RawSQL

from core.modes import Mode
from merchants.principal import Principal
from merchants.services.origins import allowed_origins
from payments.models import SettlementProfile

MOST_REMEMBERED: Final = 10_000
STILL_HOLD: Final = """
    AND (%(profiles)s::text IS NULL OR %(profiles)s::text = coalesce((
        SELECT string_agg(profile::text, chr(10) ORDER BY profile.id) FROM payments_settlementprofile AS profile
        WHERE profile.merchant_id = caller.merchant_id AND profile.mode = caller.mode
    ), ''))
    AND (%(origins)s::text IS NULL OR %(origins)s::text = coalesce((
        SELECT string_agg(listed.origin, chr(10) ORDER BY listed.id) FROM merchants_allowedorigin AS listed
        WHERE listed.merchant_id = caller.merchant_id AND listed.mode = caller.mode
    ), ''))
"""
"""Beside ``IS_GOOD``: the merchant's profiles are what was remembered, to the last column, and so are the origins that
it listed; null: they do not matter."""


@dataclass(frozen=True, kw_only=True, slots=True)
class MerchantSettings:
    """Where a merchant settles in one mode, and where it sends payers; with the texts by which PostgreSQL compares."""

    profiles: tuple[SettlementProfile, ...]
    profiles_text: str
    origins: tuple[str, ...]
    origins_text: str


_remembered: dict[tuple[int, Mode], MerchantSettings] = {}


def known_settings(principal: Principal) -> MerchantSettings | None:
    """A merchant's settings, where they were learnt."""
    return _remembered.get((principal.merchant_id, principal.mode))


def learn_settings(principal: Principal) -> None:
    """Read a merchant's settings, unless they are known."""
    key = principal.merchant_id, principal.mode
    if key not in _remembered:
        if len(_remembered) >= MOST_REMEMBERED:
            _remembered.clear()
        _remembered[key] = _read(principal)


def forget_settings(principal: Principal) -> None:
    """Read a merchant's again at its next request."""
    _remembered.pop((principal.merchant_id, principal.mode), None)


def forget_all_settings() -> None:
    """Know of nobody's."""
    _remembered.clear()


def _read(principal: Principal) -> MerchantSettings:
    as_text = RawSQL("payments_settlementprofile::text", ())
    rows = tuple(SettlementProfile.objects.visible_to(principal).annotate(as_text=as_text).order_by("id"))
    origins = allowed_origins(principal.merchant_id, principal.mode)
    return MerchantSettings(
        profiles=rows,
        profiles_text="\n".join(row.as_text for row in rows),
        origins=origins,
        origins_text="\n".join(origins),
    )
