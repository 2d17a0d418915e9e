"""An example of every answer, error and event, made from the schemas themselves, so that none can fall behind.

What an event carries is written by what writes real ones. Any other value comes from its name where there is one here,
else from what its schema says. What may be null is null.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final
from uuid import UUID

import orjson

from config.description.requests import ATTEMPT, INTENT, REFUND, REQUESTS, STRAY, TX_HASH, USDC, WALLET
from config.description.walk import Document, operations
from core.errors import ServiceError
from core.renderers import to_json
from payments.strays import STRAY_ARRIVED
from webhooks.events import sample_body

_SCHEMAS: Final = "#/components/schemas/"
_MOMENT: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z")
_LATER: Final = {"expires_at", "next_attempt_at", "retry_at"}
BY_NAME: Final[Mapping[str, Any]] = {
    **{"amount": "25.00", "amount_received": "25.00", "amount_due": "0.00", "overpaid_usd": "0.00", "due_usd": "0.00"},
    **{"received_usd": "25.00", "refunded_usd": "0.00", "amount_refunded_usd": "0.00", "owed_usd": "0.00"},
    **{"amount_usd": 25, "fee_usd": 0, "gas_usd": 0, "to_amount_usd": 25, "paid_usd": 25, "unreturned_usd": 25},
    **{
        "platform_fee_usd": "0.00",
        "net_settlement_usd": "25.00",
        "to_amount": "25.000000",
        "token_amount": "25.000000",
    },
    **{"chain": "base", "settlement_chain": "base", "from_chain": "base", "to_chain": "base", "currency": "USD"},
    **{"token": "USDC", "settlement_token": "USDC", "from_token": "USDC", "to_token": "USDC", "symbol": "USDC"},
    **{"wallet": WALLET, "payer": WALLET, "payer_address": WALLET, "settlement_address": WALLET, "destination": WALLET},
    **{"destination_tail": "…dc79C8", "settlement_address_tail": "…dc79C8", "token_address": USDC, "address": USDC},
    **{"tx_hash": TX_HASH, "destination_tx_hash": TX_HASH, "decimals": 6, "provider": "direct", "family": "evm"},
    **{"intent_id": INTENT, "payment_intent_id": INTENT, "attempt_id": ATTEMPT, "stray_id": STRAY, "account": WALLET},
    **{"event_id": "evt_018f3c1e7d4b7c2a9b1e5a6f7c8d9e0f", "event_type": "payment_intent.settled", "sequence": 1},
    **{"api_version": "1.2.0", "request_id": "req_018f3c1e7d4b7c2a9b1e5a6f7c8d9e0f", "mode": "test", "has_more": False},
    **{"confirmations": 12, "confirmations_required": 12, "attempt_count": 1, "number": 1, "latency_ms": 42},
    **{"response_status": 200, "response_body": "ok", "duration_sec": 5, "typical_seconds": 5, "score": 1},
    **{
        "reference": "order_1042",
        "customer_email": "ann@example.com",
        "metadata": {"cart": "c_981"},
        "advanced_seconds": 3600,
    },
    **{"settled_at": "2026-01-31T12:00:05Z", "checkout_token": "cs_4kQ9…", "nonce": "u3Tq0v8XkYb2", "enabled": True},
    **{"secret": "whsec_…", "url": "https://shop.example/webhooks", "merchant_name": "Example Shop", "scheduled": 3},
    **{"return_url": "https://shop.example/orders/1042", "explorer_url": f"https://basescan.org/tx/{TX_HASH}"},
    **{"happened": "The payment has settled.", "money": "It is at your address.", "next": "Nothing to do."},
    **{"deleted": True, "limit": 100, "per_seconds": 1, "retry_after_seconds": 4, "terminal": True, "verified": True},
    **{"cursor": "0000000000000042", "chosen": True, "paid_units": "25000000", "unreturned_units": "25000000"},
    **{"transaction": "AQAAAA…", "message": "Order 1042", "label": "Example Shop", "reason": "One item was sold out."},
}
IN_PLACE: Final[Mapping[str, Mapping[str, Any]]] = {
    "AccountKey": {"id": "42"},
    "AccountMerchant": {"id": "7", "name": "Example Shop"},
    "ExplanationCode": {"": "settled"},
    "HealthStatus": {"status": "ok"},
    "IntentStatus": {"": "settled"},
    "LegStatus": {"": "confirmed"},
    "LegKind": {"": "transfer"},
    "ListedToken": {"name": "USD Coin"},
    "PaymentSituation": {"": "settled"},
    "PayoutStatus": {"": "paid"},
    "PayoutRail": {"": "evm"},
    "Refund": {"id": REFUND, "amount_usd": 5, "token_amount": "5.000000", "tx_hash": None},
    "RefundPublicView": {"id": REFUND, "amount_usd": 5, "tx_hash": None, "terminal": False},
    "RefundEventData": {"id": REFUND, "amount_usd": 5, "token_amount": "5.000000"},
    "Scenario": {"name": "fail", "about": "The payment fails for good.", "ends_in": "failed"},
    "DeliveryStatus": {"": "delivered"},
    "WalletFamily": {"": "evm"},
    "WhoActs": {"": "nobody"},
}
"""By the schema and the field; a set of words stands for itself under an empty name."""


def with_examples(result: Document) -> None:
    """Each request, answer, error and event with an example; those of answers once, as components."""
    shown: dict[str, Any] = {}
    refusals = {(one.code, str(one.http_status)): one for one in _all_refusals(ServiceError)}
    for operation in operations(result, "paths"):
        for content in operation.get("requestBody", {}).get("content", {}).values():
            wanted = REQUESTS.get(operation["operationId"], {})
            content["examples"] = {name: {"value": value} for name, value in wanted.items()}
        for status, answer in operation["responses"].items():
            for content in answer.get("content", {}).values():
                named = dict(_answers(content["schema"], result, operation, status, refusals))
                shown.update(named)
                content["examples"] = {name: {"$ref": f"#/components/examples/{name}"} for name in named}
    for operation in operations(result, "webhooks"):
        for content in operation["requestBody"]["content"].values():
            content["examples"] = {"sent": {"value": value_of(content["schema"], result)}}
    result["components"]["examples"] = {name: {"value": shown[name]} for name in sorted(shown)}


def _all_refusals(refusal: type[ServiceError]) -> Iterator[type[ServiceError]]:
    yield refusal
    for one in refusal.__subclasses__():
        yield from _all_refusals(one)


def _answers(
    schema: dict[str, Any], document: Document, operation: dict[str, Any], status: str, refusals: Mapping[Any, Any]
) -> Iterator[tuple[str, Any]]:
    name = schema.get("$ref", "").removeprefix(_SCHEMAS)
    if name != "ErrorBody":
        yield name or operation["operationId"], value_of(schema, document)
        return
    for code in operation["x-codes"]:
        if (code, status) in refusals:
            yield f"error_{code}", _error(refusals[code, status])


def _error(refusal: type[ServiceError]) -> dict[str, Any]:
    return {
        "error": refusal.message,
        "code": refusal.code,
        "details": {},
        "request_id": BY_NAME["request_id"],
        "doc_url": f"https://pay.example/docs/errors#{refusal.code}",
    }


def value_of(schema: Mapping[str, Any], document: Document, owner: str = "", name: str = "") -> Any:
    """A value that the schema allows."""
    if "$ref" in schema:
        owner = schema["$ref"].removeprefix(_SCHEMAS)
        schema, named = document["components"]["schemas"][owner], name
        placed = IN_PLACE.get(owner, {})
        return placed[""] if "" in placed else value_of(schema, document, owner, named)
    for many in ("allOf", "oneOf"):
        if many in schema:
            return None if {"type": "null"} in schema[many] else value_of(schema[many][0], document, owner, name)
    if "const" in schema or "enum" in schema:
        return schema.get(
            "const", BY_NAME.get(name) if BY_NAME.get(name) in schema.get("enum", ()) else schema.get("enum", [None])[0]
        )
    types = [schema["type"]] if isinstance(schema.get("type"), str) else schema.get("type", ["object"])
    if "properties" in schema:
        return _object(schema, document, owner)
    if types[0] == "array" and "null" not in types:
        return [value_of(schema["items"], document, owner, name)]
    return _plain(schema, types, name)


def _object(schema: Mapping[str, Any], document: Document, owner: str) -> dict[str, Any]:
    placed = IN_PLACE.get(owner, {})
    found = {
        name: placed[name] if name in placed else value_of(field, document, owner, name)
        for name, field in schema["properties"].items()
    }
    is_event = "sequence" in found and "type" in found
    return _event(found["type"], found) if is_event else found


def _event(kind: str, envelope: dict[str, Any]) -> dict[str, Any]:
    """An event whose data are a sample's. Why its moments are replaced: a sample is of now."""
    resource = kind.partition(".")[0]
    if kind == STRAY_ARRIVED:  # its writer asks the database, which is none while a description is made
        return {**envelope, "id": BY_NAME["event_id"], "resource": {"type": resource, "id": envelope["data"]["id"]}}
    written = _MOMENT.sub(BY_NAME["settled_at"], to_json(sample_body(kind, UUID(INTENT))).decode())
    carried = orjson.loads(written)
    if "payment_intent_id" in carried:  # of no intent, and another in each sample
        carried["payment_intent_id"] = INTENT
    named = {"type": resource, "id": carried["id"]}
    return {**envelope, "id": BY_NAME["event_id"], "data": carried, "resource": named}


def _plain(schema: Mapping[str, Any], types: list[str], name: str) -> Any:
    if name in BY_NAME:
        kind = {str: "string", bool: "boolean", dict: "object", int: "integer"}[type(BY_NAME[name])]
        if kind in types or (kind == "integer" and "number" in types):
            return BY_NAME[name]
    if "null" in types:
        return None
    if types[0] == "string":
        return _text(schema.get("format", ""), name)
    return {"integer": 1, "number": 1, "boolean": False, "object": {}}[types[0]]


def _text(form: str, name: str) -> str:
    made = {
        "uuid": INTENT,
        "uri": "https://pay.example/pay/018f3c1e-7d4b-7c2a-9b1e-5a6f7c8d9e0f",
        "email": "ann@example.com",
    }
    if form == "date-time":
        return "2026-01-31T13:00:00Z" if name in _LATER else "2026-01-31T12:00:00Z"
    return made.get(form, f"{name or 'text'}")
