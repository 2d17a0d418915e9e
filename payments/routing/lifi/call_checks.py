"""The gates of the calldata: every field of the call that a payer would sign, against what was asked for.

What only shows in an event is not checked: referrers, the bridge's name, the step's own calldata, which the router
allows by contract and function. Source: docs/routing.md, LI.FI; as chains.calldata.lifi.
"""

from collections.abc import Sequence
from typing import Protocol

from chains.calldata.lifi import AcrossCall, AcrossOrder, LifiCall, SwapCall, SwapStep
from payments.routing.answer_faults import AnswerFault
from payments.routing.base import LegKind
from payments.routing.lifi.faults import LifiRefused
from payments.routing.lifi.quote import LifiQuote
from payments.routing.lifi.terms import Terms

EARLIEST_FILL_DEADLINE, LATEST_FILL_DEADLINE = 5 * 60, 24 * 3600
"""Seconds from now. Why a latest: until then an order that nobody fills keeps the payer's money."""
OLDEST_QUOTE, YOUNGEST_QUOTE = 3600, 300
"""Seconds before and after now: Across takes no order outside its own hour."""
MOST_EXCLUSIVE = 600
"""Seconds in which one relayer alone may fill."""
MOST_EXCLUSIVITY_OFFSET = 31_536_000
"""Up to here Across counts from the block's time, above it is a time.
Source: https://github.com/across-protocol/contracts, SpokePool."""
_WORD, _SELECTOR = 32, 4
_NOTHING = bytes(_WORD)
_ZERO_ADDRESS = "0x" + 40 * "0"


def check_call(call: LifiCall, quote: LifiQuote, terms: Terms) -> int:
    """What the call delivers to the merchant at least, in base units. Raises: LifiRefused at the first wrong field."""
    if isinstance(call, SwapCall):
        _demand(terms.kind is LegKind.SWAP, AnswerFault.UNKNOWN_CALL)
        _check_swap(call, quote, terms)
        return call.min_amount_out
    _demand(terms.kind is LegKind.BRIDGE, AnswerFault.UNKNOWN_CALL)
    _check_bridge(call, quote, terms)
    _check_order(call.order, call.bridge.sending_asset, terms)
    return call.least_output


def _check_swap(call: SwapCall, quote: LifiQuote, terms: Terms) -> None:
    _check_identity(call.transaction_id, call.integrator, quote, terms)
    _demand(call.receiver == terms.merchant, AnswerFault.WRONG_RECIPIENT)
    pair = (terms.takes_native, terms.gives_native)
    _demand((call.takes_native, call.gives_native) == pair, AnswerFault.WRONG_TOKEN)
    _check_steps(call.steps, quote, terms, terms.destination_token)
    if call.is_single:
        _demand(call.steps[0].from_amount == quote.from_amount, AnswerFault.WRONG_INPUT)
    elif not terms.takes_native:
        _demand(_deposited(call.steps) == quote.from_amount, AnswerFault.WRONG_INPUT)


def _check_bridge(call: AcrossCall, quote: LifiQuote, terms: Terms) -> None:
    bridge = call.bridge
    _check_identity(bridge.transaction_id, bridge.integrator, quote, terms)
    _demand(bridge.receiver == terms.merchant, AnswerFault.WRONG_RECIPIENT)
    _demand(bridge.destination_chain_id == terms.destination_chain.chain_id, AnswerFault.WRONG_CHAIN)
    _demand(not bridge.has_destination_call, AnswerFault.DESTINATION_CALL)
    _demand(bridge.has_source_swaps == bool(call.steps), AnswerFault.FIGURES_CONTRADICT)
    if not call.steps:
        _demand(bridge.sending_asset == terms.source_token, AnswerFault.WRONG_TOKEN)
        _demand(bridge.min_amount == quote.from_amount, AnswerFault.WRONG_INPUT)
        return
    _check_steps(call.steps, quote, terms, bridge.sending_asset)
    if not terms.takes_native:
        _demand(_deposited(call.steps) == quote.from_amount, AnswerFault.WRONG_INPUT)


def _check_order(order: AcrossOrder, bridged: str, terms: Terms) -> None:
    """The order that Across stores: who is paid what, who is paid back, and until when."""
    is_native = bridged == _ZERO_ADDRESS
    inputs = {_word(terms.wrapped_source_coin), _NOTHING} if is_native else {_word(bridged)}
    _demand(order.receiver == _word(terms.merchant), AnswerFault.WRONG_RECIPIENT)
    _demand(order.refund_address == _word(terms.payer), AnswerFault.WRONG_REFUND_ADDRESS)
    _demand(order.sending_asset in inputs, AnswerFault.WRONG_TOKEN)
    _demand(order.receiving_asset == _word(terms.destination_token), AnswerFault.WRONG_TOKEN)
    _demand(not order.message, AnswerFault.DESTINATION_CALL)
    check_times(order, int(terms.at.timestamp()))


class OrderTimes(Protocol):
    """What an order of Across says of time, whichever chain it begins on. Unix seconds."""

    @property
    def quote_timestamp(self) -> int:
        """Of when its fee is."""

    @property
    def fill_deadline(self) -> int:
        """Until when it may be filled."""

    @property
    def exclusivity(self) -> int:
        """Until when, or for how long, one relayer alone may fill it."""

    @property
    def exclusive_relayer(self) -> bytes:
        """That relayer; 32 bytes of nothing for none."""


def check_times(order: OrderTimes, now: int) -> None:
    """Refuse an order that is too old, holds the money too long, or is one relayer's too long. Raises: LifiRefused."""
    in_time = now + EARLIEST_FILL_DEADLINE <= order.fill_deadline <= now + LATEST_FILL_DEADLINE
    fresh = now - OLDEST_QUOTE <= order.quote_timestamp <= now + YOUNGEST_QUOTE
    exclusive = order.exclusivity
    if exclusive > MOST_EXCLUSIVITY_OFFSET:
        exclusive = max(exclusive - now, 1)
    bounded = exclusive <= MOST_EXCLUSIVE
    consistent = (order.exclusive_relayer != _NOTHING) == (order.exclusivity > 0)
    _demand(in_time and fresh and bounded and consistent, AnswerFault.WRONG_DEADLINE)


def _check_steps(steps: Sequence[SwapStep], quote: LifiQuote, terms: Terms, last: str) -> None:
    """The steps lead from the payer's token to the last one, and touch nobody's tokens on the way."""
    arrives = [step.receiving_asset for step in steps]
    _demand([step.sending_asset for step in steps] == [terms.source_token, *arrives[:-1]], AnswerFault.WRONG_TOKEN)
    _demand(arrives[-1] == last, AnswerFault.WRONG_TOKEN)
    forbidden = {*arrives, terms.source_token, terms.payer, terms.merchant, terms.router, _ZERO_ADDRESS}
    for step in steps:
        _check_step(step, forbidden, quote, terms)


def _check_step(step: SwapStep, forbidden: set[str], quote: LifiQuote, terms: Terms) -> None:
    is_native = step.sending_asset == _ZERO_ADDRESS
    spender_is_safe = step.approve_to not in forbidden or (is_native and step.approve_to == _ZERO_ADDRESS)
    _demand(step.call_to not in forbidden and spender_is_safe, AnswerFault.FORBIDDEN_STEP)
    _demand(len(step.calldata) >= _SELECTOR, AnswerFault.FORBIDDEN_STEP)
    _demand(not step.requires_deposit or step.sending_asset == terms.source_token, AnswerFault.WRONG_INPUT)
    of_input = step.sending_asset == terms.source_token
    _demand(0 < step.from_amount <= (quote.from_amount if of_input else step.from_amount), AnswerFault.WRONG_INPUT)


def _check_identity(transaction_id: bytes, integrator: str, quote: LifiQuote, terms: Terms) -> None:
    """The id by which the payment is found again, and the name under which fees are counted."""
    _demand(transaction_id != _NOTHING, AnswerFault.WRONG_IDENTITY)
    _demand(quote.transaction_id in {None, transaction_id}, AnswerFault.WRONG_IDENTITY)
    _demand(not terms.integrator or integrator == terms.integrator, AnswerFault.WRONG_IDENTITY)


def _deposited(steps: Sequence[SwapStep]) -> int:
    """What the router takes from the payer."""
    return sum(step.from_amount for step in steps if step.requires_deposit)


def _word(address: str) -> bytes:
    return int(address, 16).to_bytes(_WORD)


def _demand(is_right: bool, fault: AnswerFault) -> None:  # noqa: FBT001 - the condition itself
    if not is_right:
        raise LifiRefused(fault)
