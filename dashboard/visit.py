"""A member looking at one merchant's dashboard in one mode: what every page is given."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from django.urls import reverse

from core.modes import Mode
from merchants.acts import Act, may
from merchants.models import Merchant, Role, User
from merchants.principal import Principal


def site_name(mode: Mode) -> str:
    """Under which name Django knows a mode's site."""
    return f"dashboard_{mode}"


def url_in(mode: Mode, name: str, **place: object) -> str:
    """The address of a page in a mode."""
    return reverse(f"admin:{name}", current_app=site_name(mode), kwargs=place or None)


@dataclass(frozen=True, kw_only=True)
class Visit:
    """Who looks at what."""

    person: User
    merchant: Merchant
    role: Role
    principal: Principal
    asked: Mapping[str, str] = field(default_factory=dict)
    """What the address asks for behind its question mark, as it came."""

    @property
    def mode(self) -> Mode:
        """The world that is looked at."""
        return self.principal.mode

    def may(self, act: Act) -> bool:
        """Whether the person's role allows it."""
        return may(self.role, act)

    def url(self, name: str, **place: object) -> str:
        """The address of a page in this mode."""
        return url_in(self.mode, name, **place)
