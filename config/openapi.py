"""Settings of the generated description. Knows no view: what an operation says stands beside the operation."""

from typing import Any

from merchants.scopes import KeyScope

DESCRIPTION = """\
Create a payment intent, send the payer to its `checkout_url`, and be told by a signed webhook when it is settled.

**Keys.** `Authorization: Bearer sk_test_…` works in test mode, `sk_live_…` in live mode; the two never meet.
In test mode nothing real moves, and every outcome can be asked for. A restricted key, `rk_…`, may do what it was given
on the dashboard and is otherwise answered 403 with the scope that it needs in `details.required`.

**Errors** are JSON everywhere: `error` for people, `code` for programs, `details`, and `request_id`,
which is also the header `Request-Id`. `doc_url` leads to what the code means.

**Idempotency.** Every POST with a secret key takes `Idempotency-Key`. The same key with the same request gets the
first answer again, with `Idempotent-Replayed: true`; with another request it is 409.

**Limits.** Each answer carries `RateLimit-Limit`, `RateLimit-Remaining` and `RateLimit-Reset`;
429 also carries `Retry-After`.

**Lists** come newest first. `starting_after` and `ending_before` take an id; the answer has `has_more` and
`next_cursor`, in lists that are never paged too.
"""

TAGS = {
    "Payment intents": "What you want to be paid, and how it went.",
    "Refunds": "What goes back to payers.",
    "Payouts": "What was paid out to you of settled intents.",
    "Webhook endpoints": "Where you are told, with what signature, and what was delivered.",
    "Checkout": "The payer's side: the hosted page and pollers use it.",
    "Tokens": "Tokens that payers can use.",
    "Account": "Who your key is: its merchant and mode, what it may do, and how often.",
    "Events": "What your webhook endpoints are sent.",
    "Test helpers": "Test keys only: pay without a browser, move the test clock, send sample events.",
    "Health": "Is the service up?",
}

PAYER_CREDENTIALS = {
    "checkoutToken": {
        "type": "apiKey",
        "in": "header",
        "name": "Checkout-Token",
        "description": "A payer's session: bound to one intent, good for 15 minutes.",
    },
    "publishableKey": {
        "type": "http",
        "scheme": "bearer",
        "bearerFormat": "pk_test_… or pk_live_…",
        "description": "Your publishable key. It may stand in a page and only opens a payer's session.",
    },
}
"""How the payer's side proves who it is. The merchant's scheme stands beside the authentication itself."""

ENUM_NAMES: dict[str, str | list[str]] = {
    "KeyKind": ["secret", "restricted"],
    "KeyScope": [scope.value for scope in KeyScope],
    "Mode": ["test", "live"],
    "IntentStatus": "payments.states.IntentStatus.choices",
    "PayoutStatus": "payouts.states.PayoutStatus.choices",
    "PayoutRail": ["direct", "evm", "solana", "merchant_wallet", "simulated"],
    "LegStatus": "payments.states.LegStatus.choices",
    "RefundStatus": ["pending", "paid", "failed", "cancelled"],
    "RefundPublicStatus": ["pending", "processing", "retry_scheduled", "succeeded", "failed", "cancelled"],
    "DeliveryStatus": "webhooks.states.Outcome.choices",
    "Availability": ["ok", "unavailable"],
    "LegKind": ["swap", "bridge", "transfer", "settlement", "payout", "refund"],
    "WalletFamily": ["evm", "solana"],
    "RejectionReason": ["payer_rejected", "abandoned"],
    "EndpointKind": "webhooks.states.EndpointKind.choices",
    "EndpointDisabledReason": "webhooks.states.DisabledReason.choices",
    "EventType": "webhooks.catalog.NAMES_IN_ORDER",
    "EventResourceType": "webhooks.catalog.RESOURCES",
    "EventSubscription": "webhooks.catalog.SUBSCRIBABLE",
    "DeliveryError": "webhooks.states.NO_ANSWER",
    "ReceiverCheckName": "webhooks.states.Check.choices",
    "ExpectedAnswer": "webhooks.states.Expected.choices",
    "ReceiverTestError": "webhooks.states.TEST_ERRORS",
    "PaymentProblem": "payments.states.Problem.choices",
    "SettledReason": "payments.states.SETTLED_REASONS",
    "LegSubStatus": ["partial"],
    "RefundFailureReason": "refunds.states.FAILURE_REASONS",
    "PayoutFailureReason": "payouts.states.FAILURE_REASONS",
    "ClaimState": ["asking_wallet"],
    "ScenarioSubject": ["payment_intent", "payout", "refund"],
    "ScenarioName": "payments.scenarios.NAMES",
    "PaymentSituation": "config.description.SITUATIONS",
    "ExplanationCode": "config.description.LINE_CODES",
    "ExplanationReason": "config.description.LINE_REASONS",
    "RouteProvider": "payments.routing.registry.PROVIDER_NAMES",
    "ScenarioEnd": "payments.scenarios.ENDS",
    "WhoActs": "config.description.ACTORS",
    "HintReporter": "payments.models.Reporter.choices",
    "HintVerdict": "payments.models.Verdict.choices",
    "ReplayVerdict": "theatre.models.Verdict.choices",
    "AttemptProgress": ["quoting", "quoted", "preparing", "awaiting_signature", "executing"],
}


GUIDES = {
    "Payment intents": "quickstart",
    "Refunds": "refunds",
    "Payouts": "payouts",
    "Webhook endpoints": "webhooks",
    "Checkout": "checkout",
    "Tokens": "tokens",
    "Account": "quickstart",
    "Events": "webhooks",
    "Test helpers": "failures",
}
"""Which page of the guides goes with a tag."""


def _tag(name: str, text: str, base_url: str) -> dict[str, Any]:
    guide = GUIDES.get(name)
    linked = {"externalDocs": {"description": "The guide", "url": f"{base_url}/docs/{guide}"}} if guide else {}
    return {"name": name, "description": text, **linked}


def spectacular_settings(version: str, base_url: str) -> dict[str, Any]:
    """What drf-spectacular reads. Source: specification, Versioning 2. ``base_url``: where this service's docs are."""
    return {
        "TITLE": "Causeway API",
        "DESCRIPTION": DESCRIPTION,
        "VERSION": version,
        "OAS_VERSION": "3.1.0",
        "CONTACT": {"name": "Who runs this service", "url": f"{base_url}/docs/"},
        "LICENSE": {"name": "All rights reserved", "identifier": "LicenseRef-All-Rights-Reserved"},
        "EXTERNAL_DOCS": {"description": "Guides, with samples to run", "url": f"{base_url}/docs/"},
        "SERVERS": [{"url": "/", "description": "The service that serves this description."}],
        "TAGS": [_tag(name, text, base_url) for name, text in TAGS.items()],
        "WEBHOOKS": "config.event_descriptions.EVENTS",
        "ENUM_NAME_OVERRIDES": ENUM_NAMES,
        "COMPONENT_SPLIT_REQUEST": True,
        "COMPONENT_SPLIT_PATCH": False,
        "ENUM_GENERATE_CHOICE_DESCRIPTION": False,
        "POSTPROCESSING_HOOKS": [
            "config.event_descriptions.with_their_components",
            "drf_spectacular.hooks.postprocess_schema_enums",
            "config.event_descriptions.as_one_of_them",
            "config.description.without_null_component",
            "config.description.open_to_all",
            "config.open_words.list_error_codes",
            "config.open_words.mark_open_enums",
            "config.description.with_words",
        ],
        "APPEND_COMPONENTS": {"securitySchemes": PAYER_CREDENTIALS},
        "SERVE_INCLUDE_SCHEMA": False,
        "SCHEMA_PATH_PREFIX": "/api/public",
        "DISABLE_DOCSTRING_DESCRIPTIONS": True,
    }
