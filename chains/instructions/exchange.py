"""A whole exchange as an aggregator offers it, and the one place that says whether it may go before a payer."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from chains.instructions.given import GivenInstruction
from chains.instructions.jupiter import check_jupiter_swap
from chains.instructions.local_exchange import check_local_exchange
from chains.instructions.programs import JUPITER_V6, TOKEN_PROGRAM
from chains.instructions.refusal import Refusal, TransactionRefused
from chains.instructions.setup import check_cleanup, check_setup, unit_price
from chains.instructions.terms import ExchangeTerms

LOCALNET = "localnet"


@dataclass(frozen=True, kw_only=True, slots=True)
class Exchange:
    """The instructions of one exchange, in the groups in which Jupiter gives them, and what the message needs.

    ``last_valid_block_height`` is that of the aggregator's own blockhash: by it a stale answer is known.
    """

    compute_budget: tuple[GivenInstruction, ...]
    setup: tuple[GivenInstruction, ...]
    swap: GivenInstruction
    others: tuple[GivenInstruction, ...]
    cleanup: GivenInstruction | None
    lookup_tables: Mapping[str, tuple[str, ...]]
    last_valid_block_height: int


SwapCheck = Callable[[GivenInstruction, Sequence[GivenInstruction], ExchangeTerms], int]
"""Answers the least that the payer gets. Raises: TransactionRefused."""


def _jupiter(swap: GivenInstruction, others: Sequence[GivenInstruction], terms: ExchangeTerms) -> int:
    if others:
        raise TransactionRefused(Refusal.UNKNOWN_INSTRUCTION, "other instructions")
    return check_jupiter_swap(swap, terms).least_output


SWAP_PROGRAMS: Mapping[str, SwapCheck] = MappingProxyType({JUPITER_V6: _jupiter})
"""Which program may exchange a payer's tokens, and who reads its data. No setting changes this table."""
LOCALNET_SWAP_PROGRAMS: Mapping[str, SwapCheck] = MappingProxyType({TOKEN_PROGRAM: check_local_exchange})
"""What a local network admits besides, since Jupiter's program does not run there."""


def swap_check(program: str, network_profile: str) -> SwapCheck:
    """Who reads the data of this program's exchanges. Raises: TransactionRefused where nobody does."""
    check = SWAP_PROGRAMS.get(program)
    if check is None and network_profile == LOCALNET:
        check = LOCALNET_SWAP_PROGRAMS.get(program)
    if check is None:
        raise TransactionRefused(Refusal.FOREIGN_PROGRAM, program)
    return check


def check_exchange(exchange: Exchange, terms: ExchangeTerms, network_profile: str) -> int:
    """The least that the payer gets from it, once every instruction was read and found in order.

    Raises: TransactionRefused with the first rule it breaks.
    """
    check = swap_check(exchange.swap.program, network_profile)
    unit_price(exchange.compute_budget)
    check_setup(exchange.setup, terms)
    check_cleanup(exchange.cleanup, terms)
    least = check(exchange.swap, exchange.others, terms)
    if least < terms.least_output:
        raise TransactionRefused(Refusal.OUTPUT_BELOW_TARGET)
    return least
