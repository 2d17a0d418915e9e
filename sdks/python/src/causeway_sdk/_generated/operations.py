# Written by `make sdks` from docs/openapi.yaml: change that, or sdks/generator.
"""What the core has to know of each operation."""

from causeway_sdk._core import Operation

API_VERSION = "1.2.0"
ACCOUNT_GET = Operation("account.get", "GET", "/api/public/v1/account")
ACCOUNT_LIST_REQUESTS = Operation("account.list_requests", "GET", "/api/public/v1/request-log", cursor="starting_after")
EVENTS_GET = Operation("events.get", "GET", "/api/public/v1/events/{event_id}")
EVENTS_LIST = Operation("events.list", "GET", "/api/public/v1/events", cursor="after")
HEALTH_GET = Operation("health.get", "GET", "/api/public/health")
HEALTH_GET_READINESS = Operation("health.get_readiness", "GET", "/api/public/health/ready")
PAYMENT_INTENTS_CREATE = Operation(
    "payment_intents.create", "POST", "/api/public/v1/payment-intents", idempotent=True, amounts=("amount",)
)
PAYMENT_INTENTS_GET = Operation("payment_intents.get", "GET", "/api/public/v1/payment-intents/{intent_id}")
PAYMENT_INTENTS_LIST = Operation(
    "payment_intents.list",
    "GET",
    "/api/public/v1/payment-intents",
    amounts=(
        "amount_gte",
        "amount_lte",
    ),
    cursor="starting_after",
)
PAYMENT_INTENTS_ACCEPT_PARTIAL = Operation(
    "payment_intents.accept_partial",
    "POST",
    "/api/public/v1/payment-intents/{intent_id}/accept-partial",
    idempotent=True,
)
PAYMENT_INTENTS_CANCEL = Operation(
    "payment_intents.cancel", "POST", "/api/public/v1/payment-intents/{intent_id}/cancel", idempotent=True
)
PAYMENT_INTENTS_EXPLAIN = Operation(
    "payment_intents.explain", "GET", "/api/public/v1/payment-intents/{intent_id}/explain"
)
PAYMENT_INTENTS_GET_FLIGHT_RECORD = Operation(
    "payment_intents.get_flight_record", "GET", "/api/public/v1/payment-intents/{intent_id}/flight-record"
)
PAYMENT_INTENTS_LIST_ROUTES = Operation(
    "payment_intents.list_routes", "GET", "/api/public/v1/payment-intents/{intent_id}/routing", cursor="starting_after"
)
PAYMENT_INTENTS_LIST_TRANSACTIONS = Operation(
    "payment_intents.list_transactions",
    "GET",
    "/api/public/v1/payment-intents/{intent_id}/transactions",
    cursor="starting_after",
)
PAYOUTS_GET = Operation("payouts.get", "GET", "/api/public/v1/payouts/{payout_id}")
PAYOUTS_LIST = Operation("payouts.list", "GET", "/api/public/v1/payouts", cursor="starting_after")
PAYOUTS_REPLAY = Operation("payouts.replay", "POST", "/api/public/v1/payouts/{payout_id}/replay", idempotent=True)
REFUNDS_CREATE = Operation("refunds.create", "POST", "/api/public/v1/refunds", idempotent=True, amounts=("amount_usd",))
REFUNDS_GET = Operation("refunds.get", "GET", "/api/public/v1/refunds/{refund_id}")
REFUNDS_LIST = Operation("refunds.list", "GET", "/api/public/v1/refunds", cursor="starting_after")
REFUNDS_CANCEL = Operation("refunds.cancel", "POST", "/api/public/v1/refunds/{refund_id}/cancel", idempotent=True)
REFUNDS_LIST_PAYMENT_INTENT_PAYERS = Operation(
    "refunds.list_payment_intent_payers", "GET", "/api/public/v1/payment-intents/{intent_id}/payers"
)
REFUNDS_SET_DESTINATION = Operation(
    "refunds.set_destination", "POST", "/api/public/v1/refunds/{refund_id}/destination", idempotent=True
)
REFUNDS_TO_PAYERS = Operation("refunds.to_payers", "POST", "/api/public/v1/refunds/to-payers", idempotent=True)
TEST_HELPERS_ADVANCE_CLOCK = Operation(
    "test_helpers.advance_clock", "POST", "/api/public/v1/test-helpers/clock/advance", idempotent=True
)
TEST_HELPERS_LIST_SCENARIOS = Operation("test_helpers.list_scenarios", "GET", "/api/public/v1/test-helpers/scenarios")
TEST_HELPERS_PAY_PAYMENT_INTENT = Operation(
    "test_helpers.pay_payment_intent",
    "POST",
    "/api/public/v1/test-helpers/payment-intents/{intent_id}/pay",
    idempotent=True,
)
TEST_HELPERS_TRIGGER_EVENT = Operation(
    "test_helpers.trigger_event", "POST", "/api/public/v1/test-helpers/events/trigger", idempotent=True
)
TOKENS_LIST = Operation("tokens.list", "GET", "/api/public/v1/tokens")
WEBHOOK_ENDPOINTS_CREATE = Operation(
    "webhook_endpoints.create", "POST", "/api/public/v1/webhook-endpoints", idempotent=True
)
WEBHOOK_ENDPOINTS_GET = Operation("webhook_endpoints.get", "GET", "/api/public/v1/webhook-endpoints/{endpoint_id}")
WEBHOOK_ENDPOINTS_LIST = Operation("webhook_endpoints.list", "GET", "/api/public/v1/webhook-endpoints")
WEBHOOK_ENDPOINTS_UPDATE = Operation(
    "webhook_endpoints.update", "PATCH", "/api/public/v1/webhook-endpoints/{endpoint_id}"
)
WEBHOOK_ENDPOINTS_DELETE = Operation(
    "webhook_endpoints.delete", "DELETE", "/api/public/v1/webhook-endpoints/{endpoint_id}"
)
WEBHOOK_ENDPOINTS_ANSWER_DELIVERY = Operation(
    "webhook_endpoints.answer_delivery",
    "POST",
    "/api/public/v1/webhook-endpoints/{endpoint_id}/answer",
    idempotent=True,
)
WEBHOOK_ENDPOINTS_LIST_DELIVERIES = Operation(
    "webhook_endpoints.list_deliveries",
    "GET",
    "/api/public/v1/webhook-endpoints/{endpoint_id}/deliveries",
    cursor="starting_after",
)
WEBHOOK_ENDPOINTS_PULL_DELIVERIES = Operation(
    "webhook_endpoints.pull_deliveries", "GET", "/api/public/v1/webhook-endpoints/{endpoint_id}/pull"
)
WEBHOOK_ENDPOINTS_RECOVER = Operation(
    "webhook_endpoints.recover", "POST", "/api/public/v1/webhook-endpoints/{endpoint_id}/recover", idempotent=True
)
WEBHOOK_ENDPOINTS_RESEND_DELIVERY = Operation(
    "webhook_endpoints.resend_delivery",
    "POST",
    "/api/public/v1/webhook-endpoints/{endpoint_id}/deliveries/{delivery_id}/resend",
    idempotent=True,
)
WEBHOOK_ENDPOINTS_ROTATE_SECRET = Operation(
    "webhook_endpoints.rotate_secret",
    "POST",
    "/api/public/v1/webhook-endpoints/{endpoint_id}/rotate-secret",
    idempotent=True,
)
