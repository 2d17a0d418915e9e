"""What a payer's page, poller and wallet are shown."""

from typing import Annotated, Any, TypedDict

from core.shapes import (
    Chain,
    Code,
    Currency,
    Figure,
    Link,
    ModeName,
    Moment,
    Number,
    Sentence,
    Symbol,
    TxHash,
    Url,
    Uuid,
)
from payments.explanation import Situation
from payments.states import OPEN_ATTEMPT, IntentStatus, LegStatus


class CheckoutLegShape(TypedDict):
    """Source: specification, CheckoutView (legs)."""

    chain: Chain
    token: Symbol
    amount_usd: Number
    status: Annotated[str, LegStatus]


class CheckoutViewShape(TypedDict):
    """Source: specification, CheckoutView. Nothing beyond its keys may appear."""

    id: Uuid
    amount: Figure
    currency: Currency
    status: Annotated[str, IntentStatus]
    settlement_chain: Chain
    settlement_token: Symbol
    expires_at: Moment
    legs: list[CheckoutLegShape]


class ThreePartMessageShape(TypedDict):
    """What happened, where the money is, what to do now."""

    code: Annotated[Code, Situation]
    happened: Sentence
    money: Sentence
    next: Sentence


class OtherAttemptsShape(TypedDict):
    """The tries that others have open: how many, and how far the furthest is."""

    open: int
    furthest: Annotated[str | None, tuple(one.value for one in OPEN_ATTEMPT)]


class PayerStateShape(TypedDict):
    """What the hosted page draws; additive, for pages of the service."""

    id: Uuid
    mode: ModeName
    status: Annotated[str, IntentStatus]
    amount: Figure
    currency: Currency
    merchant_name: str
    settlement_chain: Chain
    settlement_token: Symbol
    settlement_address_tail: str
    expires_at: Moment
    server_time: Moment
    amount_received: Figure
    amount_due: Figure
    overpaid_usd: Figure
    in_doubt: bool
    message: ThreePartMessageShape
    last_error: dict[str, str] | None
    return_url: Link | None
    receipt_url: Url | None
    reference: str | None
    wallet: dict[str, Any] | None
    attempt: dict[str, Any] | None
    others: OtherAttemptsShape
    legs: list[dict[str, Any]]
    terminal: bool


class CheckoutSessionShape(TypedDict):
    """A payer's session."""

    checkout_token: str
    expires_at: Moment


class SimulatedTransactionShape(TypedDict):
    """The hash under which the simulated chain knows the transaction."""

    tx_hash: TxHash


class SolanaPayLabelShape(TypedDict):
    """Source: https://docs.solanapay.com/spec, transaction requests (GET)."""

    label: str
    icon: Url


class SolanaPayTransactionShape(TypedDict):
    """Source: https://docs.solanapay.com/spec (POST). ``transaction`` is base64, without a signature."""

    transaction: str
    message: Sentence
