"""Changing how a merchant's checkout looks: its words, colours and links as one, its logo apart."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from urllib.parse import urlsplit

from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import transaction

from checkout.branding.colours import read_colour
from checkout.branding.pictures import NoPicture, Picture, read_picture
from checkout.branding.sheets import FONTS, SHAPES
from checkout.models import Branding
from core.clock import now
from core.errors import InvalidRequest, field_problem
from merchants.audit import record_audit_for_both_modes
from merchants.models import Merchant
from merchants.principal import Principal

LONGEST_NAME, LONGEST_EMAIL, LONGEST_URL = 60, 254, 2048
_LINKS = ("support_url", "terms_url", "privacy_url")
_NEVER_IN_LINKS = ' \\"<>`{}|^'


@dataclass(frozen=True, kw_only=True)
class WantedLook:
    """What is asked for. Empty: no such link, and the business's own name."""

    display_name: str = ""
    accent: str
    shape: str
    font: str
    support_email: str = ""
    support_url: str = ""
    terms_url: str = ""
    privacy_url: str = ""


def look_problems(wanted: WantedLook) -> list[dict[str, str]]:
    """What is wrong with it, by field; nothing is written."""
    return list(_problems(wanted))


@transaction.atomic
def set_look(principal: Principal, wanted: WantedLook) -> Branding:
    """Have the merchant's checkout look so, in both modes. Saying it twice changes nothing.

    Raises: InvalidRequest. Locks: the merchant.
    """
    if problems := look_problems(wanted):
        raise InvalidRequest(details={"fields": problems})
    branding = _locked(principal)
    before = {name: getattr(branding, name) for name in asdict(wanted)}
    changed = {name: value for name, value in asdict(wanted).items() if value != before[name]}
    if not changed:
        return branding
    for name, value in changed.items():
        setattr(branding, name, value)
    _save(branding)
    record_audit_for_both_modes(
        principal, "look.changed", before={name: before[name] for name in changed}, after=changed
    )
    return branding


@transaction.atomic
def set_logo(principal: Principal, content: bytes) -> Branding:
    """Show this picture on the checkout. Raises: InvalidRequest where it is none that is taken. Locks: the merchant."""
    try:
        picture = read_picture(content)
    except NoPicture as fault:
        raise InvalidRequest(details={"fields": [field_problem("logo", "format", str(fault))]}) from None
    branding = _locked(principal)
    before = _shown(branding)
    _write_logo(branding, picture)
    record_audit_for_both_modes(principal, "look.logo_changed", before=before, after=_shown(branding))
    return branding


@transaction.atomic
def remove_logo(principal: Principal) -> Branding:
    """Show no picture any more. Locks: the merchant."""
    branding = _locked(principal)
    if branding.logo is not None:
        before = _shown(branding)
        _write_logo(branding, Picture(content=b"", media_type="", width=0, height=0))
        record_audit_for_both_modes(principal, "look.logo_changed", before=before, after=_shown(branding))
    return branding


def _locked(principal: Principal) -> Branding:
    Merchant.objects.select_for_update(no_key=True).get(pk=principal.merchant_id)
    found: Branding | None = Branding.objects.filter(merchant_id=principal.merchant_id).first()
    return found or Branding(merchant_id=principal.merchant_id)


def _write_logo(branding: Branding, picture: Picture) -> None:
    branding.logo = picture.content or None
    branding.logo_type, branding.logo_width, branding.logo_height = picture.media_type, picture.width, picture.height
    _save(branding)


def _save(branding: Branding) -> None:
    branding.version += 1
    branding.changed_at = now()
    branding.save()


def _shown(branding: Branding) -> dict[str, object]:
    if branding.logo is None:
        return {"logo": "none"}
    size = f"{branding.logo_width} × {branding.logo_height}"
    return {"logo": f"{branding.logo_type}, {size}, {len(branding.logo)} bytes"}


def _problems(wanted: WantedLook) -> Iterator[dict[str, str]]:
    name = wanted.display_name
    if len(name) > LONGEST_NAME or not name.isprintable():
        yield field_problem("display_name", "format", f"At most {LONGEST_NAME} printable characters.")
    if read_colour(wanted.accent) is None:
        yield field_problem("accent", "format", "A colour is # and six hexadecimal digits, such as #1f4fd1.")
    if wanted.shape not in SHAPES:
        yield field_problem("shape", "unknown_value", "Choose one of these.")
    if wanted.font not in FONTS:
        yield field_problem("font", "unknown_value", "Choose one of these.")
    if wanted.support_email and not _is_email(wanted.support_email):
        yield field_problem("support_email", "format", "This is no e-mail address.")
    for link in _LINKS:
        if not _is_safe_link(getattr(wanted, link)):
            yield field_problem(link, "format", "A link begins with https:// and has no user name in it.")


def _is_email(text: str) -> bool:
    try:
        validate_email(text)
    except ValidationError:
        return False
    return len(text) <= LONGEST_EMAIL and text.isascii()


def _is_safe_link(text: str) -> bool:
    """Whether payers may be sent there, or nothing is said."""
    if not text:
        return True
    try:
        address = urlsplit(text)
        host, _ = address.hostname, address.port  # an impossible port shows only when it is read
    except ValueError:
        return False
    is_plain = (
        len(text) <= LONGEST_URL and text.isprintable() and text.isascii() and not set(text) & set(_NEVER_IN_LINKS)
    )
    return bool(host) and address.scheme == "https" and "@" not in address.netloc and is_plain
