"""Revisions up to 2025-11-25, without sessions: every row of what HTTP owes. Source: agents, 1.4; era test of 1.3."""

from typing import Any

import pytest

from tests.mcp.agents import ENVELOPE, LEGACY, MODERN
from tests.mcp.probe import PROBE, Scene
from tests.mcp.test_modern_rows import refusal

SPOKEN = (LEGACY, "2025-06-18")
HELLO: dict[str, Any] = {"capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}


def ask(scene: Scene, method: str, params: Any = None, **headers: str | None) -> Any:
    """Send a request without an envelope; no version header unless one is named."""
    message = {"jsonrpc": "2.0", "id": "a", "method": method, "params": params or {}}
    return scene.agent.message(message, **headers)


@pytest.mark.parametrize(
    ("asked", "answered"),
    [
        *((version, version) for version in SPOKEN),
        *((version, LEGACY) for version in ("2025-03-26", "2024-11-05", MODERN, "2099-01-01", "", "x" * 5000)),
    ],
    ids=lambda text: text[:12],
)
def test_initialize(asked: str, answered: str, scene: Scene) -> None:
    reply = ask(scene, "initialize", {"protocolVersion": asked, **HELLO})
    assert (reply.status, reply.body["id"]) == (200, "a")
    result = reply.body["result"]
    assert set(result) == {"protocolVersion", "capabilities", "serverInfo", "instructions"}
    assert (result["protocolVersion"], result["capabilities"]) == (answered, {"tools": {}})
    assert result["serverInfo"] == {"name": "causeway", "title": "Causeway", "version": "1.2.0"}
    assert "Mcp-Session-Id" not in reply.headers
    scene.assert_untouched()


@pytest.mark.parametrize("params", [{}, {"protocolVersion": None}, {"protocolVersion": 1}, {"protocolVersion": {}}])
def test_initialize_without_a_version(params: Any, scene: Scene) -> None:
    assert refusal(ask(scene, "initialize", params)) == (200, -32602, "a")


@pytest.mark.parametrize("method", ["notifications/initialized", "notifications/cancelled", "notifications/progress"])
def test_notifications(method: str, scene: Scene) -> None:
    reply = scene.agent.message({"jsonrpc": "2.0", "method": method}, Mcp_Protocol_Version=LEGACY)
    assert (reply.status, reply.raw) == (202, b"")
    scene.assert_untouched()


@pytest.mark.parametrize("version", [*SPOKEN, "2025-03-26", None])
def test_ping_list_and_call(version: str | None, scene: Scene) -> None:
    headers = {"Mcp_Protocol_Version": version}
    assert ask(scene, "ping", **headers).body == {"jsonrpc": "2.0", "id": "a", "result": {}}
    assert set(ask(scene, "tools/list", **headers).body["result"]) == {"tools"}
    called = ask(scene, "tools/call", {"name": PROBE, "arguments": {}}, **headers)
    assert called.body["result"] == {
        "content": [{"type": "text", "text": '{"done":true}'}],
        "structuredContent": {"done": True},
        "isError": False,
    }
    assert scene.probe.runs == [{}]
    assert scene.probe.callers[0].facts.protocol_version == (version or "")


@pytest.mark.parametrize("method", ["GET", "DELETE"])
def test_no_stream_and_no_session_to_end(method: str, scene: Scene) -> None:
    reply = scene.agent.send(b"", method, Mcp_Protocol_Version=LEGACY, Mcp_Session_Id="1")
    assert (reply.status, reply.headers["Allow"]) == (405, "POST")
    scene.assert_untouched()


@pytest.mark.parametrize(
    "version", ["2024-11-05", "2024-10-07", "2099-01-01", "1.0", "", "draft", f"{LEGACY},{LEGACY}"]
)
def test_a_version_header_that_nobody_speaks(version: str, scene: Scene) -> None:
    reply = ask(scene, "tools/call", {"name": PROBE}, Mcp_Protocol_Version=version)
    assert refusal(reply) == (400, -32602, "a")
    scene.assert_untouched()


@pytest.mark.parametrize(
    ("method", "params", "code"),
    [
        ("resources/list", {}, -32601),
        ("prompts/get", {"name": "x"}, -32601),
        ("logging/setLevel", {"level": "info"}, -32601),
        ("no/such", {}, -32601),
        ("tools/call", {"name": "no_such_tool"}, -32602),
        ("tools/call", {}, -32602),
        ("tools/call", {"name": PROBE, "arguments": []}, -32602),
        ("tools/list", {"cursor": "2"}, -32602),
    ],
)
def test_errors_are_told_with_200(method: str, params: Any, code: int, scene: Scene) -> None:
    assert refusal(ask(scene, method, params, Mcp_Protocol_Version=LEGACY)) == (200, code, "a")
    scene.assert_untouched()


@pytest.mark.parametrize(
    ("body", "code"),
    [(b"{", -32700), (b"[]", -32600), (b'[{"jsonrpc":"2.0","id":1,"method":"ping"}]', -32600), (b"{}", -32600)],
)
def test_what_is_no_message_is_400_here_too(body: bytes, code: int, scene: Scene) -> None:
    assert refusal(scene.agent.send(body, Mcp_Protocol_Version=LEGACY)) == (400, code, None)
    scene.assert_untouched()


@pytest.mark.parametrize(
    ("method", "meta", "header", "code"),
    [
        pytest.param("tools/list", ENVELOPE, None, -32020, id="an envelope without header is modern"),
        pytest.param("tools/list", ENVELOPE, LEGACY, -32020, id="an envelope under an old header is modern"),
        pytest.param("initialize", ENVELOPE, None, -32020, id="initialize with an envelope is modern"),
        pytest.param("tools/list", None, MODERN, -32602, id="the modern header alone is modern"),
        pytest.param("initialize", None, MODERN, -32602, id="initialize under the modern header is modern"),
        pytest.param("server/discover", None, None, -32602, id="discover is modern"),
        pytest.param("server/discover", None, LEGACY, -32602, id="discover under an old header is modern"),
        pytest.param("tools/list", None, "1999-01-01", -32602, id="any other header is modern"),
        pytest.param("tools/list", None, None, None, id="nothing at all is old"),
        pytest.param("tools/list", {"progressToken": 1}, LEGACY, None, id="a meta without version is old"),
        pytest.param("initialize", None, "1999-01-01", None, id="initialize is old whatever the header"),
        pytest.param("tools/list", None, "2025-03-26", None, id="what a missing header means is old"),
    ],
)
def test_which_era_it_is(method: str, meta: Any, header: str | None, code: int | None, scene: Scene) -> None:
    params = {"protocolVersion": LEGACY} | ({} if meta is None else {"_meta": meta})
    reply = ask(scene, method, params, Mcp_Protocol_Version=header)
    if code is None:
        assert reply.status == 200
        assert "resultType" not in reply.body["result"]
    else:
        assert refusal(reply) == (400, code, "a")
    scene.assert_untouched()
