"""What the dashboard does about refunds, as commands that do the same by API."""

import shlex
from uuid import UUID

from django.conf import settings

from core.renderers import to_json

_API = "/api/public/v1"
_KEY = '-H "Authorization: Bearer $CAUSEWAY_API_KEY"'


def post(path: str, body: dict[str, object] | None = None, *, key: str = "") -> dict[str, str]:
    """The ``call`` that ``dashboard/by_api.html`` shows for one POST."""
    parts = [f"curl -X POST {settings.BASE_URL}{_API}{path} {_KEY}"]
    if key:
        parts.append(f'-H "Idempotency-Key: {key}"')
    if body is not None:
        parts.append(f'-H "Content-Type: application/json" -d {shlex.quote(to_json(body).decode())}')
    return {"curl": " \\\n  ".join(parts)}


def create_call(intent_id: UUID, amount_usd: object, destination: str, reason: str) -> dict[str, str]:
    """Creating a refund."""
    body: dict[str, object] = {"intent_id": str(intent_id), "amount_usd": amount_usd}
    body |= {name: text for name, text in (("destination", destination), ("reason", reason)) if text}
    return post("/refunds", body, key="any-text-of-your-own")


def stray_call(intent_id: UUID, stray_id: str) -> dict[str, str]:
    """Giving a stray back."""
    return post("/refunds", {"intent_id": str(intent_id), "stray_id": stray_id}, key="any-text-of-your-own")


def destination_call(refund_id: UUID, destination: str) -> dict[str, str]:
    """Telling a refund where to go."""
    return post(f"/refunds/{refund_id}/destination", {"destination": destination or "…"})


def cancel_call(refund_id: UUID) -> dict[str, str]:
    """Cancelling a refund."""
    return post(f"/refunds/{refund_id}/cancel")


def repay_call(intent_id: UUID) -> dict[str, str]:
    """Repaying each payer its share."""
    return post("/refunds/to-payers", {"intent_id": str(intent_id)}, key="any-text-of-your-own")
