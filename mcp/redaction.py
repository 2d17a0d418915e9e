"""What the audit may repeat of a tool's arguments: only what is listed here, and only where it looks as it should.

Everything else is known by its kind and length alone. Why by a list of what is allowed: an argument that somebody
adds later, or that an agent invents, must not carry a secret or a customer's words into a table that is never cleared.
"""

import json
import re
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any, Final

from core.ids import is_idempotency_key, parse_public_id
from core.secrets import keyed_digest

Shown = Callable[[Any], bool]
CREDENTIAL: Final = re.compile(r"(?<![a-z0-9])(whsec|sk|pk|rk)_|bearer|eyJ", re.IGNORECASE)
"""How credentials begin: a key that an agent put into the wrong argument is not repeated."""


def _matches(pattern: str) -> Shown:
    compiled = re.compile(pattern)
    return lambda value: isinstance(value, str) and compiled.fullmatch(value) is not None


def _is_amount(value: Any) -> bool:
    if isinstance(value, bool):
        return False
    return isinstance(value, int | Decimal) or (isinstance(value, str) and _AMOUNT(value))


def _is_id(value: Any) -> bool:
    return isinstance(value, str) and parse_public_id(value, "pi_") is not None


_AMOUNT = _matches(r"\d{1,12}(\.\d{1,18})?")
_WORD = _matches(r"[a-z][a-z_0-9-]{0,23}")
_SYMBOL = _matches(r"[A-Za-z0-9.]{1,12}|0x[0-9a-fA-F]{40}")


def _is_count(value: Any) -> bool:
    return isinstance(value, int)


_MOST_WORDS = 16


_INTENT: Final[Mapping[str, Shown]] = {"payment_intent_id": _is_id, "intent_id": _is_id}
_UNTRUSTED: Final[Mapping[str, Shown]] = {"include_untrusted": lambda value: isinstance(value, bool)}
SHOWN: Final[Mapping[str, Mapping[str, Shown]]] = {
    "create_payout": _INTENT,
    "poll_settlement": _INTENT,
    "verify_webhook": {"webhook_endpoint_id": _is_id},
    "create_payment_intent": {
        "amount": _is_amount,
        "currency": _SYMBOL,
        "settlement_chain": _WORD,
        "settlement_token": _SYMBOL,
        "expires_in_seconds": _is_count,
    },
    "get_payment_intent": {
        **_INTENT,
        **_UNTRUSTED,
        "include": lambda value: isinstance(value, list) and len(value) <= _MOST_WORDS and all(map(_WORD, value)),
    },
    "list_payment_intents": {"status": _WORD, "limit": _is_count, "starting_after": _is_id},
    "cancel_payment_intent": _INTENT,
    "create_refund": {**_INTENT, "amount_usd": _is_amount},
    "list_tokens": {**_UNTRUSTED, "chain": _WORD, "limit": _is_count},
}
"""By tool, the arguments that may stand in clear, each with what it must look like. The idempotency key has a column
of its own; secrets, bodies, signatures, reasons, metadata, e-mail addresses and search words are never listed."""


def redacted(tool: str, arguments: object, known: frozenset[str]) -> dict[str, Any]:
    """What is kept of a call's arguments. Names that the tool does not know are counted, not repeated."""
    if not isinstance(arguments, Mapping):
        return {"_not_an_object": _outline(arguments)}
    shown = SHOWN.get(tool, {})
    kept: dict[str, Any] = {}
    for name, value in arguments.items():
        if name in known and name in shown and shown[name](value):
            kept[name] = str(value) if isinstance(value, Decimal) else value
        elif name in known:
            kept[name] = _outline(value)
    strangers = len(arguments) - len(kept)
    return {**kept, "_unknown": strangers} if strangers else kept


def idempotency_key_of(arguments: object) -> str:
    """The key as the caller chose it; only its length where it looks like a credential or like no key at all."""
    key = arguments.get("idempotency_key", "") if isinstance(arguments, Mapping) else ""
    if not isinstance(key, str) or not key:
        return ""
    return key if is_idempotency_key(key) and not CREDENTIAL.search(key) else f"[{len(key)} characters]"


def digest_of(tool: str, arguments: object) -> str:
    """The digest that tells whether two calls asked for exactly the same; empty where they cannot be written down."""
    try:
        exact = json.dumps([tool, arguments], sort_keys=True, separators=(",", ":"), default=repr)
    except (RecursionError, TypeError, ValueError):
        return ""
    return keyed_digest("agent-arguments", exact.encode())


def _outline(value: Any) -> dict[str, Any]:
    """The kind of a value and how long it is."""
    if isinstance(value, str):
        return {"kind": "text", "length": len(value)}
    if isinstance(value, Mapping):
        return {"kind": "object", "length": len(value)}
    if isinstance(value, list | tuple):
        return {"kind": "list", "length": len(value)}
    return {"kind": "nothing" if value is None else "truth" if isinstance(value, bool) else "number"}
