"""A look as the payer's page draws it."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from django.urls import reverse
from django.utils.translation import gettext as _

from checkout.models import Branding


class Brand(NamedTuple):
    """What stands around a payment: empty addresses where the merchant gave none."""

    name: str
    sheet: str = ""
    logo: str = ""
    logo_width: int = 0
    logo_height: int = 0
    links: tuple[tuple[str, str], ...] = ()


def shown_brand(branding: Branding | None, business_name: str) -> Brand:
    """The look of a page; the business's own name and nothing else where none was chosen."""
    if branding is None:
        return Brand(business_name)
    where: dict[str, Any] = {"handle": branding.handle, "version": branding.version}
    return Brand(
        name=branding.display_name or business_name,
        sheet=reverse("brand-sheet", kwargs=where),
        logo=reverse("brand-logo", kwargs=where) if branding.logo_type else "",
        logo_width=branding.logo_width,
        logo_height=branding.logo_height,
        links=tuple(_links(branding)),
    )


def _links(branding: Branding) -> Iterator[tuple[str, str]]:
    if branding.support_url:
        yield branding.support_url, _("Help")
    if branding.support_email:
        yield f"mailto:{branding.support_email}", _("Write to us")
    if branding.terms_url:
        yield branding.terms_url, _("Terms")
    if branding.privacy_url:
        yield branding.privacy_url, _("Privacy")
