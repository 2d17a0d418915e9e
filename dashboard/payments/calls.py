"""How to do by program what a page does, for "do this by API"."""

from django.conf import settings

from payments.models import PaymentIntent


def _curl(method: str, path: str, *, key: str = "") -> str:
    address = f"{settings.BASE_URL}/api/public/v1{path}"
    lines = [f"curl -X {method} {address}", '  -H "Authorization: Bearer $CAUSEWAY_API_KEY"']
    if key:
        lines.append(f'  -H "Idempotency-Key: {key}"')
    return " \\\n".join(lines)


def retrieving(intent: PaymentIntent) -> dict[str, str]:
    """Reading one payment."""
    return {
        "name": "payment",
        "curl": _curl("GET", f"/payment-intents/{intent.pk}"),
        "mcp": f'get_payment_intent {{"payment_intent_id": "{intent.pk}"}}',
    }


def recording(intent: PaymentIntent) -> dict[str, str]:
    """Reading its flight record, and checking it."""
    return {
        "name": "record",
        "curl": _curl("GET", f"/payment-intents/{intent.pk}/flight-record"),
        "python": "from causeway_sdk.records import verify\n\nverify(record, keys).problems",
    }


def accepting(intent: PaymentIntent) -> dict[str, str]:
    """Accepting what arrived of it."""
    return {
        "name": "accept",
        "curl": _curl("POST", f"/payment-intents/{intent.pk}/accept-partial", key=f"accept-{intent.pk}"),
    }


def cancelling(intent: PaymentIntent) -> dict[str, str]:
    """Cancelling it."""
    return {
        "name": "cancel",
        "curl": _curl("POST", f"/payment-intents/{intent.pk}/cancel", key=f"cancel-{intent.pk}"),
        "mcp": f'cancel_payment_intent {{"payment_intent_id": "{intent.pk}"}}',
    }
