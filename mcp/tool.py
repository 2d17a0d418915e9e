"""What a tool is: its name and words, its schemas, its hints, the scope it needs, and the few lines that it runs."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from mcp.caller import Caller
from mcp.scopes import Scope

Schema = Mapping[str, Any]
Arguments = Mapping[str, Any]
Result = Mapping[str, Any]
Run = Callable[[Caller, Arguments], Result]


@dataclass(frozen=True, kw_only=True)
class Tool:
    """One effect. ``run`` raises ``ServiceError`` for every refusal; what it gives must match ``output_schema``.

    The four hints are explicit. Source: docs/design/agents.md, Four hints.
    """

    name: str
    title: str
    description: str
    scope: Scope
    input_schema: Schema
    output_schema: Schema
    read_only: bool
    destructive: bool
    idempotent: bool
    open_world: bool
    run: Run

    @property
    def annotations(self) -> Schema:
        """The hints as they are advertised."""
        return {
            "title": self.title,
            "readOnlyHint": self.read_only,
            "destructiveHint": self.destructive,
            "idempotentHint": self.idempotent,
            "openWorldHint": self.open_world,
        }
