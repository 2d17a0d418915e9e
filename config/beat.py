"""The clock that sends what happens by the clock, while somebody takes it, and writes down that it ticks."""

import logging
from typing import Any

from celery.beat import PersistentScheduler
from django.db import Error, close_old_connections

from config.broker import has_room
from core.clock import ticks
from core.dispatch import BEAT, SIGN_OF_LIFE_SECONDS
from core.heartbeats import note_alive

logger = logging.getLogger("causeway.beat")


class NotedScheduler(PersistentScheduler):
    """Celery's own scheduler, whose sign of life tells a dead clock from a dead worker."""

    _next = 0.0

    def tick(self, *arguments: Any, **named: Any) -> float:
        """Send what is due. A database that is away stops no tick."""
        wait: float = super().tick(*arguments, **named)
        if ticks() >= self._next:
            self._next = ticks() + SIGN_OF_LIFE_SECONDS
            try:
                close_old_connections()
                note_alive(BEAT)
            except Error as error:
                logger.warning("the clock's sign of life was not written: %s", type(error).__name__)
        return wait

    def apply_async(self, entry: Any, producer: Any = None, advance: bool = True, **named: Any) -> Any:  # noqa: FBT001, FBT002 - Celery's own
        """Send one message; none where enough are waiting, since nobody takes them."""
        sender = producer or self.producer
        if has_room(sender.channel, entry.task, entry.options.get("queue")):
            return super().apply_async(entry, producer=sender, advance=advance, **named)
        return None
