"""Counts what is asked of nodes, and how much of the database and the processor something takes."""

import json
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from unittest.mock import patch

from django.db.backends.utils import CursorWrapper

from chains.clients.channel import Channel


@dataclass
class Cost:
    """What something took: questions by method, statements, seconds, and seconds of this process's processor."""

    asked: Counter[str] = field(default_factory=Counter)
    statements: int = 0
    seconds: float = 0
    processor: float = 0

    def each(self, count: int) -> str:
        """The same for people, for each of so many."""
        return (
            f"{self.processor / count * 1000:.1f} ms of processor, {self.statements / count:.1f} statements and "
            f"{sum(self.asked.values()) / count:.1f} questions each"
        )


@contextmanager
def counted() -> Iterator[Cost]:
    """What this process does inside the block, all its threads together."""
    cost, exchange, execute = Cost(), Channel.exchange, CursorWrapper.execute

    def exchange_counted(self: Channel, body: bytes, number: int) -> dict[str, Any]:
        cost.asked[json.loads(body)["method"]] += 1
        return exchange(self, body, number)

    def execute_counted(self: CursorWrapper, sql: str, params: Any = None) -> Any:
        cost.statements += 1
        return execute(self, sql, params)

    began, processor = time.monotonic(), time.process_time()
    with patch.object(Channel, "exchange", exchange_counted), patch.object(CursorWrapper, "execute", execute_counted):
        yield cost
    cost.seconds, cost.processor = time.monotonic() - began, time.process_time() - processor
