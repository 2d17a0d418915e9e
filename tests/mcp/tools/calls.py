"""What tests of tools share: who calls, a call whose arguments and answer are held against the schemas, its texts."""

from collections.abc import Iterator
from typing import Any

import orjson
from jsonschema import Draft202012Validator

from core.modes import Mode
from core.renderers import to_json
from mcp.caller import Caller
from mcp.models import AgentConnection, Application
from mcp.scopes import Scope
from mcp.services.arguments import checked_arguments
from mcp.tools.base import Tool
from mcp.tools.registry import find_tool
from merchants.principal import Principal
from merchants.services import NewMerchant
from tests.mcp.tools.kinds import unsafe

ALL = frozenset(scope.value for scope in Scope)
NOWHERE = "00000000-0000-4000-8000-000000000000"


def caller_of(account: NewMerchant, mode: Mode = Mode.TEST, scopes: frozenset[str] = ALL) -> Caller:
    """An agent of this merchant with these scopes."""
    application = Application.objects.create(
        name="Shopkeeper",
        client_type=Application.CLIENT_PUBLIC,
        authorization_grant_type=Application.GRANT_AUTHORIZATION_CODE,
        redirect_uris="http://127.0.0.1:7777/callback",
    )
    connection = AgentConnection.objects.create(
        merchant=account.merchant, mode=mode, user=account.owner, application=application, scopes=sorted(scopes)
    )
    principal = Principal(merchant_id=account.merchant.pk, mode=mode, actor=connection.actor)
    return Caller(principal=principal, connection=connection, scopes=scopes)


def tool_named(name: str) -> Tool:
    """The tool, which must exist."""
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
    """An answer without every ``untrusted`` in it."""
    if isinstance(value, dict):
        return {name: without_untrusted(inner) for name, inner in value.items() if name != "untrusted"}
    if isinstance(value, list):
        return [without_untrusted(inner) for inner in value]
    return value
