"""The only identity that services know."""

from dataclasses import dataclass

from core.modes import Mode


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
    def idempotency_scope(self) -> str:
        """Keys of other merchants and of the other mode never meet this one's."""
        return f"m{self.merchant_id}:{self.mode}"
