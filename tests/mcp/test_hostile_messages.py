"""No message whatever breaks the agents' door: it refuses by the protocol's own codes, and then runs nothing."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal
from itertools import cycle, islice, product
from typing import Any

import pytest
from django.db import transaction
from hypothesis import given
from hypothesis import strategies as some

from mcp.protocol.envelope import Notification, Request, read_message
from mcp.protocol.eras import Era, RoutingHeaders, check_modern, era_of
from mcp.protocol.faults import HTTP_STATUSES, Fault
from mcp.tools.registry import TOOLS
from tests.conftest import Reply
from tests.core.hostile_bodies import HOSTILE, MEGABYTE, Hostile
from tests.factories.rows import all_rows
from tests.fuzz.hostile_headers import HEADERS, QUERIES
from tests.mcp.agents import ENVELOPE, MODERN, Agent
from tests.mcp.probe import PROBE, Scene

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
    """Status and code that a body of the corpus must be answered here."""
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


def inside(text: str) -> bytes:
    """A message whose argument is this JSON text, as it stands."""
    envelope = json.dumps({**ENVELOPE})
    return (
        '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":'
        f'{{"name":"{PROBE}","_meta":{envelope},"arguments":{{"limit":{text}}}}}}}'
    ).encode()


DEEP = {
    "28 lists": ("[" * 28 + "]" * 28, None),
    "30 lists": ("[" * 30 + "]" * 30, -32600),
    "a thousand objects": ('{"a":' * 1000 + "1" + "}" * 1000, -32600),
    "100,000 lists, never closed": ("[" * 100_000, -32600),
    "NaN": ("NaN", -32700),
    "Infinity": ("-Infinity", -32700),
    "a key twice": ('{"a": 1, "a": 2}', -32600),
    "5000 digits": ("9" * 5000, -32600),
    "1e400": ("1e400", -32600),
    "a gigabyte of zeros": ("0e999999999", -32600),
    "a NUL": ('"\\u0000"', -32600),
    "half a character": ('"\\ud800"', -32600),
    "300 digits": ("9" * 300, None),
    "1e300": ("1e300", None),
    "1e-300": ("1e-300", None),
}


def test_no_argument_breaks_it(scene: Scene) -> None:
    routed = {"Mcp_Protocol_Version": MODERN, "Mcp_Method": "tools/call", "Mcp_Name": PROBE}
    for name, (text, code) in DEEP.items():
        reply = scene.agent.send(inside(text), **routed)
        if code is None:
            assert (reply.status, reply.body["result"]["isError"]) == (200, True), name
        else:
            assert (reply.status, reply.body["error"]["code"]) == (400, code), name
    assert scene.probe.runs == []
    assert all_rows() == scene.before


def test_no_header_breaks_it(scene: Scene) -> None:
    for name, headers in HEADERS.items():
        reply = scene.agent.send(b"{}", **{header.replace("-", "_"): value for header, value in headers.items()})
        assert_refused(reply, name)
        assert reply.status >= 400, name
        assert reply.headers["Request-Id"] != "req_mine"
        assert "Access-Control-Allow-Origin" not in reply.headers
    scene.assert_untouched()


OUR_HEADERS = ("Mcp_Protocol_Version", "Mcp_Method", "Mcp_Name", "Authorization", "Origin")


def test_no_value_of_our_own_headers_breaks_it(scene: Scene) -> None:
    values = ("\x00", "\xff\xfe", "\ud7ff", "x" * 100_000, "=?base64?" + "A" * 99_999 + "?=", "\r\nX: 1", "''--")
    for header, value in product(OUR_HEADERS, values):
        reply = scene.call_probe(**{header: value})
        assert_refused(reply, f"{header}: {value[:9]!r}")
        assert reply.status >= 400
    scene.assert_untouched()


def test_no_query_breaks_it(scene: Scene) -> None:
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
    """JSON with exact numbers."""
    return str(value) if isinstance(value, Decimal) else json.dumps(value)


@contextmanager
def undone() -> Iterator[None]:
    """What some tools may rightly do with some of these values is taken back."""
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


def try_values(agent: Agent, tool: Any, argument: str, values: list[Any]) -> None:
    """Call a tool with each of the values as one argument; it answers, or refuses as tools do."""
    good = dict.fromkeys(tool.input_schema["required"], '"00000000-0000-4000-8000-000000000000"')
    for value in values:
        body = ",".join(f'"{name}":{text}' for name, text in {**good, argument: written(value)}.items())
        params = f'{{"name":"{tool.name}","arguments":{{{body}}}}}'
        with undone():
            reply = agent.send(f'{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{params}}}'.encode())
        assert reply.status == 200, (tool.name, argument, value)
        assert "result" in reply.body, (tool.name, argument, repr(value)[:80], reply.raw[:300])


ARGUMENTS = [(tool, argument) for tool in TOOLS for argument in tool.input_schema["properties"]]


def test_no_value_breaks_any_tool(agent: Agent) -> None:
    """Each argument has some of the values, and each value its turn at some arguments."""
    dealt = cycle(VALUES)
    for tool, argument in ARGUMENTS:
        try_values(agent, tool, argument, list(islice(dealt, HERE)))


@pytest.mark.exhaustive
@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: str(tool.name))
def test_no_value_of_any_argument_breaks_any_tool(tool: Any, agent: Agent) -> None:
    for argument in tool.input_schema["properties"]:
        try_values(agent, tool, argument, VALUES)


@given(
    body=some.binary(max_size=80) | some.text(alphabet='{}[]":,0eE.-\\u jsonrpcmethodid', max_size=80).map(str.encode)
)
def test_any_bytes_are_read_or_refused(body: bytes) -> None:
    with pytest.raises(Fault) as refused:
        read_message(body)
    assert HTTP_STATUSES[refused.value.code] == 400


@contextmanager
def suppress_bad_requests() -> Iterator[None]:
    """Let a refusal by the protocol pass, and no other failure."""
    try:
        yield
    except Fault as fault:
        if HTTP_STATUSES[fault.code] != 400:
            raise


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
    with suppress_bad_requests():
        read = read_message(json.dumps(message).encode())
        if isinstance(read, Notification):
            assert "id" not in message
            return
        assert isinstance(read, Request)
        if era_of(read, headers) is Era.MODERN:
            check_modern(read, headers)
            assert version == MODERN == (read.meta or {})["io.modelcontextprotocol/protocolVersion"]
            assert method == read.method
