"""Revisions up to 2025-11-25, without sessions: every row of what HTTP owes. Source: agents, 1.4; era test of 1.3."""

from typing import Any

from tests.mcp.agents import ENVELOPE, LEGACY, MODERN
from tests.mcp.probe import PROBE, Scene
from tests.mcp.test_modern_rows import refusal

SPOKEN = (LEGACY, "2025-06-18")
HELLO: dict[str, Any] = {"capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}


def ask(scene: Scene, method: str, params: Any = None, **headers: str | None) -> Any:
    """Send a request without an envelope; no version header unless one is named."""
    message = {"jsonrpc": "2.0", "id": "a", "method": method, "params": params or {}}
    return scene.agent.message(message, **headers)


def test_initialize(scene: Scene) -> None:
    unknown = ("2025-03-26", "2024-11-05", MODERN, "2099-01-01", "", "x" * 5000)
    for asked, answered in [*zip(SPOKEN, SPOKEN, strict=True), *((version, LEGACY) for version in unknown)]:
        reply = ask(scene, "initialize", {"protocolVersion": asked, **HELLO})
        assert (reply.status, reply.body["id"]) == (200, "a")
        result = reply.body["result"]
        assert set(result) == {"protocolVersion", "capabilities", "serverInfo", "instructions"}
        assert (result["protocolVersion"], result["capabilities"]) == (answered, {"tools": {}})
        assert result["serverInfo"] == {"name": "causeway", "title": "Causeway", "version": "1.2.0"}
        assert "Mcp-Session-Id" not in reply.headers
    scene.assert_untouched()


def test_initialize_without_a_version(scene: Scene) -> None:
    unclear: list[Any] = [{}, {"protocolVersion": None}, {"protocolVersion": 1}, {"protocolVersion": {}}]
    for params in unclear:
        assert refusal(ask(scene, "initialize", params)) == (200, -32602, "a")


def test_notifications(scene: Scene) -> None:
    for method in ("notifications/initialized", "notifications/cancelled", "notifications/progress"):
        reply = scene.agent.message({"jsonrpc": "2.0", "method": method}, Mcp_Protocol_Version=LEGACY)
        assert (reply.status, reply.raw) == (202, b"")
    scene.assert_untouched()


def test_ping_list_and_call(scene: Scene) -> None:
    versions = (*SPOKEN, "2025-03-26", None)
    for version in versions:
        headers = {"Mcp_Protocol_Version": version}
        assert ask(scene, "ping", **headers).body == {"jsonrpc": "2.0", "id": "a", "result": {}}
        assert set(ask(scene, "tools/list", **headers).body["result"]) == {"tools"}
        called = ask(scene, "tools/call", {"name": PROBE, "arguments": {}}, **headers)
        assert called.body["result"] == {
            "content": [{"type": "text", "text": '{"done":true}'}],
            "structuredContent": {"done": True},
            "isError": False,
        }
    assert scene.probe.runs == [{}] * len(versions)
    assert [caller.facts.protocol_version for caller in scene.probe.callers] == [one or "" for one in versions]


def test_no_stream_and_no_session_to_end(scene: Scene) -> None:
    for method in ("GET", "DELETE"):
        reply = scene.agent.send(b"", method, Mcp_Protocol_Version=LEGACY, Mcp_Session_Id="1")
        assert (reply.status, reply.headers["Allow"]) == (405, "POST")
    scene.assert_untouched()


def test_a_version_header_that_nobody_speaks(scene: Scene) -> None:
    for version in ("2024-11-05", "2024-10-07", "2099-01-01", "1.0", "", "draft", f"{LEGACY},{LEGACY}"):
        reply = ask(scene, "tools/call", {"name": PROBE}, Mcp_Protocol_Version=version)
        assert (version, refusal(reply)) == (version, (400, -32602, "a"))
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
    scene.assert_untouched()


def test_what_is_no_message_is_400_here_too(scene: Scene) -> None:
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
