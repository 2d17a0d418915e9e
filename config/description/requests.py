"""An example of each request. A test validates each, and sends it through the door: tests/contract/test_examples.py."""

from collections.abc import Mapping
from typing import Any, Final

INTENT: Final = "018f3c1e-7d4b-7c2a-9b1e-5a6f7c8d9e0f"
REFUND: Final = "018f3c1e-8a52-7d10-8c44-3b1f2e6a7d90"
ATTEMPT: Final = "018f3c1e-91c7-7b6e-a2d5-6e0c4f8b1a23"
DELIVERY: Final = "018f3c1e-a3d2-7f64-8e90-2c1b7d5f6a39"
STRAY: Final = "018f3c1e-9f08-7e31-b7aa-0d5c9e4f2b18"
WALLET: Final = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8"
USDC: Final = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"
SOLANA_WALLET: Final = "9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM"
TX_HASH: Final = "0x5b1f6bb843bc4e6e9d3a7c20e15f8d94b6a0c3e2f7185d49ab60c7e8f1029384"
SIGNATURE: Final = f"0x{'1b' * 65}"
SCENARIO: Final[Mapping[str, Any]] = {
    "causeway_scenario": 1,
    "mode": "live",
    "amount_usd": "25.00",
    "settlement_chain": "base",
    "settlement_token": "USDC",
    "settlement_token_address": USDC,
    "settlement_decimals": 6,
    "target_base_units": None,
    "tolerance_bps": None,
    "late_policy": "hold",
    "expires_ms": 1800000,
    "due_ms": 1800000,
    "tries": [],
    "acts": [{"at_ms": 1000, "what": "opened"}],
    "history": [
        {"at_ms": 0, "trigger": "create", "to_status": "created"},
        {"at_ms": 1000, "trigger": "await_payment", "to_status": "requires_payment"},
        {"at_ms": 1800000, "trigger": "expire", "to_status": "expired"},
    ],
    "end": {
        "status": "expired",
        "failure_reason": "",
        "last_error": "",
        "settled_reason": "",
        "in_doubt": False,
        "received_usd": "0.00",
        "overpaid_usd": "0.00",
        "legs": [],
    },
}
"""Somebody looked, and nobody paid."""

REQUESTS: Final[Mapping[str, Mapping[str, Mapping[str, Any]]]] = {
    "claimRefund": {"signed": {"nonce": "u3Tq0v8XkYb2", "signature": SIGNATURE}},
    "prepareRefundClaim": {"evm": {"family": "evm", "wallet": WALLET, "destination": WALLET}},
    "requestCheckoutQuote": {"usdc_on_base": {"chain": "base", "token_address": USDC}},
    "rejectCheckoutAttempt": {"declined": {"attempt_id": ATTEMPT, "reason": "payer_rejected"}},
    "sendSimulatedTransaction": {"first": {"attempt_id": ATTEMPT, "leg_sequence": 1}},
    "createSolanaPayTransaction": {"wallet": {"account": SOLANA_WALLET}},
    "startCheckoutAttempt": {"as_quoted": {"attempt_id": ATTEMPT}},
    "reportCheckoutTransaction": {"sent": {"attempt_id": ATTEMPT, "leg_sequence": 1, "tx_hash": TX_HASH}},
    "connectCheckoutWallet": {"evm": {"family": "evm", "address": WALLET}},
    "createPaymentIntent": {
        "smallest": {"amount": 25},
        "with_your_order": {
            "amount": 19.99,
            "reference": "order_1042",
            "customer_email": "ann@example.com",
            "metadata": {"cart": "c_981"},
            "return_url": "https://shop.example/orders/1042",
            "expires_in_seconds": 3600,
        },
    },
    "createRefund": {
        "part": {"intent_id": INTENT, "amount_usd": 5, "reason": "One item was sold out."},
        "to_an_address": {"intent_id": INTENT, "amount_usd": 5.5, "destination": WALLET},
        "stray": {"intent_id": INTENT, "stray_id": STRAY},
    },
    "setRefundDestination": {"address": {"destination": WALLET}},
    "refundToPayers": {"all": {"intent_id": INTENT, "reason": "The concert was cancelled."}},
    "advanceTestClock": {"one_hour": {"seconds": 3600}},
    "triggerTestEvent": {
        "settled": {"type": "payment_intent.settled"},
        "with_your_data": {"type": "payment_intent.settled", "data": {"reference": "order_1042"}},
    },
    "createTestScenarioReplay": {"nobody_paid": {"name": "lapsed.json", "scenario": SCENARIO}},
    "payTestPaymentIntent": {"settles": {}, "fails": {"scenario": "fail"}},
    "createWebhookEndpoint": {
        "payments": {"url": "https://shop.example/webhooks", "events": ["payment_intent.*", "refund.paid"]},
        "fetched": {"kind": "pull", "events": ["*"]},
    },
    "answerWebhookDelivery": {
        "received": {"delivery_id": DELIVERY, "attempt": 1, "status": 200, "latency_ms": 12},
        "nobody_there": {"delivery_id": DELIVERY, "attempt": 1, "error": "dns_error"},
    },
    "updateWebhookEndpoint": {
        "all_events": {"events": ["*"]},
        "switched_off": {"enabled": False},
    },
    "recoverWebhookEndpoint": {"since_noon": {"since": "2026-01-31T12:00:00Z"}},
}
"""By the operation, then by what each shows."""
