"""Reads of replays."""

from uuid import UUID

from core.errors import NotFound
from core.ids import parse_public_id
from merchants.principal import Principal
from merchants.querysets import find_visible
from theatre.models import Replay


def find_replay(principal: Principal, text: str) -> Replay:
    """The principal's replay with this id. Raises: NotFound."""
    key: UUID | None = parse_public_id(text, "rpl_")
    found = None if key is None else find_visible(Replay, principal, key)
    if found is None:
        raise NotFound("replay")
    return found


def newest_replays(principal: Principal, most: int) -> list[Replay]:
    """The principal's replays, the newest first, without what they showed."""
    rows = Replay.objects.visible_to(principal).defer("scenario", "steps").order_by("-created_at", "-id")
    return list(rows[:most])
