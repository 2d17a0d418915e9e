"""What the dashboard says of endpoints, deliveries and attempts."""

from typing import Final, NamedTuple

from webhooks.states import DisabledReason, Outcome


class Label(NamedTuple):
    """A short word and its tone."""

    word: str
    tone: str


OUTCOMES: Final = {
    Outcome.DUE: Label("On its way", "warn"),
    Outcome.DELIVERED: Label("Delivered", "ok"),
    Outcome.EXHAUSTED: Label("Given up", "bad"),
    Outcome.CANCELLED: Label("Not sent", ""),
}
WHY_DISABLED: Final = {
    DisabledReason.BY_MERCHANT: "Your team switched it off.",
    DisabledReason.GONE: "It answered 410 Gone, so it was switched off.",
    DisabledReason.FAILING: "Nothing but failures for five days, so it was switched off.",
}
ERRORS: Final = {
    "timeout": "No answer within 10 seconds.",
    "connect_timeout": "No connection within 5 seconds.",
    "connection_failed": "The connection was refused.",
    "disconnected": "The connection broke before the answer.",
    "dns_error": "The host's name has no address.",
    "tls_error": "The certificate or the TLS handshake was wrong.",
    "invalid_response": "The answer was no HTTP.",
    "address_not_allowed": "The name leads to an address where nothing is sent.",
    "url_not_allowed": "The URL points where nothing is sent.",
    "internal_error": "A fault of ours. It is tried again.",
}
"""Every word that an attempt without an answer can carry. Source: core.outbound, the client's reasons."""
RESOURCES: Final = {
    "payment_intent": "Payments",
    "refund": "Refunds",
    "payout": "Payouts",
    "webhook_endpoint": "Endpoints",
    "ping": "Test events",
}
"""Every resource of the catalogue, as people call many of it."""


def error_words(error: str) -> str:
    """Why no answer came, in a sentence."""
    return ERRORS.get(error, f"{error.replace('_', ' ').capitalize()}.") if error else ""
