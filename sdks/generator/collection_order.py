"""The collections' folders and requests in the order in which a first run makes them, by hand.

Each operation of merchants stands here at least once; collection_requests.py refuses what is left out or unknown. What
a request keeps of its answer has the name of the parameter that it fills in later ones: ``intent_id``, ``refund_id``.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, kw_only=True)
class Step:
    """One request. What is not given is the description's: its summary, its first example, no query."""

    operation: str
    name: str = ""
    example: str = ""
    also: Mapping[str, Any] = field(default_factory=dict)
    """Keys of the body in place of the example's own."""
    query: Mapping[str, str] = field(default_factory=dict)
    keeps: Mapping[str, str] = field(default_factory=dict)
    """Variables, and what of the answer each becomes, as JavaScript after ``body.``."""
    until: str = ""
    """Asked again until the answer has this status. Why no pause: the request itself waits (``wait``)."""
    needs: str = ""
    """Left out of a run in which nothing was kept under this name."""


@dataclass(frozen=True, kw_only=True)
class Folder:
    """Requests that stand together."""

    name: str
    about: str
    steps: tuple[Step, ...]


_WAIT = {"wait": "25"}
_CREATE, _READ, _PAY = "createPaymentIntent", "getPaymentIntent", "payTestPaymentIntent"
_KEPT = {"intent_id": "id"}

FOLDERS = (
    Folder(
        name="First look",
        about="Is the service there, whose key is this, and what can be paid with?",
        steps=(
            Step(operation="getHealth"),
            Step(operation="getReadiness"),
            Step(operation="getAccount"),
            Step(operation="listTokens", query={"chain": "base"}),
            Step(operation="listTestScenarios"),
        ),
    ),
    Folder(
        name="A payment",
        about="Create it, pay it as a payer would, and see where the money is.",
        steps=(
            Step(operation=_CREATE, example="with_your_order", keeps=_KEPT),
            Step(operation=_PAY, example="settles"),
            Step(operation=_READ, name="Wait until it is settled", query=_WAIT, until="settled"),
            Step(operation="explainPaymentIntent"),
            Step(operation="getPaymentIntentFlightRecord"),
            Step(operation="listPaymentIntentTransactions"),
            Step(operation="listPaymentIntentRoutes"),
            Step(operation="listPaymentIntents", query={"reference": "order_1042", "limit": "10"}),
        ),
    ),
    Folder(
        name="Refunds",
        about="Send a part back: to an address, not at all, or to each who paid.",
        steps=(
            Step(operation="listPaymentIntentPayers"),
            Step(operation="createRefund", example="part", keeps={"refund_id": "id"}),
            Step(operation="getRefund"),
            Step(operation="setRefundDestination"),
            Step(operation="createRefund", name="Create another", example="part", keeps={"refund_id": "id"}),
            Step(operation="cancelRefund"),
            Step(operation="listRefunds", query={"payment_intent_id": "{{intent_id}}"}),
        ),
    ),
    Folder(
        name="Other ends",
        about="A payment that is cancelled, one of which only a part arrives, and one that is repaid to who paid.",
        steps=(
            Step(operation=_CREATE, name="Create one to cancel", example="smallest", keeps=_KEPT),
            Step(operation="cancelPaymentIntent"),
            Step(operation=_CREATE, name="Create one to pay in part", example="smallest", keeps=_KEPT),
            Step(operation=_PAY, name="Pay a part", example="settles", also={"scenario": "partial"}),
            Step(operation=_READ, name="Wait until a part arrived", query=_WAIT, until="partially_filled"),
            Step(operation="acceptPartialPaymentIntent"),
            Step(operation=_READ, name="Read what it is now"),
            Step(operation="refundToPayers"),
        ),
    ),
    Folder(
        name="Webhooks",
        about="Receive events without a public address, answer them, and have them sent again.",
        steps=(
            Step(operation="createWebhookEndpoint", example="fetched", keeps={"endpoint_id": "id"}),
            Step(operation="getWebhookEndpoint"),
            Step(operation="updateWebhookEndpoint", example="all_events"),
            Step(operation="listWebhookEndpoints"),
            Step(operation="triggerTestEvent", example="with_your_data"),
            Step(
                operation="pullWebhookDeliveries",
                query={"limit": "1", **_WAIT},
                keeps={"delivery_id": "data[0]?.delivery_id"},
            ),
            Step(operation="answerWebhookDelivery", example="received"),
            Step(operation="listWebhookDeliveries"),
            Step(operation="resendWebhookDelivery"),
            Step(operation="recoverWebhookEndpoint"),
            Step(operation="rotateWebhookEndpointSecret"),
            Step(operation="deleteWebhookEndpoint"),
            Step(
                operation="createWebhookEndpoint",
                name="Create one whose receiver is tested",
                example="payments",
                also={"url": "https://shop.example/tested"},
                keeps={"endpoint_id": "id"},
            ),
            Step(operation="certifyWebhookEndpoint"),
            Step(operation="getWebhookEndpointCertificate"),
            Step(operation="deleteWebhookEndpoint", name="Delete it"),
        ),
    ),
    Folder(
        name="Looking back",
        about="Events in their one order, and what your keys asked.",
        steps=(
            Step(operation="listEvents", query={"limit": "10"}, keeps={"event_id": "data[0]?.id"}),
            Step(operation="getEvent", needs="event_id"),
            Step(operation="listRequests", query={"limit": "10"}),
        ),
    ),
    Folder(
        name="Payouts",
        about="A payout that fails and is sent again. Left out where payouts are not made at settlement.",
        steps=(
            Step(operation="listEvents", name="From now on", query={"after": "now"}, keeps={"cursor": "cursor"}),
            Step(
                operation=_CREATE,
                name="Create one whose payout fails",
                example="smallest",
                also={"metadata": {"simulate": "payout_fail"}},
                keeps=_KEPT,
            ),
            Step(operation=_PAY, name="Pay it", example="settles"),
            Step(
                operation="listEvents",
                name="Wait for its payout",
                query={"after": "{{cursor}}", "type": "payout.failed", **_WAIT},
                keeps={"payout_id": "data[0]?.data.id"},
            ),
            Step(operation="listPayouts", query={"payment_intent_id": "{{intent_id}}"}),
            Step(operation="getPayout", needs="payout_id"),
            Step(operation="replayPayout", needs="payout_id"),
        ),
    ),
    Folder(
        name="Time",
        about="An hour later in your test world. Other merchants notice nothing.",
        steps=(
            Step(operation=_CREATE, name="Create one that ends in an hour", example="with_your_order", keeps=_KEPT),
            Step(operation="advanceTestClock", example="one_hour"),
            Step(operation=_READ, name="Wait until it is expired", query=_WAIT, until="expired"),
        ),
    ),
)
"""In the order of a run."""
