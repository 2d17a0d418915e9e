"""Has something else committed while the code under test reads: after any of its statements."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from django.db import connection


@dataclass
class Statements:
    """How many were asked so far."""

    asked: int = 0


@contextmanager
def changed_after(statements: int, change: Callable[[], object]) -> Iterator[Statements]:
    """Make the change once this many statements were asked; the count tells afterwards whether it came to that."""
    counted = Statements()

    def note(execute: Callable[..., Any], *arguments: Any) -> Any:
        answer = execute(*arguments)
        counted.asked += 1
        if counted.asked == statements:
            change()
        return answer

    with connection.execute_wrapper(note):
        yield counted
