"""The install manifest: its shape, its snippets, and that they all lead to the one address."""

import json
import re
import shlex
import tomllib
from base64 import b64decode
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

import pytest
from django.test import Client

from mcp.clients import CONNECTION, EntryKind, agent_clients
from mcp.manifest import DESCRIPTION, install_manifest, registry_name
from mcp.scopes import Scope
from mcp.tools.registry import TOOLS

BASE = "https://pay.example.com"
URL = f"{BASE}/mcp"
HINTS = {"title", "readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"}
CLIENTS = [
    *("claude_ai", "claude_desktop", "claude_code", "cursor", "vscode"),
    *("codex", "chatgpt", "gemini_cli", "windsurf", "inspector"),
]
NAMES = [
    *("create_payout", "poll_settlement", "verify_webhook", "create_payment_intent", "get_payment_intent"),
    *("list_payment_intents", "cancel_payment_intent", "create_refund", "list_tokens"),
]
"""Source: agents, Nine tools. A client that was connected once may rely on each of them."""
SERVERS = {"url": URL}


@pytest.fixture
def document() -> dict[str, Any]:
    """The manifest of a service at a public address, as a program reads it."""
    written: dict[str, Any] = json.loads(json.dumps(install_manifest(BASE, "1.2.0")))
    return written


def texts(document: dict[str, Any], client: str, kind: EntryKind) -> list[str]:
    """What a client's entries of one kind hold."""
    entries = [entry for entry in document["clients"][client] if entry["kind"] == kind]
    return [entry["content"] if kind is EntryKind.CONFIG else entry["value"] for entry in entries]


def test_it_has_exactly_these_members(document: dict[str, Any]) -> None:
    assert list(document) == [
        *("schema_version", "name", "title", "description", "version", "server", "auth", "modes"),
        *("tools", "clients", "docs_url", "support", "server_json"),
    ]
    assert document["schema_version"] == "1"
    assert (document["name"], document["title"], document["version"]) == (
        "com.example.pay/causeway",
        "Causeway",
        "1.2.0",
    )
    assert document["server"] == {
        "url": URL,
        "transport": "streamable-http",
        "protocol_versions": ["2026-07-28", "2025-11-25", "2025-06-18"],
    }
    assert document["modes"] == ["test", "live"]
    assert (document["docs_url"], document["support"]) == (f"{BASE}/agents/", f"{BASE}/agents/#help")


def test_it_names_where_clients_sign_in_and_every_scope(document: dict[str, Any]) -> None:
    scopes = document["auth"].pop("scopes")
    assert document["auth"] == {
        "type": "oauth2.1",
        "resource": URL,
        "protected_resource_metadata": f"{BASE}/.well-known/oauth-protected-resource/mcp",
        "authorization_server": BASE,
        "registration": ["cimd", "dcr"],
    }
    assert list(scopes) == [scope.value for scope in Scope]
    assert all(scopes.values())


def test_it_lists_the_tools_that_are_served(document: dict[str, Any]) -> None:
    assert [tool["name"] for tool in document["tools"]] == NAMES
    for listed, tool in zip(document["tools"], TOOLS, strict=True):
        assert set(listed) == {"name", "title", "description", "annotations", "scope"}
        assert set(listed["annotations"]) == HINTS
        assert (listed["scope"], listed["annotations"]) == (tool.scope.value, tool.annotations)


def test_it_holds_what_a_registry_asks_for(document: dict[str, Any]) -> None:
    assert document["server_json"] == {
        "$schema": "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
        "name": "com.example.pay/causeway",
        "title": "Causeway",
        "description": DESCRIPTION,
        "version": "1.2.0",
        "websiteUrl": f"{BASE}/agents/",
        "remotes": [{"type": "streamable-http", "url": URL}],
    }
    assert len(DESCRIPTION) <= 100


@pytest.mark.parametrize(
    ("base_url", "name"),
    [
        ("http://localhost:8000", "localhost/causeway"),
        ("http://127.0.0.1:8000", "127.0.0.1/causeway"),
        ("http://[::1]:8000", "--1/causeway"),
        ("https://causeway.dev", "dev.causeway/causeway"),
    ],
)
def test_its_name_is_the_host_reversed(base_url: str, name: str) -> None:
    assert registry_name(base_url) == name
    assert re.fullmatch(r"[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+", name)


def test_every_client_is_there_and_every_entry_has_the_form(document: dict[str, Any]) -> None:
    assert list(document["clients"]) == CLIENTS
    for entries in document["clients"].values():
        assert entries
        for entry in entries:
            text = {"content", "path"} if entry["kind"] == "config" else {"value"}
            assert set(entry) == {"kind"} | text
            assert all(entry.values())


def test_the_link_for_cursor_decodes_to_its_server(document: dict[str, Any]) -> None:
    [link] = texts(document, "cursor", EntryKind.DEEPLINK)
    parts = urlsplit(link)
    assert (parts.scheme, parts.netloc, parts.path) == ("cursor", "anysphere.cursor-deeplink", "/mcp/install")
    query = parse_qs(parts.query, strict_parsing=True)
    assert set(query) == {"name", "config"}
    assert query["name"] == [CONNECTION]
    assert json.loads(b64decode(query["config"][0], validate=True)) == SERVERS


def test_the_link_for_vs_code_decodes_to_its_server(document: dict[str, Any]) -> None:
    [link] = texts(document, "vscode", EntryKind.DEEPLINK)
    before, _, config = link.partition("?")
    assert before == "vscode:mcp/install"
    assert json.loads(unquote(config)) == {"name": "causeway", "type": "http", "url": URL}


@pytest.mark.parametrize(
    ("client", "commands"),
    [
        ("claude_code", [["claude", "mcp", "add", "--transport", "http", "causeway", URL]]),
        ("codex", [["codex", "mcp", "add", "causeway", "--url", URL], ["codex", "mcp", "login", "causeway"]]),
        ("gemini_cli", [["gemini", "mcp", "add", "--transport", "http", "causeway", URL]]),
        ("inspector", [["npx", "@modelcontextprotocol/inspector"]]),
        ("vscode", [["code", "--add-mcp", f'{{"name":"causeway","type":"http","url":"{URL}"}}']]),
    ],
)
def test_a_shell_reads_the_commands_as_meant(document: dict[str, Any], client: str, commands: list[list[str]]) -> None:
    assert [shlex.split(text) for text in texts(document, client, EntryKind.COMMAND)] == commands


@pytest.mark.parametrize(
    ("client", "path", "content"),
    [
        ("claude_code", ".mcp.json", {"mcpServers": {"causeway": {"type": "http", "url": URL}}}),
        ("cursor", ".cursor/mcp.json", {"mcpServers": {"causeway": {"url": URL}}}),
        ("vscode", ".vscode/mcp.json", {"servers": {"causeway": {"type": "http", "url": URL}}}),
        ("gemini_cli", "~/.gemini/settings.json", {"mcpServers": {"causeway": {"httpUrl": URL}}}),
        ("windsurf", "~/.codeium/windsurf/mcp_config.json", {"mcpServers": {"causeway": {"serverUrl": URL}}}),
        ("codex", "~/.codex/config.toml", {"mcp_servers": {"causeway": {"url": URL}}}),
    ],
)
def test_the_files_hold_the_server(document: dict[str, Any], client: str, path: str, content: dict[str, Any]) -> None:
    [entry] = [entry for entry in document["clients"][client] if entry["kind"] == "config"]
    read = tomllib.loads if path.endswith(".toml") else json.loads
    assert (entry["path"], read(entry["content"])) == (path, content)


@pytest.mark.parametrize("client", ["claude_ai", "claude_desktop", "chatgpt"])
def test_what_is_done_by_hand_names_the_address(document: dict[str, Any], client: str) -> None:
    [steps] = texts(document, client, EntryKind.MANUAL)
    assert URL in steps


def test_clients_that_run_elsewhere_are_marked() -> None:
    hosted = [client.name for client in agent_clients(URL) if client.hosted]
    assert hosted == ["claude_ai", "claude_desktop", "chatgpt"]


def test_any_site_may_read_it(db: None) -> None:
    answer = Client().get("/.well-known/mcp-install.json", headers={"Origin": "https://elsewhere.example"})
    assert (answer.status_code, answer.headers["Content-Type"]) == (200, "application/json")
    assert answer.headers["Access-Control-Allow-Origin"] == "*"
    assert answer.headers["Cache-Control"] == "public, max-age=300"
    assert "Set-Cookie" not in answer.headers
    assert "Cookie" not in answer.headers.get("Vary", "")
    assert answer.json() == install_manifest("http://localhost:8000", "1.2.0")


@pytest.mark.parametrize("path", ["/.well-known/mcp-install.json", "/llms.txt"])
def test_who_has_it_is_told_so(db: None, path: str) -> None:
    client = Client()
    etag = client.get(path).headers["ETag"]
    again = client.get(path, headers={"If-None-Match": etag})
    assert (again.status_code, again.content, again.headers["ETag"]) == (304, b"", etag)
    assert again.headers["Access-Control-Allow-Origin"] == "*"
    assert client.get(path, headers={"If-None-Match": '"other"'}).status_code == 200
    head = client.head(path)
    assert (head.status_code, head.content, head.headers["ETag"]) == (200, b"", etag)


@pytest.mark.parametrize("method", ["post", "put", "delete"])
@pytest.mark.parametrize("path", ["/.well-known/mcp-install.json", "/llms.txt", "/agents/"])
def test_nothing_but_reading_is_answered(db: None, path: str, method: str) -> None:
    answer = getattr(Client(), method)(path)
    assert (answer.status_code, answer.headers["Allow"]) == (405, "GET, HEAD")
