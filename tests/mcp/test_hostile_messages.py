"""No message whatever breaks the agents' door: it refuses by the protocol's own codes, and then runs nothing."""

import json
from decimal import Decimal
from itertools import cycle, islice, product
from typing import Any

import pytest
from django.db import transaction
from hypothesis import given
from hypothesis import strategies as some

from mcp.protocol.envelope import Request, read_message
from mcp.protocol.eras import Era, RoutingHeaders, check_modern, era_of
from mcp.protocol.faults import HTTP_STATUSES, Fault
from mcp.tools.registry import TOOLS
from tests.conftest import Reply
from tests.core.hostile_bodies import HOSTILE, MEGABYTE, Hostile
from tests.fuzz.hostile_headers import HEADERS, QUERIES
from tests.mcp.agents import ENVELOPE, MODERN, Agent
from tests.mcp.probe import Scene

UNREADABLE = {"not_json", "not_utf8", "not_a_number"}
BODIES = [hostile for hostile in HOSTILE if hostile.status == 400 or len(hostile.body) < MEGABYTE]


def assert_refused(reply: Reply, what: str) -> None:
    """Check that an answer above 399 has the protocol's form, and that none is above 499."""
    assert reply.status < 500, f"{what}: {reply.raw[:300]!r}"
    assert reply.headers["Request-Id"].startswith("req_"), what
    if reply.status >= 400 and reply.raw:
        assert reply.headers["Content-Type"] == "application/json", what
        assert reply.body["error"]["code"] in HTTP_STATUSES, what
        assert reply.body["error"]["message"], what


def expected(hostile: Hostile) -> tuple[int, int]:
    if hostile.status != 400:
        return hostile.status, -32600
    return 400, -32700 if hostile.reason in UNREADABLE or not hostile.body else -32600


def test_no_body_breaks_it(scene: Scene) -> None:
    for hostile in BODIES:
        headers = {name.replace("-", "_"): value for name, value in hostile.headers.items()}
        reply = scene.agent.send(hostile.body, Content_Type=hostile.content_type, **headers)
        assert_refused(reply, hostile.name)
        assert (reply.status, reply.body["error"]["code"]) == expected(hostile), hostile.name
    scene.assert_untouched()


OUR_HEADERS = ("Mcp_Protocol_Version", "Mcp_Method", "Mcp_Name", "Authorization", "Origin")
STRANGE = ("\x00", "\xff\xfe", "\ud7ff", "x" * 100_000, "=?base64?" + "A" * 99_999 + "?=", "\r\nX: 1", "''--")


def test_no_header_or_query_breaks_it(scene: Scene) -> None:
    for name, headers in HEADERS.items():
        reply = scene.agent.send(b"{}", **{header.replace("-", "_"): value for header, value in headers.items()})
        assert_refused(reply, name)
        assert reply.status >= 400, name
        assert reply.headers["Request-Id"] != "req_mine"
        assert "Access-Control-Allow-Origin" not in reply.headers
    for header, value in product(OUR_HEADERS, STRANGE):
        reply = scene.call_probe(**{header: value})
        assert_refused(reply, f"{header}: {value[:9]!r}")
        assert reply.status >= 400
    for query in QUERIES:
        reply = scene.agent.send(b"{}", "POST", f"/mcp?{query}")
        assert_refused(reply, query)
        assert reply.status == 400
    scene.assert_untouched()


VALUES: list[Any] = [
    *(None, True, False, 0, -1, 10**17, Decimal(10) ** 299, Decimal("1e-299"), Decimal("0.1"), "", "x", "\n", "0"),
    *("-1", "x" * 10_000, "é", "\u202e", "${7*7}", "'; DROP TABLE x; --", "../../etc/passwd", [], {}, [[]], [None]),
    *({"a": {}}, "00000000-0000-4000-8000-000000000000", "pi_00000000-0000-4000-8000-000000000000", "1e5", "NaN"),
    *("Infinity", ["x"] * 1000, {"__proto__": {}, "__class__": 1}, {str(number): number for number in range(300)}),
]
HERE = 3


def written(value: Any) -> str:
    return str(value) if isinstance(value, Decimal) else json.dumps(value)


ARGUMENTS = [(tool, argument) for tool in TOOLS for argument in tool.input_schema["properties"]]


def test_no_value_breaks_any_tool(agent: Agent) -> None:
    """Each argument has some of the values, and each value its turn at some arguments; the tool answers, or refuses."""
    dealt = cycle(VALUES)
    for tool, argument in ARGUMENTS:
        good = dict.fromkeys(tool.input_schema["required"], '"00000000-0000-4000-8000-000000000000"')
        for value in islice(dealt, HERE):
            body = ",".join(f'"{name}":{text}' for name, text in {**good, argument: written(value)}.items())
            params = f'{{"name":"{tool.name}","arguments":{{{body}}}}}'
            with transaction.atomic():  # what some tools may rightly do with some of these values is taken back
                reply = agent.send(f'{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{params}}}'.encode())
                transaction.set_rollback(True)
            assert reply.status == 200, (tool.name, argument, value)
            assert "result" in reply.body, (tool.name, argument, repr(value)[:80], reply.raw[:300])


@given(
    body=some.binary(max_size=80) | some.text(alphabet='{}[]":,0eE.-\\u jsonrpcmethodid', max_size=80).map(str.encode)
)
def test_any_bytes_are_read_or_refused(body: bytes) -> None:
    with pytest.raises(Fault) as refused:
        read_message(body)
    assert HTTP_STATUSES[refused.value.code] == 400


JSON = some.recursive(
    some.none() | some.booleans() | some.integers() | some.text(max_size=8),
    lambda inner: some.lists(inner, max_size=3) | some.dictionaries(some.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
MEMBERS = {
    "jsonrpc": some.just("2.0") | JSON,
    "id": some.integers() | some.text(max_size=4) | JSON,
    "method": some.sampled_from(["tools/call", "server/discover", "initialize"]) | some.text(max_size=8) | JSON,
    "params": some.fixed_dictionaries({}, optional={"name": JSON, "_meta": some.just(ENVELOPE) | JSON}) | JSON,
}
HEADER = (
    some.none() | some.sampled_from([MODERN, "2025-11-25", "tools/call", "server/discover"]) | some.text(max_size=12)
)


@given(message=some.fixed_dictionaries({}, optional=MEMBERS), version=HEADER, method=HEADER, name=HEADER)
def test_any_message_is_taken_or_refused(
    message: dict[str, Any], version: str | None, method: str | None, name: str | None
) -> None:
    headers = RoutingHeaders(version=version, method=method, name=name)
    refused = []
    try:
        read = read_message(json.dumps(message).encode())
        assert isinstance(read, Request) or "id" not in message
        if isinstance(read, Request) and era_of(read, headers) is Era.MODERN:
            check_modern(read, headers)
            assert version == MODERN == (read.meta or {})["io.modelcontextprotocol/protocolVersion"]
            assert method == read.method
    except Fault as fault:
        refused = [HTTP_STATUSES[fault.code]]
    assert refused in ([], [400])
