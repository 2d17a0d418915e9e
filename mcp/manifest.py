"""What an agent client needs to know to connect: one document, made from the tools, the scopes and the address.

Source: docs/design/agents.md, The install document. Must not hold anything of a merchant: everybody may read it.
"""

from ipaddress import ip_address
from typing import Any, Final
from urllib.parse import urlsplit

from mcp.clients import agent_clients
from mcp.protocol.versions import LEGACY, MODERN
from mcp.scopes import SCOPE_TEXTS
from mcp.tool import Tool
from mcp.tools.registry import TOOLS

SCHEMA_VERSION: Final = "1"
TITLE: Final = "Causeway"
DESCRIPTION: Final = "Payment intents, refunds and payouts of one merchant account, within limits its owner sets."
"""At most 100 characters. Source: https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json."""
PROTOCOL_VERSIONS: Final = (*MODERN, *LEGACY)
REGISTRY_SCHEMA: Final = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"
TRANSPORT: Final = "streamable-http"


def install_manifest(base_url: str, version: str) -> dict[str, Any]:
    """The whole document for a service at this address."""
    url, page = server_url(base_url), f"{base_url}/agents/"
    return {
        "schema_version": SCHEMA_VERSION,
        "name": registry_name(base_url),
        "title": TITLE,
        "description": DESCRIPTION,
        "version": version,
        "server": {"url": url, "transport": TRANSPORT, "protocol_versions": list(PROTOCOL_VERSIONS)},
        "auth": {
            "type": "oauth2.1",
            "resource": url,
            "protected_resource_metadata": f"{base_url}/.well-known/oauth-protected-resource/mcp",
            "authorization_server": base_url,
            "registration": ["cimd", "dcr"],
            "scopes": {str(scope): text for scope, text in SCOPE_TEXTS.items()},
        },
        "modes": ["test", "live"],
        "tools": [_tool(tool) for tool in TOOLS],
        "clients": {client.name: [entry.as_dict() for entry in client.entries] for client in agent_clients(url)},
        "docs_url": page,
        "support": f"{page}#help",
        "server_json": _server_json(base_url, version),
    }


def server_url(base_url: str) -> str:
    """Where agents connect; also the resource that their access tokens name."""
    return f"{base_url}/mcp"


def registry_name(base_url: str) -> str:
    """The service's name in reverse order of its host, as registries want it."""
    return f"{_reversed(urlsplit(base_url).hostname or 'localhost')}/causeway"


def _reversed(host: str) -> str:
    try:
        return str(ip_address(host)).replace(":", "-")
    except ValueError:
        return ".".join(reversed(host.split(".")))


def _tool(tool: Tool) -> dict[str, Any]:
    return {
        "name": tool.name,
        "title": tool.title,
        "description": tool.description,
        "annotations": dict(tool.annotations),
        "scope": str(tool.scope),
    }


def _server_json(base_url: str, version: str) -> dict[str, Any]:
    return {
        "$schema": REGISTRY_SCHEMA,
        "name": registry_name(base_url),
        "title": TITLE,
        "description": DESCRIPTION,
        "version": version,
        "websiteUrl": f"{base_url}/agents/",
        "remotes": [{"type": TRANSPORT, "url": server_url(base_url)}],
    }
