"""What each operation does, and what its answer is: a sentence or two for each."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from config.description.walk import Document, operations


@dataclass(frozen=True, kw_only=True)
class Text:
    """What an operation is called, what it does, and what each of its good answers is."""

    summary: str
    does: str
    answers: Mapping[str, str] = field(default_factory=dict)


_PAYER_STATE: Final = "The payer's state; the service works on, so read it again."
_INTENT: Final = "The payment intent."
_PAGE: Final = "A page of them, newest first."
_ENDPOINT: Final = "The endpoint, without its secret."

TEXTS: Final[Mapping[str, Text]] = {
    "getHealth": Text(
        summary="Read whether the service is up",
        does="Answers whether the service reaches its database. Made for load balancers; needs no key.",
        answers={"200": "The service is up."},
    ),
    "getReadiness": Text(
        summary="Read whether the service can work",
        does="Checks everything that the service depends on: workers, queues, chains and providers.",
        answers={"200": "Every check passed."},
    ),
    "claimRefund": Text(
        summary="Claim a refund with a signature",
        does="The payer proves by a signature that the wallet that paid is theirs; the refund goes where they said.",
        answers={
            "200": "The refund has its destination.",
            "202": "The wallet's contract is being asked; send the same request again.",
        },
    ),
    "prepareRefundClaim": Text(
        summary="Prepare a claim of a refund",
        does="Gives the text that the paying wallet signs to claim a refund. It can be used once, within ten minutes.",
        answers={"201": "The text to sign."},
    ),
    "getRefundStatus": Text(
        summary="Read a refund as its payer",
        does="Shows a refund to anyone who has its link, without addresses. Made for polling.",
        answers={"200": "The refund as payers may see it."},
    ),
    "getAccount": Text(
        summary="Retrieve the account of a key",
        does="Answers whose key it is, in which mode it works, what it may do and how often.",
        answers={"200": "The account."},
    ),
    "listRequests": Text(
        summary="List requests, newest first",
        does=(
            "Lists what your keys asked and were answered in the last 30 days, redacted: a key, an address or words of "
            "customers never stand in it. A page of a filter may be empty and the list go on: read `has_more`."
        ),
        answers={"200": "A page of requests, up to a second ago."},
    ),
    "getCheckout": Text(
        summary="Read a checkout",
        does="Shows a payment to anyone who has its link, without data of the payer. Made for polling.",
        answers={"200": "The checkout."},
    ),
    "requestCheckoutQuote": Text(
        summary="Request a quote",
        does="Asks for a firm quote in one token of the connected wallet. The quote comes with a later state.",
        answers={"202": _PAYER_STATE},
    ),
    "rejectCheckoutAttempt": Text(
        summary="Give up an attempt to pay",
        does="Reports that the payer declined in the wallet or left. The payment stays open for another attempt.",
        answers={"202": _PAYER_STATE},
    ),
    "openCheckoutSession": Text(
        summary="Open or renew a payer's session",
        does="Gives a token for one payment, against a publishable key or a token that is still valid.",
        answers={"200": "The session."},
    ),
    "sendSimulatedTransaction": Text(
        summary="Send with the simulated wallet",
        does="Test mode only: sends a transaction of the attempt on the simulated chain.",
        answers={"201": "The hash of the transaction."},
    ),
    "getSolanaPayLabel": Text(
        summary="Read the label of a Solana Pay request",
        does="The first step of a Solana Pay transaction request: the name and picture that the wallet shows.",
        answers={"200": "The label."},
    ),
    "createSolanaPayTransaction": Text(
        summary="Create a Solana Pay transaction",
        does="The second step of a Solana Pay transaction request: the transaction that the wallet signs and sends.",
        answers={"200": "The transaction, without a signature."},
    ),
    "startCheckoutAttempt": Text(
        summary="Start to pay",
        does="Accepts the quote of an attempt. The transactions to sign come with a later state.",
        answers={"202": _PAYER_STATE},
    ),
    "getCheckoutState": Text(
        summary="Read the payer's state",
        does="Reads everything that a payment page shows: messages, quotes and transactions. Made for polling.",
        answers={"200": "The payer's state."},
    ),
    "reportCheckoutTransaction": Text(
        summary="Report a sent transaction",
        does="Reports the hash that the wallet returned, or what it signed. Only the chain decides whether it paid.",
        answers={"202": _PAYER_STATE},
    ),
    "connectCheckoutWallet": Text(
        summary="Connect a wallet",
        does="Names the wallet that will pay. Its balances come with a later state.",
        answers={"202": _PAYER_STATE},
    ),
    "listPaymentIntents": Text(
        summary="List payment intents",
        does="Lists payment intents, newest first, filtered by what the parameters say.",
        answers={"200": _PAGE},
    ),
    "createPaymentIntent": Text(
        summary="Create a payment intent",
        does="Creates a payment of an amount in US dollars. Send the payer to its `checkout_url`.",
        answers={"201": "The new payment intent."},
    ),
    "getPaymentIntent": Text(
        summary="Retrieve a payment intent",
        does="Reads a payment intent as it is now.",
        answers={"200": _INTENT},
    ),
    "acceptPartialPaymentIntent": Text(
        summary="Accept a partial payment",
        does="Settles a partially paid intent for what has arrived. This cannot be taken back.",
        answers={"200": "The settled payment intent."},
    ),
    "cancelPaymentIntent": Text(
        summary="Cancel a payment intent",
        does="Cancels a payment for which nothing arrived and nothing is on its way. Later money can be refunded.",
        answers={"200": "The cancelled payment intent."},
    ),
    "explainPaymentIntent": Text(
        summary="Explain a payment intent",
        does="Says in words what happened to a payment, where its money is, and who has to do what next.",
        answers={"200": "The explanation."},
    ),
    "getPaymentIntentFlightRecord": Text(
        summary="Retrieve the flight record of a payment",
        does="Reads everything that happened to a payment as a chain of hashes with the service's signatures over it."
        " Anyone can check it without the service.",
        answers={"200": "The record, up to this moment."},
    ),
    "getPaymentIntentScenario": Text(
        summary="Export a payment as a scenario file",
        does="Tells what happened to a payment, so that test mode can play it again: what chains showed, what providers"
        " answered, and when. Nothing in it is a person's or a wallet's.",
        answers={"200": "The scenario file."},
    ),
    "listPaymentIntentPayers": Text(
        summary="List who paid",
        does="Lists the wallets that provably paid an intent, with what each paid and what of it was refunded.",
        answers={"200": "The payers, those with the most left first."},
    ),
    "listPaymentIntentRoutes": Text(
        summary="List the routes of a payment",
        does="Lists the routes that were compared for a payment, with costs, times and which one was taken.",
        answers={"200": "A page of the routes."},
    ),
    "listPaymentIntentTransactions": Text(
        summary="List the transactions of a payment",
        does="Lists the transactions of a payment with their hashes, confirmations and amounts.",
        answers={"200": "A page of the transactions, in their order."},
    ),
    "listPayouts": Text(
        summary="List payouts",
        does="Lists payouts, newest first, filtered by what the parameters say.",
        answers={"200": _PAGE},
    ),
    "getPayout": Text(summary="Retrieve a payout", does="Reads a payout as it is now.", answers={"200": "The payout."}),
    "replayPayout": Text(
        summary="Send a failed payout again",
        does="Puts a failed payout back in the queue. What may have reached a chain already is followed first.",
        answers={"200": "The payout, queued again."},
    ),
    "listRefunds": Text(
        summary="List refunds",
        does="Lists refunds, newest first, filtered by what the parameters say.",
        answers={"200": _PAGE},
    ),
    "createRefund": Text(
        summary="Create a refund",
        does="Refunds a part or all of a payment, or gives a stray token back. Without a destination the refund waits"
        " until the payer or you name one.",
        answers={"201": "The new refund."},
    ),
    "getRefund": Text(summary="Retrieve a refund", does="Reads a refund as it is now.", answers={"200": "The refund."}),
    "cancelRefund": Text(
        summary="Cancel a refund",
        does="Cancels a refund of which nothing was signed yet.",
        answers={"200": "The cancelled refund."},
    ),
    "setRefundDestination": Text(
        summary="Set where a refund goes",
        does="Names the address of a refund that waits for one. The refund is sent next.",
        answers={"200": "The refund with its destination."},
    ),
    "refundToPayers": Text(
        summary="Refund each payer",
        does="Sends every wallet that provably paid what it did not get back yet: a refund for each, or none at all.",
        answers={"201": "The new refunds."},
    ),
    "advanceTestClock": Text(
        summary="Advance the test clock",
        does="Test mode only: makes everything due that would be due within so many seconds.",
        answers={"200": "By how much it was moved."},
    ),
    "triggerTestEvent": Text(
        summary="Send a sample event",
        does="Test mode only: sends a sample event of one type to your endpoints.",
        answers={"200": "The event that is sent."},
    ),
    "payTestPaymentIntent": Text(
        summary="Pay a test payment",
        does="Test mode only: pays as a payer would, with the outcome that the scenario names.",
        answers={"200": "The payment intent; the rest happens within seconds."},
    ),
    "createTestScenarioReplay": Text(
        summary="Replay a scenario file",
        does="Test mode only: plays what a scenario file tells, moment by moment, and holds the end against the file's."
        " Nothing stays of it but the replay: no payment, no event, nothing in the books.",
        answers={"201": "The replay, which a worker plays within seconds."},
    ),
    "getTestScenarioReplay": Text(
        summary="Retrieve a replay",
        does="Test mode only: reads what a replay showed, and where it came to another end.",
        answers={"200": "The replay."},
    ),
    "listTestScenarios": Text(
        summary="List the scenarios of test mode",
        does="Test mode only: lists the outcomes that can be asked for.",
        answers={"200": "All scenarios."},
    ),
    "listEvents": Text(
        summary="List events, oldest first",
        does="Reads every event in one order that never changes. Go on from `cursor` and none is missed.",
        answers={"200": "A page of events, and where to go on."},
    ),
    "getEvent": Text(
        summary="Retrieve an event",
        does="Reads one event exactly as it is sent to endpoints.",
        answers={"200": "The event."},
    ),
    "pullWebhookDeliveries": Text(
        summary="Fetch deliveries of an endpoint without URL",
        does="Gives out signed deliveries to who has no public address. Each is kept for you for 30 seconds.",
        answers={"200": "The deliveries; an empty list if there are none."},
    ),
    "answerWebhookDelivery": Text(
        summary="Answer a delivery that was fetched",
        does="Records what your receiver answered to a fetched delivery. It counts like an answer to a POST.",
        answers={"200": "The delivery with this attempt."},
    ),
    "listTokens": Text(
        summary="List tokens",
        does="Lists the tokens that payers can use, or those of one chain.",
    ),
    "listWebhookEndpoints": Text(
        summary="List webhook endpoints",
        does="Lists all endpoints of this mode, newest first.",
    ),
    "createWebhookEndpoint": Text(
        summary="Create a webhook endpoint",
        does="Creates an endpoint that events are sent to, signed with its own secret.",
    ),
    "getWebhookEndpoint": Text(
        summary="Retrieve a webhook endpoint",
        does="Reads a webhook endpoint. Its secret is never shown again.",
        answers={"200": _ENDPOINT},
    ),
    "updateWebhookEndpoint": Text(
        summary="Update a webhook endpoint",
        does="Changes where events are posted to, which ones, and whether at all. What is left out stays.",
        answers={"200": _ENDPOINT},
    ),
    "deleteWebhookEndpoint": Text(
        summary="Delete a webhook endpoint",
        does="Deletes an endpoint and its secrets. Nothing more is sent to it.",
    ),
    "listWebhookDeliveries": Text(
        summary="List deliveries with their attempts",
        does="Lists what was sent to an endpoint, newest first, each with every attempt and its answer.",
        answers={"200": _PAGE},
    ),
    "resendWebhookDelivery": Text(
        summary="Send a delivery again",
        does="Sends one event to one endpoint again, whether it was delivered or not.",
    ),
    "recoverWebhookEndpoint": Text(
        summary="Send undelivered events again",
        does="Sends every event again that was not delivered to an endpoint since a time.",
        answers={"200": "How many events are sent."},
    ),
    "certifyWebhookEndpoint": Text(
        summary="Test a receiver",
        does="Has a worker send hostile requests to an endpoint's URL. None of them can be taken for news.",
    ),
    "getWebhookEndpointCertificate": Text(
        summary="Retrieve a receiver's certificate",
        does="Reads what the last test found of an endpoint's receiver, with the exact requests answered wrong.",
    ),
    "rotateWebhookEndpointSecret": Text(
        summary="Rotate the signing secret",
        does="Gives an endpoint a new secret. The old one signs as well for 24 hours.",
    ),
}
"""By the operation's id."""


def with_operation_texts(result: Document) -> None:
    """Each operation with its text. What is declared beside an operation comes before these."""
    for operation in operations(result, "paths"):
        text = TEXTS.get(operation["operationId"])
        if text is None:
            continue
        operation["summary"] = text.summary
        operation.setdefault("description", text.does)
        for status, answer in operation["responses"].items():
            answer["description"] = answer.get("description") or text.answers.get(status, "")
