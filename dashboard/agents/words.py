"""What the dashboard says of connections, of what agents did, and of why they were refused."""

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from core.money import UsdAmount, to_decimal_string
from mcp.models import AgentConnection, AgentRecord, AuditAction, RevokedBecause
from mcp.oauth import consent_names
from mcp.scopes import SCOPE_TEXTS, Scope
from mcp.visible import plain_name

_NAME_LENGTH = 80
SHORT_ID = 8


class Label(NamedTuple):
    """A short word and its tone."""

    word: str
    tone: str


OUTCOMES: Final = {
    "ok": Label("Done", "ok"),
    "tool_error": Label("Refused", "warn"),
    "denied": Label("Turned away", "bad"),
}
TOOL_WORDS: Final = {
    "create_payout": "Pay out an intent",
    "poll_settlement": "Look at a settlement",
    "verify_webhook": "Check a webhook signature",
    "create_payment_intent": "Create a payment intent",
    "get_payment_intent": "Look at a payment intent",
    "list_payment_intents": "List payment intents",
    "cancel_payment_intent": "Cancel a payment intent",
    "create_refund": "Refund a payer",
    "list_tokens": "List tokens",
}
ACTION_WORDS: Final[Mapping[str, str]] = {
    AuditAction.CONSENT: "Access was allowed",
    AuditAction.STEP_UP: "More access was allowed",
    AuditAction.REVOCATION: "Access was revoked",
    AuditAction.CHANGE: "Changed",
    AuditAction.DECISION: "A person approved",
    AuditAction.REFUSAL: "Turned away at the door",
}
_CHANGES: Final = {
    "per_call_usd": "limit per call",
    "per_day_usd": "limit per day",
    "per_hour_count": "times per hour",
    "approval_above_usd": "asks a person above",
    "name": "name",
    "paused": "paused",
    "scopes": "access",
    "expires_at": "ends",
    "because": "because",
}
_REASONS: Final = {
    "limit_exceeded": "More than its limits allow. Nothing was sent.",
    "approval_required": "A person must approve it first. Nothing was sent.",
    "approval_denied": "No person allowed it. Nothing was sent.",
    "agents_paused": "Agents were paused. Nothing was sent.",
    "connection_ended": "The connection had ended.",
    "connection_revoked": "The connection had been revoked.",
    "rate_limited": "Too many calls in a short time.",
    "insufficient_scope": "It was never given that access.",
    "invalid_token": "Its access token was no longer good.",
    "refresh_token_reused": "An old refresh token was used again. Everything issued under it was ended.",
    "authorization_code_reused": "An authorization code was used twice. Everything issued under it was ended.",
    "invalid_request": "What it sent made no sense.",
    "not_found": "There is no such thing in this account and mode.",
    "idempotency_key_reused": "The same key had been used for something else.",
    "unknown_tool": "There is no such tool.",
    "internal_error": "We failed. The error is ours.",
}


ENDED_BECAUSE: Final[Mapping[str, str]] = {
    RevokedBecause.LENDER_LEFT: "the person who allowed it left the team",
    RevokedBecause.LENDER_ROLE: "the person who allowed it has a role by now that may not allow all of this",
    RevokedBecause.LENDER_INACTIVE: "the person who allowed it may not sign in any more",
}


class Line(NamedTuple):
    """One line of the audit as people read it."""

    record: AgentRecord
    what: str
    about: str
    outcome: str
    tone: str
    why: str


def line_of(record: AgentRecord) -> Line:
    """What a line of the audit says in words."""
    label = OUTCOMES.get(record.outcome, Label(record.outcome, ""))
    about = change_words(record.arguments)
    if record.action == AuditAction.CALL:  # its amount and its ids, shortened
        amount = record.arguments.get("amount_usd") or record.arguments.get("amount")
        money = [f"${plain(str(amount))}"] if isinstance(amount, str | int) else []
        about = " · ".join([*money, *(f"{str(one)[:SHORT_ID]}…" for one in record.object_ids[:2])])
    return Line(
        record=record,
        what=_what(record),
        about=about,
        outcome=label.word,
        tone=label.tone,
        why=reason_words(record.code),
    )


def _what(record: AgentRecord) -> str:
    action, tool = ACTION_WORDS.get(record.action, record.action), TOOL_WORDS.get(record.tool, record.tool)
    if record.action == AuditAction.CALL:
        return tool
    if record.action == AuditAction.DECISION and record.outcome != "ok":
        action = "A person denied"
    return f"{action}: {tool}" if tool else action


def reason_words(code: str) -> str:
    """Why something was refused, in a sentence; empty where nothing was."""
    if not code:
        return ""
    return _REASONS.get(code, code.replace("_", " ").capitalize() + ".")


def change_words(changes: Mapping[str, Any]) -> str:
    """What changed, as a person would say it."""
    return "; ".join(_one_change(name, value) for name, value in changes.items() if name in _CHANGES)


def _one_change(name: str, value: Any) -> str:
    if name == "scopes" and isinstance(value, list):
        return "; ".join(scope_words(value))
    if isinstance(value, list) and len(value) == len(("old", "new")):
        return f"{_CHANGES[name]} from {_figure(name, value[0])} to {_figure(name, value[1])}"
    return f"{_CHANGES[name]}: {_figure(name, value)}"


def _figure(name: str, value: Any) -> str:
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if name == "because":
        return ENDED_BECAUSE.get(value, plain(str(value)))
    if name == "expires_at":
        return str(value)[: len("2026-05-04")]
    return f"${value}" if name.endswith("_usd") else plain(str(value))


def scope_words(scopes: list[str]) -> list[str]:
    """What may be done, as the consent page said it; scopes that no longer exist by their name."""
    known = {scope.value: text for scope, text in SCOPE_TEXTS.items()}
    ordered = [scope.value for scope in Scope if scope.value in scopes]
    return [known.get(scope, scope) for scope in [*ordered, *(one for one in scopes if one not in known)]]


def plain(text: str, length: int = _NAME_LENGTH) -> str:
    """Others' words without what could draw on the page: no control, bidirectional or invisible characters."""
    return plain_name(text, length)


class Client(NamedTuple):
    """Who a client says it is, and how far that is known."""

    name: str
    host: str
    is_verified: bool


def client_of(connection: AgentConnection) -> Client:
    """The client as people recognise it, in the words of the page on which it was allowed."""
    application = connection.application
    known = consent_names.client_of(application)
    redirects = application.redirect_uris.split()
    host = known.verified_host or (consent_names.target_of(redirects[0]).host if redirects else "")
    return Client(known.name or "A program without a name", host, bool(known.verified_host))


def money_words(amount: UsdAmount | None) -> str:
    """Dollars with their sign and their thousands apart."""
    if amount is None:
        return "no limit"
    whole, _, cents = to_decimal_string(amount).partition(".")
    return f"${int(whole):,}.{cents}"
