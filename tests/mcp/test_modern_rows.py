"""Revision 2026-07-28: every row of what HTTP owes, by status and JSON-RPC code. Source: agents, 1.3."""

import base64
from typing import Any

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


def test_other_methods(scene: Scene) -> None:
    resumed = {"Mcp_Session_Id": "1", "Last_Event_ID": "1"}
    for method in ("GET", "DELETE", "PUT", "PATCH", "HEAD", "OPTIONS", "TRACE", "QUERY"):
        for headers in ({}, resumed, {"Accept": "text/event-stream"}):
            reply = scene.agent.send(b"", method, **headers)
            assert (reply.status, reply.headers["Allow"]) == (405, "POST"), method
            assert method == "HEAD" or refusal(reply) == (405, -32600, None), method
    scene.assert_untouched()


def test_session_headers_are_ignored(scene: Scene) -> None:
    reply = scene.call_probe(Mcp_Session_Id="0", Last_Event_ID="9")
    assert reply.status == 200
    assert "Mcp-Session-Id" not in reply.headers


def test_a_body_that_is_no_json(scene: Scene) -> None:
    bodies = [b"", b"  ", b"{", b"tools/call", b'{"jsonrpc": NaN}', b"\xff\xfe", b"{'id': 1}"]
    assert {body: refusal(scene.agent.send(body, **ROUTED)) for body in bodies} == dict.fromkeys(
        bodies, (400, -32700, None)
    )
    scene.assert_untouched()


NO_REQUEST: list[Any] = [
    *([], [GOOD], [GOOD, GOOD], [without(GOOD, "id")], 1, "tools/call", None, True),
    {"jsonrpc": "2.0", "id": 1, "result": {}},
    {"jsonrpc": "2.0", "id": 1, "error": {"code": 1, "message": "no"}},
    {"jsonrpc": "2.0", "result": {}},
]


def test_batches_responses_and_what_is_no_object(scene: Scene) -> None:
    answered = [(message, refusal(scene.agent.message(message, **ROUTED))) for message in NO_REQUEST]
    assert answered == [(message, (400, -32600, None)) for message in NO_REQUEST]
    scene.assert_untouched()


MALFORMED: dict[str, list[Any]] = {
    "jsonrpc": [None, "1.0", 2.0, 2, "", ["2.0"]],
    "method": [None, "", 1, ["tools/call"], {}, True],
    "params": [[], [1], "x", 1, False],
}


def test_a_malformed_member(scene: Scene) -> None:
    messages = [{**GOOD, name: value} for name, values in MALFORMED.items() for value in values]
    messages += [without(GOOD, "jsonrpc"), without(GOOD, "method")]
    answered = [(message, refusal(scene.agent.message(message, **ROUTED))) for message in messages]
    assert answered == [(message, (400, -32600, 7)) for message in messages]
    scene.assert_untouched()


def test_an_id_that_is_none(scene: Scene) -> None:
    for request_id in (b"null", b"true", b"1.5", b"1.0", b"1e3", b"{}", b"[]", b"9" * 19, b"9" * 299):
        body = b'{"jsonrpc": "2.0", "method": "ping", "id": ' + request_id + b"}"
        assert refusal(scene.agent.send(body, **ROUTED)) == (400, -32600, None), request_id
    scene.assert_untouched()


def test_an_id_comes_back_as_it_was(scene: Scene) -> None:
    for request_id in ("", "a", "é\n", 0, -1, 999_999_999_999_999_999):
        reply = scene.agent.message({**GOOD, "id": request_id}, **ROUTED)
        assert (reply.status, reply.body["id"], type(reply.body["id"])) == (200, request_id, type(request_id))


def test_a_notification_is_dropped(scene: Scene) -> None:
    for method in ("tools/call", "notifications/cancelled", "notifications/initialized", "no/such"):
        for headers in (ROUTED, {}, {"Mcp_Protocol_Version": "1999-01-01"}):
            reply = scene.agent.message({"jsonrpc": "2.0", "method": method, "params": CALL}, **headers)
            assert (reply.status, reply.raw, "Content-Type" in reply.headers) == (202, b"", False), method
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


def test_an_incomplete_envelope_is_told_first(scene: Scene) -> None:
    for headers in (ROUTED, {**ROUTED, "Mcp_Method": None, "Mcp_Name": "other"}):
        answered = {name: refusal(scene.agent.message(sent, **headers)) for name, sent in INCOMPLETE.items()}
        assert answered == dict.fromkeys(INCOMPLETE, (400, -32602, 7))
    scene.assert_untouched()


def test_client_info_may_be_absent(scene: Scene) -> None:
    for info in (None, {"name": "x", "version": "1"}, "not even an object"):
        assert scene.agent.message(with_meta(clientInfo=info), **ROUTED).status == 200


ENCODED = f"=?base64?{base64.b64encode(PROBE.encode()).decode()}?="
MISMATCHES = {
    "Mcp_Protocol_Version": [
        *(None, "", LEGACY, "2026-07-29", f"{MODERN}, {MODERN}", f"{MODERN},{MODERN}", f'"{MODERN}"', f"{MODERN};")
    ],
    "Mcp_Method": [None, "", "tools/list", "Tools/Call", "tools/call,tools/call", "initialize"],
    "Mcp_Name": [
        *(None, "", "other", "Probe", "probe,probe", "probe, probe", "=?base64??=", "=?base64?cHJvYmU?="),
        *("=?base64?cHJvYmV=?=", "=?base64?!?=", "=?base64?/w==?=", f"x{ENCODED}", f"{ENCODED}x"),
        ENCODED.replace("base64", "BASE64"),
    ],
}


def test_headers_that_disagree(scene: Scene) -> None:
    for header, values in MISMATCHES.items():
        answered = {value: refusal(scene.agent.message(GOOD, **{**ROUTED, header: value})) for value in values}
        assert answered == dict.fromkeys(values, (400, -32020, 7)), header
    scene.assert_untouched()


def test_the_other_methods_that_name_something(scene: Scene) -> None:
    for method, member in (("prompts/get", "name"), ("resources/read", "uri")):
        message = {**GOOD, "method": method, "params": {member: "a", "_meta": ENVELOPE}}
        for name, expected in (("b", (400, -32020, 7)), (None, (400, -32020, 7)), ("a", (404, -32601, 7))):
            reply = scene.agent.message(message, **{**ROUTED, "Mcp_Method": method, "Mcp_Name": name})
            assert refusal(reply) == expected


def test_disagreement_is_told_before_an_unknown_version(scene: Scene) -> None:
    reply = scene.agent.message(with_meta(protocolVersion="2099-01-01"), **ROUTED)
    assert refusal(reply) == (400, -32020, 7)


def test_white_space_and_encoded_names_are_understood(scene: Scene) -> None:
    written = [("Mcp_Protocol_Version", f" \t{MODERN}\t "), ("Mcp_Method", "\ttools/call  "), ("Mcp_Name", "  probe")]
    written += [("Mcp_Name", ENCODED), ("Mcp_Name", f" {ENCODED} ")]
    for header, value in written:
        assert scene.agent.message(GOOD, **{**ROUTED, header: value}).status == 200, value
    assert scene.probe.runs == [{}] * len(written)


def test_a_version_that_nobody_speaks(scene: Scene) -> None:
    discovered = scene.agent.rpc("server/discover").body["result"]["supportedVersions"]
    assert MODERN in discovered
    for version in ("2099-01-01", "2026-07-29", "draft", "", LEGACY, "2025-03-26"):
        reply = scene.agent.message(with_meta(protocolVersion=version), **{**ROUTED, "Mcp_Protocol_Version": version})
        assert refusal(reply) == (400, -32022, 7)
        assert reply.body["error"]["data"] == {"supported": [MODERN], "requested": version}
    scene.assert_untouched()


GONE = ("initialize", "ping", "logging/setLevel", "resources/subscribe", "subscriptions/listen", "completion/complete")
STRANGE = ("prompts/list", "resources/list", "tasks/get", "rpc.discover", "__class__", "tools/call ", "Tools/List", "é")


def test_an_unknown_method(scene: Scene) -> None:
    for method in (*GONE, *STRANGE):
        header = method.encode().decode("latin-1")
        reply = scene.agent.message({**GOOD, "method": method}, **{**ROUTED, "Mcp_Method": header})
        expected = (400, -32020, 7) if method in {"é", "tools/call "} else (404, -32601, 7)
        assert (method, refusal(reply)) == (method, expected)
    scene.assert_untouched()


def test_an_unknown_tool(scene: Scene) -> None:
    for name in ("no_such_tool", "", "PROBE", "poll_settlement\n", "__init__", "x" * 1000):
        encoded = f"=?base64?{base64.b64encode(name.encode()).decode()}?="
        params = {"name": name, "arguments": {}, "_meta": ENVELOPE}
        reply = scene.agent.message({**GOOD, "params": params}, **{**ROUTED, "Mcp_Name": encoded})
        assert (name, refusal(reply)) == (name, (400, -32602, 7))
    scene.assert_untouched()


def test_a_malformed_call(scene: Scene) -> None:
    values: list[Any] = [[], "x", 1, False]
    for member, value in (*(("arguments", value) for value in values), ("name", None), ("name", 1)):
        reply = scene.agent.message({**GOOD, "params": {**CALL, member: value}}, **ROUTED)
        assert refusal(reply) == (400, -32020 if (member, value) == ("name", 1) else -32602, 7), (member, value)
    scene.assert_untouched()


def test_arguments_may_be_absent(scene: Scene) -> None:
    for arguments in ({}, {"arguments": None}):
        params = {**without(CALL, "arguments"), **arguments}
        assert scene.agent.message({**GOOD, "params": params}, **ROUTED).status == 200


def test_names_of_the_envelope_are_those_of_the_protocol() -> None:
    assert VERSION_KEY == "io.modelcontextprotocol/protocolVersion"
    assert CAPABILITIES_KEY == "io.modelcontextprotocol/clientCapabilities"
