"""Events as the service posts them, signed."""

import json
from dataclasses import dataclass, field
from typing import Any

from causeway_sdk.testing import sign
from django.http import HttpResponse
from django.test import Client

INTENT, REFUND = "6f9619ff-8b86-4d01-b42d-00c04fc964ff", "0190a0c0-0000-7000-8000-000000000001"
STATUS = {
    "created": "created",
    "executing": "executing",
    "partially_filled": "partially_filled",
    "settled": "settled",
    "overpaid": "settled",
    "settlement_reversed": "executing",
    "settlement_restored": "settled",
    "expired": "expired",
    "cancelled": "cancelled",
    "failed": "failed",
    "refunded": "refunded",
}
"""The payment's status after each kind of event."""


def payment_event(kind: str, sequence: int, **more: Any) -> dict[str, Any]:
    """An event of the one payment."""
    status = more.pop("status", STATUS[kind])
    is_paid = status in {"settled", "refunded"}
    facts = {
        "id": INTENT,
        "amount": "19.99",
        "currency": "USD",
        "settlement_chain": "base",
        "settlement_token": "USDC",
        "metadata": {"weight": 1.5},
        "status": status,
        "mode": "test",
        "amount_received": "19.99" if is_paid else "0.00",
        "failure_reason": None,
        "settled_at": "2026-11-28T12:00:00.000Z" if is_paid else None,
        "reference": "order-1",
    }
    return envelope("payment_intent", INTENT, kind, sequence, {**facts, **more})


def refund_event(kind: str, sequence: int, **more: Any) -> dict[str, Any]:
    """An event of a refund of that payment."""
    status = {"paid": "paid", "failed": "failed", "cancelled": "cancelled"}.get(kind, "pending")
    facts = {
        "id": REFUND,
        "payment_intent_id": INTENT,
        "amount_usd": 10.50,
        "chain": "base",
        "token": "USDC",
        "destination_tail": "…e9EE7",
        "reason": "wrong size",
        "status": status,
        "tx_hash": "0xabc" if status == "paid" else None,
        "created_at": "2026-11-28T12:00:00.000Z",
        "paid_at": "2026-11-28T12:01:00.000Z" if status == "paid" else None,
        "failure_reason": "chain_rejected" if status == "failed" else None,
        "attempts": 1,
        "updated_at": "2026-11-28T12:01:00.000Z",
        "stray_id": None,
        "token_amount": "10.5",
    }
    facts |= more
    return envelope("refund", facts["id"], kind, sequence, facts)


def envelope(resource: str, resource_id: str, kind: str, sequence: int, facts: dict[str, Any]) -> dict[str, Any]:
    """An event, with an id that follows from what it says."""
    return {
        "id": f"evt_{resource}_{resource_id[:8]}_{resource_id[-4:]}_{sequence}_{kind}",
        "type": f"{resource}.{kind}",
        "created_at": f"2026-11-28T12:00:{sequence:02}.000Z",
        "data": facts,
        "mode": facts.get("mode", "test"),
        "api_version": "1.2.0",
        "sequence": sequence,
        "resource": {"type": resource, "id": resource_id},
    }


@dataclass
class Poster:
    """Posts to an address of the project."""

    path: str = "/causeway/webhook"
    secret: str = "whsec_bmV3"
    client: Client = field(default_factory=lambda: Client(enforce_csrf_checks=True))

    def post(self, event: dict[str, Any], **headers: str) -> HttpResponse:
        """Post one, signed unless other headers are given."""
        raw = json.dumps(event).encode()
        proof = headers or sign(raw, self.secret)
        proof.pop("Content-Type", None)
        return self.client.post(self.path, raw, content_type="application/json", headers=proof)
