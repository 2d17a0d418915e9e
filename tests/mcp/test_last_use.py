"""A connection knows when it was last used, to the minute."""

from datetime import timedelta

import time_machine
from django.db import connection as database
from django.test.utils import CaptureQueriesContext

from core.clock import now
from mcp.models import AgentConnection
from tests.mcp.agents import LEGACY, Agent, nobody


def last_use(agent: Agent) -> object:
    """As it stands in the table."""
    return AgentConnection.objects.get(pk=agent.connection.pk).last_used_at


def writes(agent: Agent) -> int:
    """How often one harmless request writes."""
    with CaptureQueriesContext(database) as asked:
        assert agent.rpc("ping", era=LEGACY).status == 200
    return sum(not query["sql"].startswith("SELECT") for query in asked.captured_queries)


def test_it_is_written_at_most_once_a_minute(agent: Agent) -> None:
    began = now()
    with time_machine.travel(began, tick=False) as clock:
        assert (writes(agent), last_use(agent)) == (1, began)
        clock.shift(timedelta(seconds=59))
        assert (writes(agent), last_use(agent)) == (0, began)
        clock.shift(timedelta(seconds=1))
        assert (writes(agent), last_use(agent)) == (1, began + timedelta(seconds=60))


def test_a_refused_token_is_no_use(agent: Agent) -> None:
    AgentConnection.objects.update(revoked_at=now())
    assert agent.rpc("ping", era=LEGACY).status == 401
    assert nobody().rpc("ping", era=LEGACY).status == 401
    assert last_use(agent) is None
