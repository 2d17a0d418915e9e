"""LI.FI's quote in our words: read strictly, nothing in it believed yet.

Source: https://docs.li.fi, quote.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from chains.calldata.abi import MOST_BYTES
from payments.routing.answer_faults import AnswerFault
from payments.routing.lifi.faults import LifiRefused
from payments.routing.lifi.pins import SOLANA_ID
from payments.routing.lifi.reading import Fields, malformed

MOST_SECONDS = 24 * 3600
MOST_SOLANA_TEXT = 1644
"""Characters of a whole Solana transaction in base64."""
_MOST_CHAIN_ID = 2**53
_MOST_DECIMALS = 36
_ID_BYTES = 32


@dataclass(frozen=True, kw_only=True, slots=True)
class QuotedToken:
    """A token as the answer names it; an EVM address in lower case."""

    chain_id: int
    address: str
    decimals: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Fee:
    """Something that a provider takes; one that is not ``included`` in the input is paid on top."""

    token: QuotedToken
    base_units: int
    usd: Decimal
    included: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class GasCost:
    """What the transaction burns. ``units`` is the estimated gas."""

    usd: Decimal
    units: int


@dataclass(frozen=True, kw_only=True, slots=True)
class TransactionRequest:
    """What the payer would be asked to sign; addresses in lower case."""

    to: str
    sender: str
    value: int
    chain_id: int
    data: bytes


@dataclass(frozen=True, kw_only=True, slots=True)
class Quote:
    """What every answer of ``/quote/toAmount`` says; EVM addresses in lower case, amounts in base units.

    ``transaction_id`` is None where the answer does not say.
    """

    tool: str
    transaction_id: bytes | None
    integrator: str
    from_token: QuotedToken
    to_token: QuotedToken
    from_chain_id: int
    to_chain_id: int
    from_address: str
    to_address: str
    from_amount: int
    to_amount: int
    to_amount_min: int
    fees: Sequence[Fee]
    gas: Sequence[GasCost]
    seconds: int


@dataclass(frozen=True, kw_only=True, slots=True)
class LifiQuote(Quote):
    """An answer for a payer on an EVM chain. ``approval_address`` is empty where the answer does not say."""

    approval_address: str
    resets_approval: bool
    transaction: TransactionRequest


@dataclass(frozen=True, kw_only=True, slots=True)
class SolanaQuote(Quote):
    """An answer for a payer on Solana: of the transaction LI.FI says nothing but itself, in base64."""

    transaction_base64: str


def read_quote(body: Any) -> LifiQuote:
    """The quote in an answer's body. Raises: LifiRefused where any field is not in the documented form."""
    whole = Fields(body)
    estimate = whole.inside("estimate")
    return LifiQuote(
        transaction=_transaction(whole.inside("transactionRequest")),
        approval_address=estimate.address("approvalAddress") if estimate.has("approvalAddress") else "",
        resets_approval=estimate.flag("approvalReset"),
        **_figures(whole),
    )


def read_solana_quote(body: Any) -> SolanaQuote:
    """The same for a payer on Solana. Source: https://docs.li.fi, Solana transaction example. Raises: LifiRefused."""
    whole = Fields(body)
    text = whole.inside("transactionRequest").text("data", MOST_SOLANA_TEXT)
    return SolanaQuote(transaction_base64=text, **_figures(whole))


def _figures(whole: Fields) -> dict[str, Any]:
    action, estimate = whole.inside("action"), whole.inside("estimate")
    if whole.text("type") != "lifi":
        raise malformed()
    if action.units("fromAmount") != estimate.units("fromAmount") or whole.text("tool") != estimate.text("tool"):
        raise LifiRefused(AnswerFault.FIGURES_CONTRADICT)
    from_chain_id = action.whole("fromChainId", _MOST_CHAIN_ID)
    return {
        "tool": whole.text("tool"),
        "transaction_id": _transaction_id(whole),
        "integrator": whole.text("integrator") if whole.has("integrator") else "",
        "from_token": _token(action.inside("fromToken")),
        "to_token": _token(action.inside("toToken")),
        "from_chain_id": from_chain_id,
        "to_chain_id": action.whole("toChainId", _MOST_CHAIN_ID),
        "from_address": _address(action, "fromAddress", from_chain_id),
        "to_address": action.address("toAddress"),
        "from_amount": estimate.units("fromAmount"),
        "to_amount": estimate.units("toAmount"),
        "to_amount_min": estimate.units("toAmountMin"),
        "fees": [_fee(fee) for fee in estimate.each("feeCosts")],
        "gas": [
            GasCost(usd=cost.money("amountUSD"), units=cost.units("estimate") if cost.has("estimate") else 0)
            for cost in estimate.each("gasCosts")
        ],
        "seconds": estimate.seconds("executionDuration", MOST_SECONDS),
    }


def _address(owner: Fields, name: str, chain_id: int) -> str:
    """An address in the form of its chain."""
    return owner.key(name) if chain_id == SOLANA_ID else owner.address(name)


def _token(token: Fields) -> QuotedToken:
    chain_id = token.whole("chainId", _MOST_CHAIN_ID)
    return QuotedToken(
        chain_id=chain_id,
        address=_address(token, "address", chain_id),
        decimals=token.whole("decimals", _MOST_DECIMALS),
    )


def _fee(fee: Fields) -> Fee:
    return Fee(
        token=_token(fee.inside("token")),
        base_units=fee.units("amount"),
        usd=fee.money("amountUSD"),
        included=fee.flag("included"),
    )


def _transaction(request: Fields) -> TransactionRequest:
    return TransactionRequest(
        to=request.address("to"),
        sender=request.address("from"),
        value=request.hex_units("value"),
        chain_id=request.whole("chainId", _MOST_CHAIN_ID),
        data=request.raw_bytes("data", MOST_BYTES),
    )


def _transaction_id(whole: Fields) -> bytes | None:
    if not whole.has("transactionId"):
        return None
    found = whole.raw_bytes("transactionId", _ID_BYTES)
    if len(found) != _ID_BYTES:
        raise malformed()
    return found
