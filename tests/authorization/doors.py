"""The table: what each operation asks of its caller. An operation that is not written here fails the tests."""

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from merchants.scopes import KeyScope
from tests.authorization.routes import served_routes
from tests.theatre.files import LAPSED

V1 = "/api/public/v1"
INTENT = f"{V1}/payment-intents/<str:intent_id>"
ENDPOINT = f"{V1}/webhook-endpoints/<str:endpoint_id>"
REFUND = f"{V1}/refunds/<str:refund_id>"
PAYOUT = f"{V1}/payouts/<str:payout_id>"
CHECKOUT = f"{V1}/checkout/<str:intent_id>"
HELPERS = f"{V1}/test-helpers"
RECEIVER = "https://93.184.215.14/hook"
"""A public address written out, so that saving it asks no name server."""
SETTLEMENT = {"settlement_chain": "base", "settlement_token": "USDC"}
PAYEE = "0x52908400098527886E0F7030069857D2E4169EE7"


class Door(StrEnum):
    """Who is let in."""

    NOBODY_IS_ASKED = "open to everybody"
    WALLETS_SIGNATURE = "open to everybody; what changes anything is a wallet's signature in the body"
    SECRET_KEY = "a secret key"
    ANY_KEY = "a secret key, or a restricted one with whatever scopes"
    TEST_SECRET_KEY = "a secret key of test mode"
    CHECKOUT_TOKEN = "a checkout token of this very intent"
    WHERE_SOLANA_IS = "open to everybody for live intents where a node of Solana is named, and there alone"
    CHECKOUT_SESSION = "such a token, or a publishable key of the intent's merchant and mode"


@dataclass(frozen=True, kw_only=True)
class Operation:
    """A method on a path: its door, what a good body is, and what the right caller is answered.

    A value of the body that reads ``<name>`` stands for an id, as in a path. ``scope``: what opens it to restricted
    keys; behind a secret key and without one, it is closed to them.
    """

    door: Door
    scope: KeyScope | None = None
    status: int = 200
    body: dict[str, Any] | None = field(default=None, hash=False)


def _keyed(status: int = 200, body: dict[str, Any] | None = None, scope: KeyScope | None = None) -> Operation:
    return Operation(door=Door.SECRET_KEY, status=status, body=body, scope=scope)


def _open() -> Operation:
    return Operation(door=Door.NOBODY_IS_ASKED)


def _payer(body: dict[str, Any], status: int = 202) -> Operation:
    return Operation(door=Door.CHECKOUT_TOKEN, status=status, body=body)


READ, PAYMENTS = KeyScope.READ_INTENTS, KeyScope.WRITE_INTENTS
REFUNDS, PAYOUTS = KeyScope.WRITE_REFUNDS, KeyScope.WRITE_PAYOUTS
_ATTEMPT = "00000000-0000-4000-8000-000000000000"
_LEG = {"attempt_id": _ATTEMPT, "leg_sequence": 1}

OPERATIONS: dict[str, Operation] = {
    "GET /api/public/health": _open(),
    "GET /api/public/health/ready": _open(),
    "GET /api/public/openapi.json": _open(),
    f"GET {V1}/tokens": _open(),
    f"GET {V1}/account": Operation(door=Door.ANY_KEY),
    f"GET {V1}/request-log": _keyed(),
    f"GET {CHECKOUT}": _open(),
    f"POST {V1}/payment-intents": _keyed(
        201, {"amount": 25, **SETTLEMENT, "settlement_address": PAYEE}, scope=PAYMENTS
    ),
    f"GET {V1}/payment-intents": _keyed(scope=READ),
    f"GET {INTENT}": _keyed(scope=READ),
    f"POST {INTENT}/cancel": _keyed(scope=PAYMENTS),
    f"POST {INTENT}/accept-partial": _keyed(409, scope=PAYMENTS),
    f"GET {INTENT}/transactions": _keyed(scope=READ),
    f"GET {INTENT}/routing": _keyed(scope=READ),
    f"GET {INTENT}/explain": _keyed(scope=READ),
    f"POST {V1}/refunds": _keyed(201, {"intent_id": "<paid_intent_id>", "amount_usd": 1}, scope=REFUNDS),
    f"POST {V1}/refunds/to-payers": _keyed(201, {"intent_id": "<repayable_intent_id>"}, scope=REFUNDS),
    f"GET {INTENT}/flight-record": _keyed(scope=READ),
    f"GET {INTENT}/scenario": _keyed(scope=READ),
    f"GET {INTENT}/payers": _keyed(scope=READ),
    f"GET {V1}/refunds": _keyed(scope=READ),
    f"GET {REFUND}": _keyed(scope=READ),
    f"POST {REFUND}/cancel": _keyed(scope=REFUNDS),
    f"POST {REFUND}/destination": _keyed(200, {"destination": PAYEE}, scope=REFUNDS),
    "GET /api/public/refunds/<str:refund_id>/status": _open(),
    "POST /api/public/refunds/<str:refund_id>/claim/nonce": Operation(
        door=Door.WALLETS_SIGNATURE, status=201, body={"family": "evm", "wallet": PAYEE, "destination": PAYEE}
    ),
    "POST /api/public/refunds/<str:refund_id>/claim": Operation(
        door=Door.WALLETS_SIGNATURE, status=404, body={"nonce": "0" * 48, "signature": "0x00"}
    ),
    f"GET {V1}/payouts": _keyed(scope=READ),
    f"GET {PAYOUT}": _keyed(scope=READ),
    f"POST {PAYOUT}/replay": _keyed(scope=PAYOUTS),
    f"GET {V1}/events": _keyed(scope=READ),
    f"GET {V1}/events/<str:event_id>": _keyed(scope=READ),
    f"POST {V1}/webhook-endpoints": _keyed(201, {"url": f"{RECEIVER}/new", "events": ["*"]}),
    f"GET {V1}/webhook-endpoints": _keyed(),
    f"GET {ENDPOINT}/pull": _keyed(409),
    f"POST {ENDPOINT}/answer": _keyed(409, {"delivery_id": "<delivery_id>", "attempt": 1, "status": 200}),
    f"GET {ENDPOINT}": _keyed(),
    f"PATCH {ENDPOINT}": _keyed(200, {"enabled": False}),
    f"DELETE {ENDPOINT}": _keyed(),
    f"POST {ENDPOINT}/rotate-secret": _keyed(),
    f"GET {ENDPOINT}/deliveries": _keyed(),
    f"POST {ENDPOINT}/certify": _keyed(202),
    f"GET {ENDPOINT}/certificate": _keyed(404),
    f"POST {ENDPOINT}/recover": _keyed(200, {"since": "2026-01-01T00:00:00Z"}),
    f"POST {ENDPOINT}/deliveries/<str:delivery_id>/resend": _keyed(),
    f"POST {HELPERS}/payment-intents/<str:intent_id>/pay": Operation(
        door=Door.TEST_SECRET_KEY, body={}, scope=PAYMENTS
    ),
    f"GET {HELPERS}/scenarios": Operation(door=Door.TEST_SECRET_KEY, scope=READ),
    f"POST {HELPERS}/scenarios/replays": Operation(
        door=Door.TEST_SECRET_KEY, scope=PAYMENTS, status=201, body={"scenario": LAPSED}
    ),
    f"GET {HELPERS}/scenarios/replays/<str:replay_id>": Operation(door=Door.TEST_SECRET_KEY, scope=READ),
    f"POST {HELPERS}/clock/advance": Operation(door=Door.TEST_SECRET_KEY, body={"seconds": 60}),
    f"POST {HELPERS}/events/trigger": Operation(door=Door.TEST_SECRET_KEY, body={"type": "payment_intent.settled"}),
    f"POST {CHECKOUT}/session": Operation(door=Door.CHECKOUT_SESSION, body={}),
    f"GET {CHECKOUT}/state": Operation(door=Door.CHECKOUT_TOKEN),
    f"POST {CHECKOUT}/wallet": _payer({"family": "evm", "address": PAYEE}),
    f"POST {CHECKOUT}/quote": _payer({"chain": "base", "token_address": PAYEE}),
    f"POST {CHECKOUT}/start": _payer({"attempt_id": _ATTEMPT}),
    f"POST {CHECKOUT}/submitted": _payer({**_LEG, "tx_hash": "0x" + "ab" * 32}),
    f"POST {CHECKOUT}/rejected": _payer({"attempt_id": _ATTEMPT}),
    f"POST {CHECKOUT}/simulated-wallet/transactions": _payer(_LEG, 201),
    f"GET {CHECKOUT}/solana-pay": Operation(door=Door.WHERE_SOLANA_IS),
    f"POST {CHECKOUT}/solana-pay": Operation(door=Door.WHERE_SOLANA_IS, body={"account": "1" * 32}),
}
"""By method and path, as the resolver writes it."""

SCOPES = {name: operation.scope for name, operation in OPERATIONS.items() if operation.scope}

PROGRAM_DOORS = {
    "/mcp": "tests/mcp",
    "/oauth/token": "tests/mcp/oauth",
    "/oauth/revoke": "tests/mcp/oauth",
    "/oauth/register": "tests/mcp/oauth",
    "/oauth/register/<str:client_id>": "tests/mcp/oauth",
}
"""Paths for programs that speak another language than REST's, by where all of their callers are tested."""

OPEN_PAGES = frozenset(
    {
        *("/", "/api/docs/", "/checkout/<str:intent_id>", "/checkout/<str:intent_id>/solana-pay.svg"),
        "/checkout/<str:intent_id>/receipt",
        *("/checkout/brand/<uuid:handle>/<int:version>/look.css", "/checkout/brand/<uuid:handle>/<int:version>/logo"),
        *("/embed/v1.js", "/embed/wallets-v1.js", "/embed/v1.json", "/embed/<str:intent_id>"),
        "/checkout/words/<str:language>/<str:version>.json",
        "/claim/<str:refund_id>",
        *("/docs", "/docs/", "/docs/search", "/docs/sitemap.xml", "/docs/images/<str:name>", "/llms-full.txt"),
        *("/docs/<path:slug>", "/docs/<path:slug>.md", "/docs/verify.html"),
        *("/routes/", "/routes/data.json", "/routes/test/", "/routes/test/data.json"),
        *("/agents/", "/.well-known/mcp-install.json", "/.well-known/causeway-receipt-keys.json", "/llms.txt"),
        *("/demo/", "/demo/buy", "/demo/orders/<uuid:order_id>", "/demo/orders/<uuid:order_id>/news", "/demo/webhook"),
        *("/demo/buy-here", "/demo/orders/<uuid:order_id>/pay"),
        "/.well-known/oauth-authorization-server",
        *("/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/mcp"),
    }
)
"""Pages for anybody: no key, cookie or sign-in changes what they show; guides alone show members their own test key."""

ENTRANCE = frozenset(
    {
        *("/accounts/login/", "/accounts/logout/", "/accounts/inactive/", "/accounts/signup/"),
        *("/accounts/confirm-email/", "/accounts/login/code/confirm/", "/accounts/password/reset/"),
        *("/accounts/password/reset/done/", "/accounts/password/reset/key/done/"),
        "/accounts/^confirm-email/(?P<key>[-:\\w]+)/$",
        "/accounts/^password/reset/key/(?P<uidb36>[0-9A-Za-z]+)-(?P<key>.+)/$",
        *("/accounts/2fa/authenticate/", "/accounts/2fa/webauthn/login/"),
        *("/accounts/signup/<str:token>/", "/accounts/invitation/<str:token>/"),
    }
)
"""Where people come in: open by nature, of the sign-in library, and without merchants' rows."""

BEHIND_THE_SIGN_IN = (
    *("/dashboard/", "/admin/"),
    *("/accounts/email/", "/accounts/reauthenticate/", "/accounts/password/change/", "/accounts/password/set/"),
    *("/accounts/2fa/", "/accounts/sessions/", "/oauth/authorize"),
)
"""Everything below these is for people who signed in, unless it is the entrance. Why by beginning: closed unless
opened, so a page that is added is closed too."""


def served_operations() -> list[str]:
    return [f"{method} {route.path}" for route in served_routes() if route.speaks_json for method in route.methods]


def served_pages() -> list[str]:
    return [route.path for route in served_routes() if not route.speaks_json and route.path not in PROGRAM_DOORS]


def is_behind_the_sign_in(path: str) -> bool:
    return path not in ENTRANCE and path.startswith(BEHIND_THE_SIGN_IN)


def operations_of(*doors: Door, where: Callable[[str], bool] = bool) -> list[str]:
    return [name for name, operation in OPERATIONS.items() if operation.door in doors and where(name)]


def names_a_resource(operation: str) -> bool:
    return "<" in operation or any(is_a_name(value) for value in (OPERATIONS[operation].body or {}).values())


def is_a_name(value: object) -> bool:
    return isinstance(value, str) and value.startswith("<")
