"""Which problem a payer reads for each refusal of the API: no code reaches a payer without words."""

ANSWERS: dict[str, str] = {
    # The payment has gone on.
    "intent_not_payable": "moved_on",
    "invalid_transition": "moved_on",
    "in_doubt": "in_doubt",
    "attempt_of_another_browser": "other_browser",
    "too_many_attempts": "too_many_tries",
    "not_found": "gone",
    # The price.
    "quote_expired": "quote_expired",
    "route_unavailable": "no_route",
    "price_unavailable": "no_route",
    # What the wallet sent or signed.
    "tx_already_used": "tx_already_used",
    "transaction_altered": "wallet_altered",
    "not_a_transaction": "refused",
    "transaction_not_awaited": "signed_too_late",
    # Who asks.
    "checkout_token_invalid": "session_ended",
    "missing_api_key": "not_allowed_here",
    "invalid_api_key": "not_allowed_here",
    "revoked_api_key": "not_allowed_here",
    "secret_key_required": "not_allowed_here",
    "publishable_key_required": "not_allowed_here",
    "origin_not_allowed": "not_allowed_here",
    "address_not_allowed": "not_allowed_here",
    "insufficient_scope": "not_allowed_here",
    "merchant_suspended": "not_allowed_here",
    # How it is asked.
    "invalid_request": "refused",
    "invalid_json": "refused",
    "invalid_parameter": "refused",
    "malformed_request": "refused",
    "idempotency_key_invalid": "refused",
    "idempotency_key_reused": "refused",
    "method_not_allowed": "refused",
    "payload_too_large": "refused",
    "unsupported_media_type": "refused",
    # When.
    "idempotency_key_in_progress": "busy_service",
    "rate_limited": "busy_service",
    "too_many_hints": "busy_service",
    "transaction_not_ready": "busy_service",
    "request_timeout": "unreachable",
    "internal_error": "unreachable",
    "temporarily_unavailable": "unreachable",
    "upstream_unavailable": "unreachable",
}
"""By the API's code. A code that is not here is told by its status: see ``api.js``."""
