"""Apps meet at few doors: what one app may import of another, and who may speak HTTP to the outside.

The floors themselves are import contracts in pyproject.toml; these are the rules those cannot say.
"""

import pytest

from tests.architecture.source import APPS, Module, app_modules, imports, parse

OPEN_TO_ALL = frozenset({"services", "selectors", "models", "states", "events", "errors"})
ALSO_OPEN = {
    "merchants": frozenset({
        "admission", "principal", "authentication", "permissions", "scopes", "idempotency", "claims", "throttling",
        "accounts", "acts", "reach", "audit", "querysets", "openapi", "request_log", "request_redaction",
    }),
    "chains": frozenset({
        "registry", "addresses", "clients", "calldata", "instructions", "finality", "base58", "transfers",
        "reader", "signatures", "signers", "wallets", "owners", "blockers", "authorized_calls",
    }),
    "proofs": frozenset({"canonical", "keys"}),
    "webhooks": frozenset({"catalog", "signatures"}),
    "ledger": frozenset({"accounts", "standing"}),
    "payments": frozenset({"explanation", "receipts", "samples"}),
}  # fmt: skip
SAME_WIRE = {"mcp": frozenset({"serializers", "shapes", "intake"}), "theatre": frozenset({"routing"})}
"""Agents are shown, and may ask for, what REST shows and takes, in the same words. A replay stores plans."""
SHOWN = {
    "chains": frozenset({"gas_accounts", "restored"}),
    "merchants": frozenset({"key_terms"}),
    "ledger": frozenset({"statements"}),
    "webhooks": frozenset({"diagnosis", "due_endpoints", "rewriting"}),
    "payments": frozenset({"amounts", "filters", "shapes", "strays"}),
    "checkout": frozenset({"brand", "branding"}),
    "refunds": frozenset({"payer_words", "serializers", "shapes", "shares"}),
    "payouts": frozenset({"filters"}),
    "records": frozenset({"statement"}),
    "mcp": frozenset({"facts", "oauth", "scopes", "visible"}),
}
"""Screens show more: figures before anything is asked, and files in the shape of the interface."""
SCREENS = frozenset({"dashboard", "operations"})
FREE_TO_CALL = "core"
WIRES_EVERYTHING = "config"
HTTP_LIBRARIES = ("aiohttp", "requests", "httpx", "httpx2", "urllib3", "urllib.request", "http.client")
SPEAKS_HTTP = ("core.outbound", "webhooks.delivery", "chains.clients")
ASKS_ITSELF = {"config.management.commands.up": "asks its own web server on this machine whether it is ready"}


def wrong_doors(module: Module) -> list[str]:
    if module.app == WIRES_EVERYTHING:
        return []
    return [module.at(node, name) for node, name in imports(module) if not _is_allowed(module.app, name)]


def _is_allowed(importer: str, name: str) -> bool:
    app, _, inside = name.partition(".")
    if app not in APPS or app in {importer, FREE_TO_CALL}:
        return True
    open_to_it = OPEN_TO_ALL | ALSO_OPEN.get(app, frozenset()) | SAME_WIRE.get(importer, frozenset())
    if importer in SCREENS:
        open_to_it |= SHOWN.get(app, frozenset())
    return inside.partition(".")[0] in open_to_it


def http_imports(module: Module) -> list[str]:
    return [module.at(node, name) for node, name in imports(module) if _speaks_http(name)]


def _speaks_http(name: str) -> bool:
    return any(name == library or name.startswith(f"{library}.") for library in HTTP_LIBRARIES)


@pytest.mark.spec("Rulings B8.2")
def test_apps_meet_at_their_doors_alone() -> None:
    assert [place for module in app_modules() for place in wrong_doors(module)] == []
    text = """
from payments.views import PaymentIntentViewSet
from payments import tasks, services
from merchants.principal import Principal
import core.money
from config.celery import app
from .views import page
"""
    assert wrong_doors(parse("checkout/planted.py", text)) == [
        "checkout/planted.py:2: payments.views.PaymentIntentViewSet",
        "checkout/planted.py:3: payments.tasks",
        "checkout/planted.py:6: config.celery.app",
    ]


@pytest.mark.spec("Rulings B1.1; Rulings B6.1")
def test_three_places_speak_http() -> None:
    others = [module for module in app_modules() if not module.is_in(*SPEAKS_HTTP, *ASKS_ITSELF)]
    assert [place for module in others for place in http_imports(module)] == []
    text = "import aiohttp\nfrom urllib import request, parse\nimport urllib.request\nfrom requests.adapters import X\n"
    assert http_imports(parse("payments/planted.py", text)) == [
        "payments/planted.py:1: aiohttp",
        "payments/planted.py:2: urllib.request",
        "payments/planted.py:3: urllib.request",
        "payments/planted.py:4: requests.adapters.X",
    ]
