"""Counts how often this process waits for the database, where the driver writes down what goes over the wire."""

import os
import tempfile
from collections.abc import Callable

from django.db import connection

WARM_UP = 8
"""Why more than five: the driver prepares a statement at its fifth use, and that is a round trip of its own."""


def count_round_trips(action: Callable[[], object]) -> int:
    """Times that a warm connection waits for the database: statements, BEGIN and COMMIT.

    Why the least of three: once a second, the connection is also asked whether it lives.
    """
    for _ in range(WARM_UP):
        action()
    return min(traced(action) for _ in range(3))


def traced(action: Callable[[], object]) -> int:
    """Round trips of an action, counted where the driver writes down what goes over the wire."""
    with tempfile.TemporaryFile("w+") as seen:
        connection.connection.pgconn.trace(os.dup(seen.fileno()))
        action()
        connection.connection.pgconn.untrace()
        seen.seek(0)
        return seen.read().count("ReadyForQuery")
