"""A tool of the tests' own, put among the real ones: it tells whether it was run, and fails as it is told to."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from mcp.caller import Caller
from mcp.models import AgentRecord
from mcp.scopes import Scope
from mcp.tool import Arguments, Tool
from mcp.tools import registry, schemas
from tests.conftest import Reply
from tests.factories.rows import Rows, all_rows
from tests.mcp.agents import MODERN, Agent

PROBE = "probe"
ARGUMENTS: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "payment_intent_id": schemas.INTENT_ID,
        "amount_usd": {"type": "string", "pattern": r"^[0-9]+\.[0-9]{2}$"},
        "limit": {"type": "integer", "minimum": 1, "maximum": 100},
        "rate": {"type": "number", "exclusiveMinimum": 0, "multipleOf": 1},
        "status": {"type": "string", "enum": ["settled", "failed"]},
        "idempotency_key": schemas.IDEMPOTENCY_KEY,
        "include": {"type": "array", "items": {"type": "string", "enum": ["explain"]}, "maxItems": 2},
        "about": {"type": "object", "properties": {"order": {"type": "string"}}, "required": ["order"]},
    },
    "required": [],
    "additionalProperties": False,
}


@dataclass
class Probe:
    """What it was run with, and by whom; ``fails_with`` is raised by each run."""

    runs: list[dict[str, Any]] = field(default_factory=list)
    callers: list[Caller] = field(default_factory=list)
    fails_with: Exception | None = None
    gives: Mapping[str, Any] = field(default_factory=lambda: {"done": True})

    def run(self, caller: Caller, arguments: Arguments) -> Mapping[str, Any]:
        self.runs.append(dict(arguments))
        self.callers.append(caller)
        if self.fails_with is not None:
            raise self.fails_with
        return self.gives


def planted_probe(monkeypatch: pytest.MonkeyPatch, *, scope: Scope = Scope.READ_INTENTS) -> Probe:
    """Put a probe among the tools that can be called."""
    probe = Probe()
    tool = replace(_TOOL, scope=scope, run=probe.run)
    monkeypatch.setitem(registry._BY_NAME, PROBE, tool)
    return probe


_TOOL = Tool(
    name=PROBE,
    title="Probe",
    description="Tells whether it was run.",
    scope=Scope.READ_INTENTS,
    input_schema=ARGUMENTS,
    output_schema={"type": "object"},
    read_only=True,
    destructive=False,
    idempotent=True,
    open_world=False,
    run=lambda caller, arguments: {},
)


@dataclass(frozen=True)
class Scene:
    """An agent, a probe in reach, and how everything stood before."""

    agent: Agent
    probe: Probe
    before: Rows

    def call_probe(self, era: str = MODERN, **headers: str | None) -> Reply:
        """Call the probe as a good client does, but for these headers."""
        return self.agent.rpc("tools/call", {"name": PROBE, "arguments": {}}, era, **headers)

    def assert_untouched(self) -> None:
        """Nothing was run, nothing was written down as run, and nothing changed."""
        assert self.probe.runs == []
        assert AgentRecord.objects.count() == 0
        assert all_rows() == self.before
