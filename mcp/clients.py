"""How each agent client is told of this server: commands, files and links, all made from one name and one address.

Source: docs/design/agents.md, The install document. Must not ask anything of these clients: what they read is data
here.
"""

import json
import shlex
from base64 import b64encode
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Any
from urllib.parse import quote, urlencode

CONNECTION = "causeway"
"""What the server is called in a client's own list."""


class EntryKind(StrEnum):
    """What a person does with an entry: click it, run it, save it, or follow it."""

    DEEPLINK = "deeplink"
    COMMAND = "command"
    CONFIG = "config"
    MANUAL = "manual"


@dataclass(frozen=True, kw_only=True)
class Entry:
    """One way of connecting a client. Only a file has a path."""

    kind: EntryKind
    text: str
    path: str = ""

    def as_dict(self) -> dict[str, str]:
        """The entry as the manifest shows it."""
        if self.kind is EntryKind.CONFIG:
            return {"kind": self.kind, "path": self.path, "content": self.text}
        return {"kind": self.kind, "value": self.text}


@dataclass(frozen=True, kw_only=True)
class AgentClient:
    """A program that speaks to agents' servers. ``hosted``: it runs elsewhere and must reach this address."""

    name: str
    title: str
    entries: tuple[Entry, ...]
    hosted: bool = False


def agent_clients(url: str) -> tuple[AgentClient, ...]:
    """Every client with its ways of connecting to this address, in the order in which they are shown."""
    return tuple(_clients(url))


def _clients(url: str) -> Iterator[AgentClient]:
    connector = _manual(f"Settings → Connectors → Add custom connector. Paste {url} and choose Connect.")
    yield AgentClient(name="claude_ai", title="Claude on the web", entries=(connector,), hosted=True)
    yield AgentClient(name="claude_desktop", title="Claude Desktop", entries=(connector,), hosted=True)
    code = (
        _command("claude", "mcp", "add", "--transport", "http", CONNECTION, url),
        _manual("Then type /mcp in a session and choose Authenticate."),
        _config(".mcp.json", "mcpServers", {"type": "http", "url": url}),
    )
    yield AgentClient(name="claude_code", title="Claude Code", entries=code)
    yield AgentClient(name="cursor", title="Cursor", entries=_cursor(url))
    yield AgentClient(name="vscode", title="VS Code", entries=_vscode(url))
    yield AgentClient(name="codex", title="Codex", entries=_codex(url))
    steps = f"Settings → Connectors → Create, in developer mode. Paste {url} and choose OAuth."
    yield AgentClient(name="chatgpt", title="ChatGPT", entries=(_manual(steps),), hosted=True)
    gemini = (
        _command("gemini", "mcp", "add", "--transport", "http", CONNECTION, url),
        _config("~/.gemini/settings.json", "mcpServers", {"httpUrl": url}),
    )
    yield AgentClient(name="gemini_cli", title="Gemini CLI", entries=gemini)
    windsurf = _config("~/.codeium/windsurf/mcp_config.json", "mcpServers", {"serverUrl": url})
    yield AgentClient(name="windsurf", title="Windsurf", entries=(windsurf,))
    inspector = (
        _command("npx", "@modelcontextprotocol/inspector"),
        _manual(f"Choose Streamable HTTP, paste {url} and connect."),
    )
    yield AgentClient(name="inspector", title="MCP Inspector", entries=inspector)


def _cursor(url: str) -> tuple[Entry, ...]:
    config = b64encode(_compact({"url": url}).encode()).decode()
    query = urlencode({"name": CONNECTION, "config": config})
    return (
        Entry(kind=EntryKind.DEEPLINK, text=f"cursor://anysphere.cursor-deeplink/mcp/install?{query}"),
        _config(".cursor/mcp.json", "mcpServers", {"url": url}),
    )


def _vscode(url: str) -> tuple[Entry, ...]:
    named = _compact({"name": CONNECTION, "type": "http", "url": url})
    return (
        Entry(kind=EntryKind.DEEPLINK, text=f"vscode:mcp/install?{quote(named, safe='')}"),
        _command("code", "--add-mcp", named),
        _config(".vscode/mcp.json", "servers", {"type": "http", "url": url}),
    )


def _codex(url: str) -> tuple[Entry, ...]:
    table = f"[mcp_servers.{CONNECTION}]\nurl = {json.dumps(url)}\n"
    return (
        _command("codex", "mcp", "add", CONNECTION, "--url", url),
        _command("codex", "mcp", "login", CONNECTION),
        Entry(kind=EntryKind.CONFIG, path="~/.codex/config.toml", text=table),
    )


def _config(path: str, key: str, server: dict[str, Any]) -> Entry:
    text = json.dumps({key: {CONNECTION: server}}, indent=2)
    return Entry(kind=EntryKind.CONFIG, path=path, text=text + "\n")


def _command(*words: str) -> Entry:
    return Entry(kind=EntryKind.COMMAND, text=shlex.join(words))


def _manual(text: str) -> Entry:
    return Entry(kind=EntryKind.MANUAL, text=text)


def _compact(value: dict[str, Any]) -> str:
    return json.dumps(value, separators=(",", ":"))
