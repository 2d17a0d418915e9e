"""What tests of tools share: who calls, a call and a refusal as at the door, and an answer held against its schema."""

from collections.abc import Iterator
from typing import Any

import orjson
import pytest
from jsonschema import Draft202012Validator

from core.errors import ServiceError
from core.modes import Mode
from core.money import usd
from core.renderers import to_json
from mcp.arguments import checked_arguments
from mcp.caller import Caller
from mcp.models import AgentEffect
from mcp.scopes import Scope
from mcp.tool import Tool
from mcp.tools.registry import find_tool
from merchants.services import NewMerchant
from tests.factories.rows import Rows, all_rows
from tests.mcp.charter.stories import caller_of as as_caller
from tests.mcp.rows import connection_of
from tests.mcp.tools.kinds import unsafe

ALL = frozenset(scope.value for scope in Scope)
EVERYTHING = ["transactions", "routing", "refunds", "payouts", "explain"]
NOWHERE = "00000000-0000-4000-8000-000000000000"


def caller_of(account: NewMerchant, mode: Mode = Mode.TEST, scopes: frozenset[str] = ALL, **limits: Any) -> Caller:
    """An agent of this merchant: a thousand dollars a call and ten thousand a day unless said otherwise."""
    usual = {"per_call_usd": usd("1000"), "per_day_usd": usd("10000")}
    return as_caller(connection_of(account, mode, scopes=sorted(scopes), **usual | limits))


def tool_named(name: str) -> Tool:
    tool = find_tool(name)
    assert tool is not None
    return tool


def call(caller: Caller, name: str, **arguments: Any) -> dict[str, Any]:
    """Call a tool; its answer as it goes over the wire, which must be what its schema says."""
    tool = tool_named(name)
    answer: dict[str, Any] = orjson.loads(to_json(tool.run(caller, checked_arguments(tool, arguments))))
    assert_fits(tool, answer)
    return answer


def assert_fits(tool: Tool, answer: Any) -> None:
    """An answer is what the tool's schema says, and outside ``untrusted`` it holds texts of known kinds only."""
    validator = Draft202012Validator(tool.output_schema, format_checker=Draft202012Validator.FORMAT_CHECKER)
    assert [f"{error.json_path}: {error.message}" for error in validator.iter_errors(answer)] == []
    assert unsafe(list(texts(without_untrusted(answer)))) == []


def texts(value: Any, path: str = "") -> Iterator[tuple[str, str]]:
    """Every text of an answer with its place, names of members included."""
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, dict):
        for name, inner in value.items():
            yield f"{path}.{name}", name
            yield from texts(inner, f"{path}.{name}")
    elif isinstance(value, list):
        for inner in value:
            yield from texts(inner, f"{path}[]")


def without_untrusted(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: without_untrusted(inner) for name, inner in value.items() if name != "untrusted"}
    if isinstance(value, list):
        return [without_untrusted(inner) for inner in value]
    return value


def rows() -> Rows:
    """Every row that a refused call must leave alone, the counted effects among them."""
    effects: list[dict[str, Any]] = [dict(row) for row in AgentEffect.objects.order_by("pk").values()]
    return all_rows() | {"effects": effects}


def refusal(caller: Caller, name: str, **arguments: Any) -> ServiceError:
    """Why a call is refused, its arguments checked as at the door; nothing has changed by it."""
    before = rows()
    tool = tool_named(name)
    with pytest.raises(ServiceError) as refused:
        tool.run(caller, checked_arguments(tool, arguments))
    assert rows() == before
    return refused.value


def fields_of(error: ServiceError) -> list[tuple[str, str]]:
    """Which arguments a refusal names, each with its code."""
    return [(problem["field"], problem["code"]) for problem in error.details["fields"]]
