"""A worker whose broker goes away while it is at a task lets go of the connection, and lives. Shown on a real Redis."""

from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from config.broker import ReturningConnection
from tests.journeys.attacks import own_redis
from tests.machine import PATIENCE_SECONDS

pytestmark = pytest.mark.postgres


def test_a_lost_connection_is_let_go_of_while_a_message_is_worked_on(tmp_path: Path) -> None:
    """As Celery does it: it collects what the connection held, whatever hinders that, and then closes it.

    Two channels wait for messages, as in a worker, and one of them was given a message that a task is at.
    """
    with own_redis(tmp_path) as server:
        connection = ReturningConnection(server.environment["REDIS_URL"])
        queue = connection.SimpleQueue("planted")
        queue.put({})
        assert queue.get(timeout=PATIENCE_SECONDS).acknowledged is False
        other: Any = connection.channel()
        transport: Any = connection.transport
        other.basic_consume("planted", no_ack=True, callback=print, consumer_tag="other")
        usual: Any = connection.default_channel
        for channel in (usual, other):
            transport.cycle._register_BRPOP(channel)
        server.kill()
        with suppress(Exception):
            connection.collect(socket_timeout=1)
        connection.close()
        assert connection.connected is False
        usual.do_restore = False  # nor when the test run ends
