"""What everybody may read before connecting an agent: the manifest, the page for people, the note for programs."""

import json

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.utils.cache import get_conditional_response
from django.utils.http import quote_etag
from django.views.decorators.http import require_safe

from core.secrets import lookup_digest
from mcp.clients import agent_clients
from mcp.manifest import DESCRIPTION, install_manifest, server_url
from mcp.scopes import MONEY_SCOPES
from mcp.tools.registry import TOOLS


@require_safe
def manifest_document(request: HttpRequest) -> HttpResponseBase:
    """``GET /.well-known/mcp-install.json``, for programs on any site."""
    document = install_manifest(settings.BASE_URL, settings.API_VERSION)
    text = json.dumps(document, indent=2, ensure_ascii=False) + "\n"
    return _public(request, text, "application/json")


@require_safe
def llms_text(request: HttpRequest) -> HttpResponseBase:
    """``GET /llms.txt``: the same in a few lines, for a model that reads."""
    context = {**_context(), "description": DESCRIPTION}
    text = render(request, "agents/llms.txt", context).content.decode()
    return _public(request, text, "text/plain; charset=utf-8")


@require_safe
def agents_page(request: HttpRequest) -> HttpResponse:
    """``GET /agents/``: how a person connects an agent, and what it may then do."""
    return render(request, "agents/page.html", _context())


def _context() -> dict[str, object]:
    url = server_url(settings.BASE_URL)
    return {
        "base_url": settings.BASE_URL,
        "is_local": not settings.SECURE,
        "server_url": url,
        "clients": agent_clients(url),
        "tools": [{"tool": tool, "moves_money": tool.scope in MONEY_SCOPES} for tool in TOOLS],
    }


def _public(request: HttpRequest, text: str, content_type: str) -> HttpResponseBase:
    """An answer that any site may read and keep for five minutes, or 304 for a caller who has it."""
    etag = quote_etag(lookup_digest(text)[:32])
    answer = HttpResponse(text, content_type=content_type)
    answer.headers["ETag"] = etag
    answer.headers["Cache-Control"] = "public, max-age=300"
    unchanged = get_conditional_response(request, etag=etag, response=answer) or answer
    unchanged.headers["Access-Control-Allow-Origin"] = "*"
    return unchanged
