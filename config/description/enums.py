"""What the fixed sets of words are called in the description, and what each set is about."""

from collections.abc import Mapping
from typing import Final

from config.description.walk import Document

SENTENCES: Final[Mapping[str, str]] = {
    "AttemptProgress": "How far an open attempt to pay has come.",
    "Availability": "Whether a part of the service answers.",
    "ClaimState": "That the wallet's contract is being asked.",
    "DeliveryError": "Why no answer came from a receiver.",
    "DeliveryStatus": "Where a delivery stands: due, delivered, given up after the last attempt, or cancelled.",
    "ReceiverCheckName": "What a receiver is tested for. `about` of a check says it in a sentence.",
    "ExpectedAnswer": "What a receiver has to answer: any 2xx where it is `accepted`, any 4xx where it is `refused`.",
    "ReceiverTestError": "Why a test brought no answer: a word of deliveries, or `not_sent` where its time was over"
    " or the endpoint was switched off meanwhile.",
    "EndpointDisabledReason": "Why an endpoint is off: the merchant switched it off, the receiver answered"
    " 410 Gone, or nothing but failures came back for five days.",
    "EndpointKind": "Whether events are posted to an endpoint's URL, or fetched and answered by the merchant.",
    "ErrorCode": "Which error it is; each has a place in the guide of errors.",
    "EventResourceType": "The kind of resource that an event is about.",
    "EventSubscription": "An event type, all events of one resource, or all events.",
    "EventType": "What happened.",
    "ExplanationCode": "What a line of an explanation is about: the payment's situation, or a refund or payout of it.",
    "ExplanationReason": "Why a refund or payout that a line is about is not paid, or not paid yet.",
    "HintReporter": "Who reported a transaction hash.",
    "HintVerdict": "What the chain said about a reported transaction hash.",
    "IntentStatus": "Where a payment intent stands. See docs/states for every change of status.",
    "KeyKind": "Whether a key may do everything, or only what it was given on the dashboard.",
    "KeyScope": "One permission of a restricted key.",
    "LegKind": "What a transaction does with the money.",
    "LegStatus": "Where a transaction stands on its chain.",
    "LegSubStatus": "More about a confirmed transaction: `partial` where less arrived than was guaranteed.",
    "Mode": "Test moves no real money; live does.",
    "PaymentProblem": "Why a payment, or one attempt to pay, failed.",
    "PaymentSituation": "What is going on with a payment, in more detail than its status.",
    "PayoutFailureReason": "Why a payout is not paid, or not paid yet.",
    "PayoutRail": "How a payout is sent.",
    "PayoutStatus": "Where a payout stands.",
    "RefundFailureReason": "Why a refund is not paid, or not paid yet.",
    "RefundPublicStatus": "Where a refund stands, in the words that payers are shown.",
    "RefundStatus": "Where a refund stands.",
    "RejectionReason": "Whether the payer declined in the wallet or left the page.",
    "RouteProvider": "Who carries a payment out: a transfer without anybody between, or an aggregator of routes.",
    "ScenarioEnd": "The status in which a scenario leaves what it is asked of.",
    "ScenarioName": "An outcome that test mode can be asked for.",
    "ScenarioSubject": "What a scenario of test mode can be asked of.",
    "SettledReason": "Why an intent counts as settled although not exactly its amount arrived.",
    "WalletFamily": "Which kind of chain a wallet belongs to.",
    "WhoActs": "Who has to do something next.",
}
"""One sentence for each set that is a component of its own."""


def with_sentences(result: Document) -> None:
    """Each set of words with its sentence."""
    for name, schema in result["components"]["schemas"].items():
        if name in SENTENCES:
            schema.setdefault("description", SENTENCES[name])
