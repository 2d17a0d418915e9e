"""The only identity that services know."""

from dataclasses import dataclass
from typing import Final

from core.modes import Mode

MERCHANT: Final = "merchant"
SERVICE: Final = "service"
_ROOMS: Final = {"": MERCHANT, "user": MERCHANT, "key": MERCHANT, "policy": SERVICE}


@dataclass(frozen=True, kw_only=True)
class Principal:
    """Somebody acting for one merchant in one mode.

    ``actor`` says who, for history and audit: ``key:12``, ``user:3``, ``agent:…``.
    """

    merchant_id: int
    mode: Mode
    actor: str

    is_authenticated = True

    @property
    def maker(self) -> str:
        """In whose room idempotency keys of this one lie: the merchant's people and keys are one maker, each
        connection of an agent is one, and so is the service itself. Source: docs/adr/0047.
        """
        return _ROOMS.get(self.actor.partition(":")[0], self.actor)

    @property
    def is_person(self) -> bool:
        """Whether a person decides this on the dashboard: the word that only people have."""
        return self.actor.startswith("user:")

    @property
    def is_service(self) -> bool:
        """Whether the service acts by itself, as a setting of the merchant says. What it does needs no key."""
        return self.maker == SERVICE

    @property
    def idempotency_scope(self) -> str:
        """Keys of other merchants, of the other mode and of other makers never meet this one's."""
        own = f"m{self.merchant_id}:{self.mode}"
        return own if self.maker == MERCHANT else f"{own}:{self.maker}"
