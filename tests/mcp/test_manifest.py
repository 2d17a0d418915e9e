"""What people, models and programs read before an agent is connected: the manifest, its snippets, and the pages."""

import json
import re
import shlex
import tomllib
from base64 import b64decode
from html import unescape
from itertools import product
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

import pytest
from django.contrib.staticfiles import finders
from django.test import Client

from mcp.clients import CONNECTION, EntryKind, agent_clients
from mcp.manifest import DESCRIPTION, install_manifest, registry_name
from mcp.scopes import Scope
from mcp.tools.registry import TOOLS
from tests.merchants.people import text_of
from tests.merchants.test_sign_in import INLINE, STRICT_POLICY, policy_of

BASE = "https://pay.example.com"
URL = f"{BASE}/mcp"
CLIENTS = [
    *("claude_ai", "claude_desktop", "claude_code", "cursor", "vscode"),
    *("codex", "chatgpt", "gemini_cli", "windsurf", "inspector"),
]
NAMES = [
    *("create_payout", "poll_settlement", "verify_webhook", "create_payment_intent", "get_payment_intent"),
    *("list_payment_intents", "cancel_payment_intent", "create_refund", "list_tokens"),
]
"""Source: agents, Nine tools. A client that was connected once may rely on each of them."""


@pytest.fixture
def document() -> dict[str, Any]:
    """The manifest of a service at a public address, as a program reads it."""
    written: dict[str, Any] = json.loads(json.dumps(install_manifest(BASE, "1.2.0")))
    return written


def texts(document: dict[str, Any], client: str, kind: EntryKind) -> list[str]:
    entries = [entry for entry in document["clients"][client] if entry["kind"] == kind]
    return [entry["content"] if kind is EntryKind.CONFIG else entry["value"] for entry in entries]


def test_it_has_exactly_these_members(document: dict[str, Any]) -> None:
    assert list(document) == [
        *("schema_version", "name", "title", "description", "version", "server", "auth", "modes"),
        *("tools", "clients", "docs_url", "support", "server_json"),
    ]
    assert document["schema_version"] == "1"
    named = (document["name"], document["title"], document["version"])
    assert named == ("com.example.pay/causeway", "Causeway", "1.2.0")
    versions = ["2026-07-28", "2025-11-25", "2025-06-18"]
    assert document["server"] == {"url": URL, "transport": "streamable-http", "protocol_versions": versions}
    assert document["modes"] == ["test", "live"]
    assert (document["docs_url"], document["support"]) == (f"{BASE}/agents/", f"{BASE}/agents/#help")
    # It names where clients sign in and every scope.
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
    # It lists the tools that are served.
    assert [tool["name"] for tool in document["tools"]] == NAMES
    for listed, tool in zip(document["tools"], TOOLS, strict=True):
        shown = {"name": tool.name, "title": tool.title, "description": tool.description, "scope": tool.scope.value}
        assert listed == {**shown, "annotations": tool.annotations}
    # It holds what a registry asks for.
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


REVERSED = {
    "http://localhost:8000": "localhost/causeway",
    "http://127.0.0.1:8000": "127.0.0.1/causeway",
    "http://[::1]:8000": "--1/causeway",
    "https://causeway.dev": "dev.causeway/causeway",
}


def test_its_name_is_the_host_reversed() -> None:
    assert {base_url: registry_name(base_url) for base_url in REVERSED} == REVERSED
    assert [name for name in REVERSED.values() if not re.fullmatch(r"[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+", name)] == []


def test_the_links_decode_to_the_server(document: dict[str, Any]) -> None:
    assert list(document["clients"]) == CLIENTS
    for entries in document["clients"].values():
        assert entries
        for entry in entries:
            text = {"content", "path"} if entry["kind"] == "config" else {"value"}
            assert set(entry) == {"kind"} | text
            assert all(entry.values())
    # The link for Cursor decodes to its server.
    [link] = texts(document, "cursor", EntryKind.DEEPLINK)
    parts = urlsplit(link)
    assert (parts.scheme, parts.netloc, parts.path) == ("cursor", "anysphere.cursor-deeplink", "/mcp/install")
    query = parse_qs(parts.query, strict_parsing=True)
    assert set(query) == {"name", "config"}
    assert query["name"] == [CONNECTION]
    assert json.loads(b64decode(query["config"][0], validate=True)) == {"url": URL}
    # The link for VS Code decodes to its server.
    [link] = texts(document, "vscode", EntryKind.DEEPLINK)
    before, _, config = link.partition("?")
    assert before == "vscode:mcp/install"
    assert json.loads(unquote(config)) == {"name": "causeway", "type": "http", "url": URL}


COMMANDS = {
    "claude_code": [["claude", "mcp", "add", "--transport", "http", "causeway", URL]],
    "codex": [["codex", "mcp", "add", "causeway", "--url", URL], ["codex", "mcp", "login", "causeway"]],
    "gemini_cli": [["gemini", "mcp", "add", "--transport", "http", "causeway", URL]],
    "inspector": [["npx", "@modelcontextprotocol/inspector"]],
    "vscode": [["code", "--add-mcp", f'{{"name":"causeway","type":"http","url":"{URL}"}}']],
}
FILES: dict[str, tuple[str, dict[str, Any]]] = {
    "claude_code": (".mcp.json", {"mcpServers": {"causeway": {"type": "http", "url": URL}}}),
    "cursor": (".cursor/mcp.json", {"mcpServers": {"causeway": {"url": URL}}}),
    "vscode": (".vscode/mcp.json", {"servers": {"causeway": {"type": "http", "url": URL}}}),
    "gemini_cli": ("~/.gemini/settings.json", {"mcpServers": {"causeway": {"httpUrl": URL}}}),
    "windsurf": ("~/.codeium/windsurf/mcp_config.json", {"mcpServers": {"causeway": {"serverUrl": URL}}}),
    "codex": ("~/.codex/config.toml", {"mcp_servers": {"causeway": {"url": URL}}}),
}
BY_HAND = ["claude_ai", "claude_desktop", "chatgpt"]


def test_commands_files_and_what_is_done_by_hand_lead_to_the_server(document: dict[str, Any]) -> None:
    commands = {client: texts(document, client, EntryKind.COMMAND) for client in COMMANDS}
    assert {client: [shlex.split(text) for text in said] for client, said in commands.items()} == COMMANDS
    for client, (path, content) in FILES.items():
        [entry] = [entry for entry in document["clients"][client] if entry["kind"] == "config"]
        read = tomllib.loads if path.endswith(".toml") else json.loads
        assert (entry["path"], read(entry["content"])) == (path, content), client
    for client in BY_HAND:
        [steps] = texts(document, client, EntryKind.MANUAL)
        assert URL in steps
    assert [client.name for client in agent_clients(URL) if client.hosted] == BY_HAND


def test_any_site_may_read_it(db: None) -> None:
    answer = Client().get("/.well-known/mcp-install.json", headers={"Origin": "https://elsewhere.example"})
    assert (answer.status_code, answer.headers["Content-Type"]) == (200, "application/json")
    assert answer.headers["Access-Control-Allow-Origin"] == "*"
    assert answer.headers["Cache-Control"] == "public, max-age=300"
    assert "Set-Cookie" not in answer.headers
    assert "Cookie" not in answer.headers.get("Vary", "")
    assert answer.json() == install_manifest("http://localhost:8000", "1.2.0")


def test_who_has_it_is_told_so_and_nothing_but_reading_is_answered(db: None) -> None:
    client = Client()
    for path in ("/.well-known/mcp-install.json", "/llms.txt"):
        etag = client.get(path).headers["ETag"]
        again = client.get(path, headers={"If-None-Match": etag})
        assert (again.status_code, again.content, again.headers["ETag"]) == (304, b"", etag)
        assert again.headers["Access-Control-Allow-Origin"] == "*"
        assert client.get(path, headers={"If-None-Match": '"other"'}).status_code == 200
        head = client.head(path)
        assert (head.status_code, head.content, head.headers["ETag"]) == (200, b"", etag)
    for path, method in product(("/.well-known/mcp-install.json", "/llms.txt", "/agents/"), ("POST", "PUT", "DELETE")):
        answer = client.generic(method, path)
        assert (answer.status_code, answer.headers["Allow"]) == (405, "GET, HEAD"), (method, path)


def test_the_page_holds_every_snippet_and_link_of_the_manifest_and_nothing_from_elsewhere(db: None) -> None:
    answer = Client().get("/agents/")
    assert (answer.status_code, answer.headers["X-Frame-Options"]) == (200, "DENY")
    assert policy_of(answer) == STRICT_POLICY
    page = text_of(answer)
    assert INLINE.findall(page) == []
    assert re.findall(r"""(?:src|href)=["'](?:https?:)?//""", page) == []
    names = re.findall(r'(?:src|href)="/static/([^"]+)"', page)
    assert names
    assert [name for name in names if finders.find(name) is None] == []
    ours = "http://localhost:8000/mcp"
    entries = [entry for client in agent_clients(ours) for entry in client.entries]
    assert [entry.text for entry in entries if entry.text not in unescape(page)] == []
    copied = dict(re.findall(r'<span[^>]* id="([^"]+)"[^>]*>(.*?)</span>', page, re.DOTALL))
    copyable = [entry.text for entry in entries if entry.kind in {EntryKind.COMMAND, EntryKind.CONFIG}]
    assert [unescape(text) for text in copied.values()] == [ours, *copyable]
    assert sorted(re.findall(r'data-copies="([^"]+)"', page)) == sorted(copied)
    links = [entry.text for entry in entries if entry.kind is EntryKind.DEEPLINK]
    assert [unescape(link) for link in re.findall(r'<a [^>]*?href="([^/#][^"]*)"', page)] == links
    # The page shows every tool and says which move money.
    rows = re.findall(r"<tr><td><code>(\w+)</code>.*?<span class=\"pill\"[^>]*>([^<]+)</span>", page)
    assert [name for name, _ in rows] == [tool.name for tool in TOOLS]
    moving = {name for name, effect in rows if effect == "moves money"}
    assert moving == {tool.name for tool in TOOLS if tool.scope in {"payouts:write", "refunds:write"}}
    assert 'href="/agents/"' in Client().get("/").content.decode()


def test_the_note_for_models_leads_everywhere(db: None) -> None:
    answer = Client().get("/llms.txt")
    assert (answer.status_code, answer.headers["Content-Type"]) == (200, "text/plain; charset=utf-8")
    text = answer.content.decode()
    assert text.startswith("# Causeway\n\n> ")
    base = "http://localhost:8000"
    assert re.findall(r"\]\((.*?)\)", text) == [
        *(f"{base}/.well-known/mcp-install.json", f"{base}/agents/"),
        *(f"{base}/api/public/openapi.json", f"{base}/api/docs/", f"{base}/docs/", f"{base}/llms-full.txt"),
    ]
    for link in re.findall(r"\]\(http://localhost:8000(.*?)\)", text):
        assert Client().get(link).status_code == 200, link
    for tool in TOOLS:
        assert f"- {tool.name} ({tool.scope}): {tool.description}\n" in text
    assert "&#" not in text
