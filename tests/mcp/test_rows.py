"""Both eras: every row of what HTTP owes, by status and JSON-RPC code, and what a client is told at first.

Source: agents, 1.2 to 1.5 and 7.2.
"""

import base64
from typing import Any

from mcp.scopes import Scope
from mcp.tools.registry import TOOLS
from merchants.models import Merchant
from tests.conftest import Reply
from tests.mcp.agents import ENVELOPE, LEGACY, MODERN, Agent, connected_agent
from tests.mcp.probe import PROBE, Scene

CALL: dict[str, Any] = {"name": PROBE, "arguments": {}, "_meta": ENVELOPE}
ROUTED: dict[str, str | None] = {"Mcp_Protocol_Version": MODERN, "Mcp_Method": "tools/call", "Mcp_Name": PROBE}
GOOD: dict[str, Any] = {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": CALL}


def refusal(reply: Reply) -> tuple[int, int, Any]:
    assert reply.headers["Content-Type"] == "application/json"
    assert reply.headers["Cache-Control"] == "no-store"
    assert set(reply.body) - {"id"} == {"jsonrpc", "error"}
    assert reply.body["jsonrpc"] == "2.0"
    assert set(reply.body["error"]) - {"data"} == {"code", "message"}
    return reply.status, reply.body["error"]["code"], reply.body.get("id")


def without(message: dict[str, Any], member: str) -> dict[str, Any]:
    return {name: value for name, value in message.items() if name != member}


def with_meta(**meta: Any) -> dict[str, Any]:
    """The good message with other members of ``_meta``; None leaves one out."""
    changed = {**ENVELOPE, **{f"io.modelcontextprotocol/{name}": value for name, value in meta.items()}}
    kept = {name: value for name, value in changed.items() if value is not None}
    return {**GOOD, "params": {**CALL, "_meta": kept}}


NO_REQUEST: list[Any] = [
    *([], [GOOD], [GOOD, GOOD], [without(GOOD, "id")], 1, "tools/call", None, True),
    {"jsonrpc": "2.0", "id": 1, "result": {}},
    {"jsonrpc": "2.0", "id": 1, "error": {"code": 1, "message": "no"}},
    {"jsonrpc": "2.0", "result": {}},
]
MALFORMED: dict[str, list[Any]] = {
    "jsonrpc": [None, "1.0", 2.0, 2, "", ["2.0"]],
    "method": [None, "", 1, ["tools/call"], {}, True],
    "params": [[], [1], "x", 1, False],
}


def test_what_is_no_message_is_refused(scene: Scene) -> None:
    for body in (b"", b"  ", b"{", b"tools/call", b'{"jsonrpc": NaN}', b"\xff\xfe", b"{'id': 1}"):
        assert refusal(scene.agent.send(body, **ROUTED)) == (400, -32700, None), body
    # Batches, responses and what is no object.
    for message in NO_REQUEST:
        assert refusal(scene.agent.message(message, **ROUTED)) == (400, -32600, None), message
    # A malformed member.
    messages = [{**GOOD, name: value} for name, values in MALFORMED.items() for value in values]
    messages += [without(GOOD, "jsonrpc"), without(GOOD, "method")]
    for message in messages:
        assert refusal(scene.agent.message(message, **ROUTED)) == (400, -32600, 7), message
    # An id that is none.
    for request_id in (b"null", b"true", b"1.5", b"1.0", b"1e3", b"{}", b"[]", b"9" * 19, b"9" * 299):
        body = b'{"jsonrpc": "2.0", "method": "ping", "id": ' + request_id + b"}"
        assert refusal(scene.agent.send(body, **ROUTED)) == (400, -32600, None), request_id
    scene.assert_untouched()


def test_a_notification_is_dropped_and_other_methods_are_refused(scene: Scene) -> None:
    for method in ("tools/call", "notifications/cancelled", "notifications/initialized", "no/such"):
        for headers in (ROUTED, {}, {"Mcp_Protocol_Version": "1999-01-01"}):
            reply = scene.agent.message({"jsonrpc": "2.0", "method": method, "params": CALL}, **headers)
            assert (reply.status, reply.raw, "Content-Type" in reply.headers) == (202, b"", False), method
    resumed = {"Mcp_Session_Id": "1", "Last_Event_ID": "1"}
    for method in ("GET", "DELETE", "PUT", "PATCH", "HEAD", "OPTIONS", "TRACE", "QUERY"):
        for headers in ({}, resumed, {"Accept": "text/event-stream"}):
            reply = scene.agent.send(b"", method, **headers)
            assert (reply.status, reply.headers["Allow"]) == (405, "POST"), method
            assert method == "HEAD" or refusal(reply) == (405, -32600, None), method
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


def test_the_envelope_and_the_headers_must_agree(scene: Scene) -> None:
    for headers in (ROUTED, {**ROUTED, "Mcp_Method": None, "Mcp_Name": "other"}):
        answered = {name: refusal(scene.agent.message(sent, **headers)) for name, sent in INCOMPLETE.items()}
        assert answered == dict.fromkeys(INCOMPLETE, (400, -32602, 7))
    # Headers that disagree.
    for header, values in MISMATCHES.items():
        answered = {str(value): refusal(scene.agent.message(GOOD, **{**ROUTED, header: value})) for value in values}
        assert answered == dict.fromkeys(map(str, values), (400, -32020, 7)), header
    # The other methods that name something.
    for method, member in (("prompts/get", "name"), ("resources/read", "uri")):
        message = {**GOOD, "method": method, "params": {member: "a", "_meta": ENVELOPE}}
        for name, expected in (("b", (400, -32020, 7)), (None, (400, -32020, 7)), ("a", (404, -32601, 7))):
            reply = scene.agent.message(message, **{**ROUTED, "Mcp_Method": method, "Mcp_Name": name})
            assert refusal(reply) == expected
    # Disagreement is told before an unknown version.
    assert refusal(scene.agent.message(with_meta(protocolVersion="2099-01-01"), **ROUTED)) == (400, -32020, 7)
    # A version that nobody speaks.
    for version in ("2099-01-01", "2026-07-29", "draft", "", LEGACY, "2025-03-26"):
        reply = scene.agent.message(with_meta(protocolVersion=version), **{**ROUTED, "Mcp_Protocol_Version": version})
        assert refusal(reply) == (400, -32022, 7)
        assert reply.body["error"]["data"] == {"supported": [MODERN], "requested": version}
    scene.assert_untouched()


GONE = ("initialize", "ping", "logging/setLevel", "resources/subscribe", "subscriptions/listen", "completion/complete")
STRANGE = ("prompts/list", "resources/list", "tasks/get", "rpc.discover", "__class__", "tools/call ", "Tools/List", "é")


def test_an_unknown_method_or_tool_and_a_malformed_call(scene: Scene) -> None:
    for method in (*GONE, *STRANGE):
        header = method.encode().decode("latin-1")
        reply = scene.agent.message({**GOOD, "method": method}, **{**ROUTED, "Mcp_Method": header})
        expected = (400, -32020, 7) if method in {"é", "tools/call "} else (404, -32601, 7)
        assert (method, refusal(reply)) == (method, expected)
    for name in ("no_such_tool", "", "PROBE", "poll_settlement\n", "__init__", "x" * 1000):
        encoded = f"=?base64?{base64.b64encode(name.encode()).decode()}?="
        params = {"name": name, "arguments": {}, "_meta": ENVELOPE}
        reply = scene.agent.message({**GOOD, "params": params}, **{**ROUTED, "Mcp_Name": encoded})
        assert refusal(reply) == (400, -32602, 7), name
    values: list[Any] = [[], "x", 1, False]
    for member, value in (*(("arguments", value) for value in values), ("name", None), ("name", 1)):
        reply = scene.agent.message({**GOOD, "params": {**CALL, member: value}}, **ROUTED)
        assert refusal(reply) == (400, -32020 if (member, value) == ("name", 1) else -32602, 7), (member, value)
    scene.assert_untouched()


def test_the_good_message_is_run_however_it_is_written(scene: Scene) -> None:
    reply = scene.agent.message(GOOD, **ROUTED)
    assert (reply.status, reply.body["id"], reply.body["result"]["resultType"]) == (200, 7, "complete")
    assert reply.body["result"]["structuredContent"] == {"done": True}
    assert scene.probe.runs == [{}]
    # Session headers are ignored.
    reply = scene.call_probe(Mcp_Session_Id="0", Last_Event_ID="9")
    assert reply.status == 200
    assert "Mcp-Session-Id" not in reply.headers
    # An id comes back as it was.
    for request_id in ("", "a", "é\n", 0, -1, 999_999_999_999_999_999):
        reply = scene.agent.message({**GOOD, "id": request_id}, **ROUTED)
        assert (reply.status, reply.body["id"], type(reply.body["id"])) == (200, request_id, type(request_id))
    # Client info may be absent.
    for info in (None, {"name": "x", "version": "1"}, "not even an object"):
        assert scene.agent.message(with_meta(clientInfo=info), **ROUTED).status == 200
    # Arguments may be absent.
    for arguments in ({}, {"arguments": None}):
        params = {**without(CALL, "arguments"), **arguments}
        assert scene.agent.message({**GOOD, "params": params}, **ROUTED).status == 200
    # White space and encoded names are understood.
    written = [("Mcp_Protocol_Version", f" \t{MODERN}\t "), ("Mcp_Method", "\ttools/call  "), ("Mcp_Name", "  probe")]
    written += [("Mcp_Name", ENCODED), ("Mcp_Name", f" {ENCODED} ")]
    for header, value in written:
        assert scene.agent.message(GOOD, **{**ROUTED, header: value}).status == 200, value
    assert scene.probe.runs[-len(written) :] == [{}] * len(written)


SPOKEN = (LEGACY, "2025-06-18")
HELLO: dict[str, Any] = {"capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}


def ask(scene: Scene, method: str, params: Any = None, **headers: str | None) -> Any:
    """Send a request without an envelope; no version header unless one is named."""
    message = {"jsonrpc": "2.0", "id": "a", "method": method, "params": params or {}}
    return scene.agent.message(message, **headers)


def test_ping_list_and_call(scene: Scene) -> None:
    versions = (*SPOKEN, "2025-03-26", None)
    for version in versions:
        headers = {"Mcp_Protocol_Version": version}
        assert ask(scene, "ping", **headers).body == {"jsonrpc": "2.0", "id": "a", "result": {}}
        assert set(ask(scene, "tools/list", **headers).body["result"]) == {"tools"}
        called = ask(scene, "tools/call", {"name": PROBE, "arguments": {}}, **headers)
        text = {"type": "text", "text": '{"done":true}'}
        assert called.body["result"] == {"content": [text], "structuredContent": {"done": True}, "isError": False}
    assert scene.probe.runs == [{}] * len(versions)
    assert [caller.facts.protocol_version for caller in scene.probe.callers] == [one or "" for one in versions]


def test_initialize_notifications_and_what_there_is_no_more(scene: Scene) -> None:
    unknown = ("2025-03-26", "2024-11-05", MODERN, "2099-01-01", "", "x" * 5000)
    for asked, answered in [*zip(SPOKEN, SPOKEN, strict=True), *((version, LEGACY) for version in unknown)]:
        reply = ask(scene, "initialize", {"protocolVersion": asked, **HELLO})
        assert (reply.status, reply.body["id"]) == (200, "a")
        result = reply.body["result"]
        assert set(result) == {"protocolVersion", "capabilities", "serverInfo", "instructions"}
        assert (result["protocolVersion"], result["capabilities"]) == (answered, {"tools": {}})
        assert result["serverInfo"] == {"name": "causeway", "title": "Causeway", "version": "1.2.0"}
        assert "Mcp-Session-Id" not in reply.headers
    # Initialize without a version.
    unclear: list[Any] = [{}, {"protocolVersion": None}, {"protocolVersion": 1}, {"protocolVersion": {}}]
    for params in unclear:
        assert refusal(ask(scene, "initialize", params)) == (200, -32602, "a")
    # Notifications.
    for method in ("notifications/initialized", "notifications/cancelled", "notifications/progress"):
        reply = scene.agent.message({"jsonrpc": "2.0", "method": method}, Mcp_Protocol_Version=LEGACY)
        assert (reply.status, reply.raw) == (202, b"")
    # No stream and no session to end.
    for method in ("GET", "DELETE"):
        reply = scene.agent.send(b"", method, Mcp_Protocol_Version=LEGACY, Mcp_Session_Id="1")
        assert (reply.status, reply.headers["Allow"]) == (405, "POST")
    scene.assert_untouched()


TOLD_WITH_200: list[tuple[str, Any, int]] = [
    ("resources/list", {}, -32601),
    ("prompts/get", {"name": "x"}, -32601),
    ("logging/setLevel", {"level": "info"}, -32601),
    ("no/such", {}, -32601),
    ("tools/call", {"name": "no_such_tool"}, -32602),
    ("tools/call", {}, -32602),
    ("tools/call", {"name": PROBE, "arguments": []}, -32602),
    ("tools/list", {"cursor": "2"}, -32602),
]


def test_errors_are_told_with_200(scene: Scene) -> None:
    for method, params, code in TOLD_WITH_200:
        assert refusal(ask(scene, method, params, Mcp_Protocol_Version=LEGACY)) == (200, code, "a"), (method, params)
    # A version header that nobody speaks.
    for version in ("2024-11-05", "2024-10-07", "2099-01-01", "1.0", "", "draft", f"{LEGACY},{LEGACY}"):
        reply = ask(scene, "tools/call", {"name": PROBE}, Mcp_Protocol_Version=version)
        assert (version, refusal(reply)) == (version, (400, -32602, "a"))
    # What is no message is 400 here too.
    batch = b'[{"jsonrpc":"2.0","id":1,"method":"ping"}]'
    for body, code in ((b"{", -32700), (b"[]", -32600), (batch, -32600), (b"{}", -32600)):
        assert refusal(scene.agent.send(body, Mcp_Protocol_Version=LEGACY)) == (400, code, None), body
    scene.assert_untouched()


ERAS: dict[str, tuple[str, Any, str | None, int | None]] = {
    "an envelope without header is modern": ("tools/list", ENVELOPE, None, -32020),
    "an envelope under an old header is modern": ("tools/list", ENVELOPE, LEGACY, -32020),
    "initialize with an envelope is modern": ("initialize", ENVELOPE, None, -32020),
    "the modern header alone is modern": ("tools/list", None, MODERN, -32602),
    "initialize under the modern header is modern": ("initialize", None, MODERN, -32602),
    "discover is modern": ("server/discover", None, None, -32602),
    "discover under an old header is modern": ("server/discover", None, LEGACY, -32602),
    "any other header is modern": ("tools/list", None, "1999-01-01", -32602),
    "nothing at all is old": ("tools/list", None, None, None),
    "a meta without version is old": ("tools/list", {"progressToken": 1}, LEGACY, None),
    "initialize is old whatever the header": ("initialize", None, "1999-01-01", None),
    "what a missing header means is old": ("tools/list", None, "2025-03-26", None),
}


def test_which_era_it_is(scene: Scene) -> None:
    for name, (method, meta, header, code) in ERAS.items():
        params = {"protocolVersion": LEGACY} | ({} if meta is None else {"_meta": meta})
        reply = ask(scene, method, params, Mcp_Protocol_Version=header)
        if code is None:
            assert (reply.status, "resultType" in reply.body["result"]) == (200, False), name
        else:
            assert refusal(reply) == (400, code, "a"), name
    scene.assert_untouched()


SERVER = {"io.modelcontextprotocol/serverInfo": {"name": "causeway", "title": "Causeway", "version": "1.2.0"}}


def result(agent: Agent, method: str, era: str = MODERN, **params: Any) -> Any:
    reply = agent.rpc(method, params, era)
    assert reply.status == 200
    return reply.body["result"]


def test_what_a_client_is_told_before_its_first_call(agent: Agent, merchant: Merchant) -> None:
    lasting = {"resultType": "complete", "ttlMs": 300_000, "cacheScope": "public", "_meta": SERVER}
    told = result(agent, "server/discover")
    assert isinstance(told.pop("instructions"), str)
    assert told == {**lasting, "supportedVersions": [MODERN], "capabilities": {"tools": {}}}
    told = result(agent, "tools/list")
    assert told == {**lasting, "tools": told["tools"]}
    assert [tool["name"] for tool in told["tools"]] == [tool.name for tool in TOOLS]
    assert result(agent, "tools/list", LEGACY) == {"tools": told["tools"]}
    for tool in told["tools"]:
        assert set(tool) == {"name", "title", "description", "inputSchema", "outputSchema", "annotations"}
    # The list is the same whoever asks.
    lists = [result(connected_agent(merchant, scopes=scopes), "tools/list") for scopes in ([], [Scope.READ_TOKENS])]
    assert lists == [told] * 2
    # There is no second page.
    cursors: tuple[object, ...] = ("", "2", 1, {})
    for cursor in cursors:
        assert agent.rpc("tools/list", {"cursor": cursor}).body["error"]["code"] == -32602
    assert result(agent, "tools/list", cursor=None) == told
