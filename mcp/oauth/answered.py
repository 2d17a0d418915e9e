"""A consent page is answered once."""

from datetime import timedelta
from typing import Final

from core.clock import now
from mcp.models import AnsweredConsent

_KEPT: Final = timedelta(hours=1)
"""Longer than a ticket is good for; after that its age alone refuses it."""


class AnsweredAlready(Exception):
    """The same page was answered before. Nothing was changed."""

    def __str__(self) -> str:
        """For the person who is looking at it."""
        return "This page was answered already. Nothing more was allowed. Start again from the agent."


def spend(nonce: str) -> None:
    """Answer the page of this nonce; of two answers at once the second one waits and is refused.

    Raises: AnsweredAlready.
    """
    _, is_first = AnsweredConsent.objects.get_or_create(nonce=nonce)
    if not is_first:
        raise AnsweredAlready
    AnsweredConsent.objects.filter(answered_at__lt=now() - _KEPT).delete()
