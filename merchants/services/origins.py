"""The pages that may use a merchant's publishable keys and frame its checkout: one list for each mode."""

from collections.abc import Collection

from django.conf import settings
from django.db import transaction

from core.errors import InvalidRequest, NotFound, field_problem
from core.modes import Mode
from merchants.audit import record_audit
from merchants.errors import OriginLimit
from merchants.models import AllowedOrigin, Merchant, RefusedOrigin
from merchants.origins import OriginRefusedError, address_origin, is_browsers_own, is_match, origin_text
from merchants.principal import Principal
from merchants.refused_origins import refused

MOST_ORIGINS = 20
"""Source: docs/guides/dashboard.md, Keys and origins."""


def allowed_origins(merchant_id: int, mode: Mode) -> tuple[str, ...]:
    """The listed origins in the order of their making, as browsers write them, some with ``*.`` before the host."""
    mine = AllowedOrigin.objects.filter(merchant_id=merchant_id, mode=mode)
    return tuple(mine.order_by("pk").values_list("origin", flat=True))


def may_use_publishable_key(merchant_id: int, mode: Mode, origin: str) -> bool:
    """Whether a page may use a publishable key. In test mode every page may as long as none is listed.

    Why what is no page of a browser may too, then: programs send no origin. ``null`` may not: it is nobody's.
    Source: docs/guides/embed.md, Which pages may.
    """
    listed = allowed_origins(merchant_id, mode)
    if not listed and mode == Mode.TEST and (not origin or is_browsers_own(origin)):
        return True
    if is_match(listed, origin):
        return True
    note_refused(merchant_id, mode, origin)
    return False


def may_frame(merchant_id: int, mode: Mode, origin: str) -> bool:
    """Whether a page may show a checkout of the merchant in a frame: as with keys, but it must be a page.

    Source: docs/guides/embed.md, Which pages may.
    """
    return is_browsers_own(origin) and may_use_publishable_key(merchant_id, mode, origin)


def is_allowed(merchant_id: int, mode: Mode, origin: str) -> bool:
    """Whether an origin is on the list; an empty list has none."""
    return is_match(allowed_origins(merchant_id, mode), origin)


def origin_of(url: str, mode: Mode) -> str | None:
    """The origin of a whole address, as a browser would send it; None for what people may not be sent to at all."""
    try:
        return address_origin(url, mode)
    except OriginRefusedError:
        return None


def may_return_to(merchant_id: int, mode: Mode, url: str) -> bool:
    """Whether payers may be sent to this address: on a listed origin or our own, on any where none is listed."""
    return may_return(allowed_origins(merchant_id, mode), mode, url)


def may_return(listed: Collection[str], mode: Mode, url: str) -> bool:
    """The same of a list that was read."""
    return not listed or url.startswith(f"{settings.BASE_URL}/") or is_match(listed, origin_of(url, mode) or "")


def note_refused(merchant_id: int, mode: Mode, origin: str) -> None:
    """Remember that a page was refused, to show it on the dashboard. Written later, so that nobody waits."""
    refused.note(merchant_id, mode, origin)


@transaction.atomic
def allow_origin(principal: Principal, text: str) -> AllowedOrigin:
    """List an origin; again changes nothing.

    Raises: InvalidRequest for what is none, OriginLimit. Locks: the merchant.
    """
    try:
        origin = origin_text(text, principal.mode)
    except OriginRefusedError as error:
        raise InvalidRequest(details={"fields": [field_problem("origin", "format", str(error))]}) from error
    Merchant.objects.select_for_update(no_key=True).get(pk=principal.merchant_id)
    mine = AllowedOrigin.objects.visible_to(principal)
    known: AllowedOrigin | None = mine.filter(origin=origin).first()
    if known is not None:
        return known
    if mine.count() >= MOST_ORIGINS:
        raise OriginLimit(details={"limit": MOST_ORIGINS})
    made = AllowedOrigin.objects.create(merchant_id=principal.merchant_id, mode=principal.mode, origin=origin)
    record_audit(principal, "origin.allowed", origin)
    refused = RefusedOrigin.objects.visible_to(principal)  # what the new entry lets in needs nobody any more
    refused.filter(pk__in=[row.pk for row in refused if is_match([origin], row.origin)]).delete()
    return made


@transaction.atomic
def remove_origin(principal: Principal, origin_id: int) -> str:
    """Take an origin off the list; the origin. Raises: NotFound. Locks: the row."""
    row = AllowedOrigin.objects.visible_to(principal).select_for_update().filter(pk=origin_id).first()
    if row is None:
        raise NotFound("origin")
    origin = str(row)
    row.delete()
    record_audit(principal, "origin.removed", origin)
    return origin
