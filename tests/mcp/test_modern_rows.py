"""Revision 2026-07-28: every row of what HTTP owes, by status and JSON-RPC code. Source: agents, 1.3."""

import base64
from typing import Any

import pytest

from mcp.protocol.versions import CAPABILITIES_KEY, VERSION_KEY
from tests.conftest import Reply
from tests.mcp.agents import ENVELOPE, LEGACY, MODERN
from tests.mcp.probe import PROBE, Scene

CALL: dict[str, Any] = {"name": PROBE, "arguments": {}, "_meta": ENVELOPE}
ROUTED: dict[str, str | None] = {"Mcp_Protocol_Version": MODERN, "Mcp_Method": "tools/call", "Mcp_Name": PROBE}
GOOD: dict[str, Any] = {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": CALL}


def refusal(reply: Reply) -> tuple[int, int, Any]:
    """Status, code and id of an error in its one form."""
    assert reply.headers["Content-Type"] == "application/json"
    assert reply.headers["Cache-Control"] == "no-store"
    assert set(reply.body) - {"id"} == {"jsonrpc", "error"}
    assert reply.body["jsonrpc"] == "2.0"
    assert set(reply.body["error"]) - {"data"} == {"code", "message"}
    return reply.status, reply.body["error"]["code"], reply.body.get("id")


def without(message: dict[str, Any], member: str) -> dict[str, Any]:
    """The same without one member."""
    return {name: value for name, value in message.items() if name != member}


def with_meta(**meta: Any) -> dict[str, Any]:
    """The good message with other members of ``_meta``; None leaves one out."""
    changed = {**ENVELOPE, **{f"io.modelcontextprotocol/{name}": value for name, value in meta.items()}}
    kept = {name: value for name, value in changed.items() if value is not None}
    return {**GOOD, "params": {**CALL, "_meta": kept}}


def test_the_good_message_is_run(scene: Scene) -> None:
    reply = scene.agent.message(GOOD, **ROUTED)
    assert (reply.status, reply.body["id"], reply.body["result"]["resultType"]) == (200, 7, "complete")
    assert reply.body["result"]["structuredContent"] == {"done": True}
    assert scene.probe.runs == [{}]


@pytest.mark.parametrize("method", ["GET", "DELETE", "PUT", "PATCH", "HEAD", "OPTIONS", "TRACE", "QUERY"])
def test_other_methods(method: str, scene: Scene) -> None:
    resumed = {"Mcp_Session_Id": "1", "Last_Event_ID": "1"}
    for headers in ({}, resumed, {"Accept": "text/event-stream"}):
        reply = scene.agent.send(b"", method, **headers)
        assert (reply.status, reply.headers["Allow"]) == (405, "POST")
        assert method == "HEAD" or refusal(reply) == (405, -32600, None)
    scene.assert_untouched()


def test_session_headers_are_ignored(scene: Scene) -> None:
    reply = scene.call_probe(Mcp_Session_Id="0", Last_Event_ID="9")
    assert reply.status == 200
    assert "Mcp-Session-Id" not in reply.headers


@pytest.mark.parametrize("body", [b"", b"  ", b"{", b"tools/call", b'{"jsonrpc": NaN}', b"\xff\xfe", b"{'id': 1}"])
def test_a_body_that_is_no_json(body: bytes, scene: Scene) -> None:
    assert refusal(scene.agent.send(body, **ROUTED)) == (400, -32700, None)
    scene.assert_untouched()


@pytest.mark.parametrize("message", [[], [GOOD], [GOOD, GOOD], [without(GOOD, "id")], 1, "tools/call", None, True])
def test_batches_and_what_is_no_object(message: Any, scene: Scene) -> None:
    assert refusal(scene.agent.message(message, **ROUTED)) == (400, -32600, None)
    scene.assert_untouched()


@pytest.mark.parametrize(
    "message",
    [
        {"jsonrpc": "2.0", "id": 1, "result": {}},
        {"jsonrpc": "2.0", "id": 1, "error": {"code": 1, "message": "no"}},
        {"jsonrpc": "2.0", "result": {}},
    ],
    ids=["result", "error", "result without id"],
)
def test_responses(message: dict[str, Any], scene: Scene) -> None:
    assert refusal(scene.agent.message(message, **ROUTED)) == (400, -32600, None)
    scene.assert_untouched()


NO_VERSION: list[Any] = [None, "1.0", 2.0, 2, "", ["2.0"]]
NO_METHOD: list[Any] = [None, "", 1, ["tools/call"], {}, True]
NO_PARAMS: list[Any] = [[], [1], "x", 1, False]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(("jsonrpc", value) for value in NO_VERSION),
        *(("method", value) for value in NO_METHOD),
        *(("params", value) for value in NO_PARAMS),
    ],
    ids=repr,
)
def test_a_malformed_member(name: str, value: Any, scene: Scene) -> None:
    assert refusal(scene.agent.message({**GOOD, name: value}, **ROUTED)) == (400, -32600, 7)
    if value is None:
        assert refusal(scene.agent.message(without(GOOD, name), **ROUTED)) == (400, -32600, 7)
    scene.assert_untouched()


@pytest.mark.parametrize("request_id", [b"null", b"true", b"1.5", b"1.0", b"1e3", b"{}", b"[]", b"9" * 19, b"9" * 299])
def test_an_id_that_is_none(request_id: bytes, scene: Scene) -> None:
    body = b'{"jsonrpc": "2.0", "method": "ping", "id": ' + request_id + b"}"
    assert refusal(scene.agent.send(body, **ROUTED)) == (400, -32600, None)
    scene.assert_untouched()


@pytest.mark.parametrize("request_id", ["", "a", "é\n", 0, -1, 999_999_999_999_999_999])
def test_an_id_comes_back_as_it_was(request_id: Any, scene: Scene) -> None:
    reply = scene.agent.message({**GOOD, "id": request_id}, **ROUTED)
    assert (reply.status, reply.body["id"], type(reply.body["id"])) == (200, request_id, type(request_id))


@pytest.mark.parametrize("method", ["tools/call", "notifications/cancelled", "notifications/initialized", "no/such"])
def test_a_notification_is_dropped(method: str, scene: Scene) -> None:
    for headers in (ROUTED, {}, {"Mcp_Protocol_Version": "1999-01-01"}):
        reply = scene.agent.message({"jsonrpc": "2.0", "method": method, "params": CALL}, **headers)
        assert (reply.status, reply.raw) == (202, b"")
        assert "Content-Type" not in reply.headers
    scene.assert_untouched()


INCOMPLETE = {
    "no params": without(GOOD, "params"),
    "null params": {**GOOD, "params": None},
    "no _meta": {**GOOD, "params": without(CALL, "_meta")},
    "an empty _meta": {**GOOD, "params": {**CALL, "_meta": {}}},
    "_meta as a text": {**GOOD, "params": {**CALL, "_meta": MODERN}},
    "_meta as null": {**GOOD, "params": {**CALL, "_meta": None}},
    "no version": with_meta(protocolVersion=None),
    "no capabilities": with_meta(clientCapabilities=None),
    "capabilities as a list": with_meta(clientCapabilities=[]),
    "a number as version": with_meta(protocolVersion=20260728),
    "an unknown version and no capabilities": with_meta(protocolVersion="2099-01-01", clientCapabilities=None),
}


@pytest.mark.parametrize("name", INCOMPLETE)
def test_an_incomplete_envelope_is_told_first(name: str, scene: Scene) -> None:
    for headers in (ROUTED, {**ROUTED, "Mcp_Method": None, "Mcp_Name": "other"}):
        assert refusal(scene.agent.message(INCOMPLETE[name], **headers)) == (400, -32602, 7)
    scene.assert_untouched()


@pytest.mark.parametrize("info", [None, {"name": "x", "version": "1"}, "not even an object"])
def test_client_info_may_be_absent(info: Any, scene: Scene) -> None:
    assert scene.agent.message(with_meta(clientInfo=info), **ROUTED).status == 200


ENCODED = f"=?base64?{base64.b64encode(PROBE.encode()).decode()}?="
MISMATCHES = [
    *(("Mcp_Protocol_Version", value) for value in (None, "", LEGACY, "2026-07-29", f"{MODERN}, {MODERN}")),
    *(("Mcp_Protocol_Version", value) for value in (f"{MODERN},{MODERN}", f'"{MODERN}"', f"{MODERN};")),
    *(("Mcp_Method", value) for value in (None, "", "tools/list", "Tools/Call", "tools/call,tools/call", "initialize")),
    *(("Mcp_Name", value) for value in (None, "", "other", "Probe", "probe,probe", "probe, probe", "=?base64??=")),
    *(
        ("Mcp_Name", value)
        for value in ("=?base64?cHJvYmU?=", "=?base64?cHJvYmV=?=", "=?base64?!?=", "=?base64?/w==?=")
    ),
    *(("Mcp_Name", value) for value in (f"x{ENCODED}", f"{ENCODED}x", ENCODED.replace("base64", "BASE64"))),
]


@pytest.mark.parametrize(("header", "value"), MISMATCHES, ids=repr)
def test_headers_that_disagree(header: str, value: str | None, scene: Scene) -> None:
    assert refusal(scene.agent.message(GOOD, **{**ROUTED, header: value})) == (400, -32020, 7)
    scene.assert_untouched()


@pytest.mark.parametrize(("method", "member"), [("prompts/get", "name"), ("resources/read", "uri")])
def test_the_other_methods_that_name_something(method: str, member: str, scene: Scene) -> None:
    params = {member: "a", "_meta": ENVELOPE}
    headers: dict[str, str | None] = {**ROUTED, "Mcp_Method": method}
    for name, expected in (("b", (400, -32020, 7)), (None, (400, -32020, 7)), ("a", (404, -32601, 7))):
        reply = scene.agent.message({**GOOD, "method": method, "params": params}, **{**headers, "Mcp_Name": name})
        assert refusal(reply) == expected


def test_disagreement_is_told_before_an_unknown_version(scene: Scene) -> None:
    reply = scene.agent.message(with_meta(protocolVersion="2099-01-01"), **ROUTED)
    assert refusal(reply) == (400, -32020, 7)


@pytest.mark.parametrize(
    ("header", "value"),
    [
        ("Mcp_Protocol_Version", f" \t{MODERN}\t "),
        ("Mcp_Method", "\ttools/call  "),
        ("Mcp_Name", "  probe"),
        ("Mcp_Name", ENCODED),
        ("Mcp_Name", f" {ENCODED} "),
    ],
)
def test_white_space_and_encoded_names_are_understood(header: str, value: str, scene: Scene) -> None:
    assert scene.agent.message(GOOD, **{**ROUTED, header: value}).status == 200
    assert scene.probe.runs == [{}]


@pytest.mark.parametrize("version", ["2099-01-01", "2026-07-29", "draft", "", LEGACY, "2025-03-26"])
def test_a_version_that_nobody_speaks(version: str, scene: Scene) -> None:
    reply = scene.agent.message(with_meta(protocolVersion=version), **{**ROUTED, "Mcp_Protocol_Version": version})
    assert refusal(reply) == (400, -32022, 7)
    assert reply.body["error"]["data"] == {"supported": [MODERN], "requested": version}
    discovered = scene.agent.rpc("server/discover").body["result"]["supportedVersions"]
    assert set(reply.body["error"]["data"]["supported"]) <= set(discovered)
    scene.assert_untouched()


GONE = ("initialize", "ping", "logging/setLevel", "resources/subscribe", "subscriptions/listen", "completion/complete")
STRANGE = ("prompts/list", "resources/list", "tasks/get", "rpc.discover", "__class__", "tools/call ", "Tools/List", "é")


@pytest.mark.parametrize("method", [*GONE, *STRANGE])
def test_an_unknown_method(method: str, scene: Scene) -> None:
    header = None if method == "é" else method
    reply = scene.agent.message(
        {**GOOD, "method": method}, **{**ROUTED, "Mcp_Method": header or "é".encode().decode("latin-1")}
    )
    assert refusal(reply) == ((400, -32020, 7) if method in {"é", "tools/call "} else (404, -32601, 7))
    scene.assert_untouched()


@pytest.mark.parametrize("name", ["no_such_tool", "", "PROBE", "poll_settlement\n", "__init__", "x" * 1000])
def test_an_unknown_tool(name: str, scene: Scene) -> None:
    encoded = f"=?base64?{base64.b64encode(name.encode()).decode()}?="
    params = {"name": name, "arguments": {}, "_meta": ENVELOPE}
    reply = scene.agent.message({**GOOD, "params": params}, **{**ROUTED, "Mcp_Name": encoded})
    assert refusal(reply) == (400, -32602, 7)
    scene.assert_untouched()


@pytest.mark.parametrize(
    ("member", "value"),
    [("arguments", []), ("arguments", "x"), ("arguments", 1), ("arguments", False), ("name", None), ("name", 1)],
    ids=repr,
)
def test_a_malformed_call(member: str, value: Any, scene: Scene) -> None:
    reply = scene.agent.message({**GOOD, "params": {**CALL, member: value}}, **ROUTED)
    assert refusal(reply) == (400, -32020 if value == 1 and member == "name" else -32602, 7)
    scene.assert_untouched()


@pytest.mark.parametrize("arguments", [{}, {"arguments": None}])
def test_arguments_may_be_absent(arguments: dict[str, Any], scene: Scene) -> None:
    params = {**without(CALL, "arguments"), **arguments}
    assert scene.agent.message({**GOOD, "params": params}, **ROUTED).status == 200


def test_names_of_the_envelope_are_those_of_the_protocol() -> None:
    assert VERSION_KEY == "io.modelcontextprotocol/protocolVersion"
    assert CAPABILITIES_KEY == "io.modelcontextprotocol/clientCapabilities"
