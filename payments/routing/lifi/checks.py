"""The gates of a quote: nothing of it is used before it agrees with the request, the pins and its own calldata.

Source: docs/routing.md, LI.FI.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from chains.calldata.abi import CalldataError
from chains.calldata.lifi import LifiCall, UnknownCall, read_lifi_call
from chains.instructions.svm_spoke import SvmDeposit
from payments.routing.answer_faults import AnswerFault
from payments.routing.assets import value_usd
from payments.routing.base import LegKind
from payments.routing.gates import MAX_PRICE_IMPACT_BPS, Gate, OfferError
from payments.routing.lifi.call_checks import check_call
from payments.routing.lifi.faults import LifiRefused
from payments.routing.lifi.pins import BRIDGES, lifi_id
from payments.routing.lifi.quote import Fee, LifiQuote, Quote, QuotedToken, SolanaQuote
from payments.routing.lifi.solana_checks import check_deposit
from payments.routing.lifi.terms import Terms

MOST_SWAPS_LOSING = 3
"""Slippage counts per step: before the bridge, on it, after it."""
_BPS = 10_000
_ZERO_ADDRESS = "0x" + 40 * "0"


@dataclass(frozen=True, kw_only=True, slots=True)
class CheckedFigures:
    """A quote that passed every gate which needs no chain.

    ``least_output`` is what the call itself guarantees; ``price_impact_bps`` compares it with the input at our own
    prices and is negative where the merchant would gain. ``native_fee`` leaves the wallet on top of the input.
    """

    quote: Quote
    least_output: int
    price_impact_bps: int
    native_fee: int = 0
    native_fee_usd: Decimal = Decimal(0)


@dataclass(frozen=True, kw_only=True, slots=True)
class CheckedQuote(CheckedFigures):
    """The same for a payer on an EVM chain, with the call."""

    quote: LifiQuote
    call: LifiCall


@dataclass(frozen=True, kw_only=True, slots=True)
class CheckedDeposit(CheckedFigures):
    """The same for a payer on Solana, with the deposit that all comes down to."""

    quote: SolanaQuote
    deposit: SvmDeposit


def checked(quote: LifiQuote, terms: Terms, slippage_bps: int) -> CheckedQuote:
    """The quote with what follows from it. Raises: LifiRefused with the code of the first gate that it fails."""
    _check_action(quote, terms)
    _check_contracts(quote, terms)
    _check_tool(quote, terms)
    on_top = _on_top(quote.fees, terms)
    _check_value(quote, terms, sum(fee.base_units for fee in on_top))
    call = _read(quote.transaction.data)
    least = min(check_call(call, quote, terms), quote.to_amount_min)
    _check_output(quote, least, terms, slippage_bps)
    return CheckedQuote(
        quote=quote,
        call=call,
        least_output=least,
        price_impact_bps=_price_impact_bps(quote, least, terms),
        native_fee=sum(fee.base_units for fee in on_top),
        native_fee_usd=sum((fee.usd for fee in on_top), Decimal(0)),
    )


def checked_on_solana(quote: SolanaQuote, terms: Terms, slippage_bps: int) -> CheckedDeposit:
    """The same for a payer on Solana.

    Why fees on top cost nothing: of the transaction only the deposit is kept, so whatever else would be paid is not.
    """
    _check_action(quote, terms)
    _check_tool(quote, terms)
    _on_top(quote.fees, terms)
    deposit = check_deposit(quote, terms)
    least = min(deposit.output_amount, quote.to_amount_min)
    _check_output(quote, least, terms, slippage_bps)
    impact = _price_impact_bps(quote, least, terms)
    return CheckedDeposit(quote=quote, deposit=deposit, least_output=least, price_impact_bps=impact)


def refuse_price_impact(found: CheckedFigures) -> None:
    """Raises: LifiRefused where the payer would lose too much on the way."""
    if found.price_impact_bps > MAX_PRICE_IMPACT_BPS:
        raise LifiRefused(Gate.PRICE_IMPACT_TOO_HIGH)


def _check_action(quote: Quote, terms: Terms) -> None:
    source, destination = lifi_id(terms.source_chain), lifi_id(terms.destination_chain)
    if {quote.from_chain_id, quote.from_token.chain_id} != {source} or {quote.to_chain_id, quote.to_token.chain_id} != {
        destination
    }:
        raise LifiRefused(AnswerFault.WRONG_CHAIN)
    if not _is(quote.from_token, terms.source_token, terms.request.source.decimals):
        raise LifiRefused(AnswerFault.WRONG_TOKEN)
    if not _is(quote.to_token, terms.destination_token, terms.request.destination.decimals):
        raise LifiRefused(AnswerFault.WRONG_TOKEN)
    if quote.from_address != terms.payer:
        raise LifiRefused(AnswerFault.WRONG_PAYER)
    if quote.to_address != terms.merchant:
        raise LifiRefused(AnswerFault.WRONG_RECIPIENT)
    if terms.integrator and quote.integrator != terms.integrator:
        raise LifiRefused(AnswerFault.WRONG_IDENTITY)


def _is(token: QuotedToken, address: str, decimals: int) -> bool:
    return (token.address, token.decimals) == (address, decimals)


def _check_contracts(quote: LifiQuote, terms: Terms) -> None:
    """The payer calls and approves nothing but the pinned router; native coin needs no approval."""
    if quote.transaction.chain_id != terms.source_chain.chain_id:
        raise LifiRefused(AnswerFault.WRONG_CHAIN)
    if quote.transaction.sender != terms.payer:
        raise LifiRefused(AnswerFault.WRONG_PAYER)
    spenders = {terms.router} | ({"", _ZERO_ADDRESS} if terms.takes_native else set())
    if quote.transaction.to != terms.router or quote.approval_address not in spenders:
        raise LifiRefused(AnswerFault.UNKNOWN_CONTRACT)


def _check_tool(quote: Quote, terms: Terms) -> None:
    if terms.kind is LegKind.BRIDGE and quote.tool not in BRIDGES:
        raise LifiRefused(AnswerFault.UNKNOWN_TOOL)


def _on_top(fees: Sequence[Fee], terms: Terms) -> list[Fee]:
    """The fees that are paid beside the input. Raises: LifiRefused for one that is not in the native coin."""
    found = [fee for fee in fees if not fee.included and fee.base_units > 0]
    coin = (lifi_id(terms.source_chain), terms.source_coin)
    if any((fee.token.chain_id, fee.token.address) != coin for fee in found):
        raise LifiRefused(AnswerFault.FIGURES_CONTRADICT)
    return found


def _check_value(quote: LifiQuote, terms: Terms, native_fee: int) -> None:
    """The native coin that leaves with the call is the input, where that is it, and a fee that the bridge may take."""
    most = BRIDGES[quote.tool].most_native_fee if terms.kind is LegKind.BRIDGE else 0
    expected = native_fee + (quote.from_amount if terms.takes_native else 0)
    if native_fee > most or quote.transaction.value != expected:
        raise LifiRefused(AnswerFault.WRONG_VALUE)


def _read(calldata: bytes) -> LifiCall:
    try:
        return read_lifi_call(calldata)
    except UnknownCall:
        raise LifiRefused(AnswerFault.UNKNOWN_CALL) from None
    except CalldataError:
        raise LifiRefused(AnswerFault.UNREADABLE_CALL) from None


def _check_output(quote: Quote, least: int, terms: Terms, slippage_bps: int) -> None:
    """The guarantee covers the target, and what is expected is no more than slippage above the guarantee."""
    if quote.from_amount <= 0 or quote.to_amount < quote.to_amount_min:
        raise LifiRefused(AnswerFault.FIGURES_CONTRADICT)
    if least < terms.request.target_base_units:
        raise LifiRefused(Gate.OUTPUT_BELOW_TARGET)
    kept = Fraction(_BPS - slippage_bps, _BPS) ** MOST_SWAPS_LOSING
    if quote.to_amount_min < int(quote.to_amount * kept):
        raise LifiRefused(AnswerFault.FIGURES_CONTRADICT)


def _price_impact_bps(quote: Quote, least: int, terms: Terms) -> int:
    """How much less the merchant surely gets than the payer gives, rounded up. Raises: LifiRefused without prices."""
    given = value_usd(terms.request.source, quote.from_amount)
    got = value_usd(terms.request.destination, least)
    if given <= 0 or got <= 0:
        raise LifiRefused(OfferError.PRICE_UNAVAILABLE)
    lost = (given - got) / given * _BPS
    if lost < -MAX_PRICE_IMPACT_BPS:
        raise LifiRefused(AnswerFault.PRICE_IMPLAUSIBLE)
    return -int(-lost // 1)
