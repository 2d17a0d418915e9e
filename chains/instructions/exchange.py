"""A whole exchange as an aggregator offers it, and the one place that says whether it may go before a payer."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from chains.instructions.given import GivenInstruction
from chains.instructions.jupiter import check_jupiter_swap
from chains.instructions.programs import JUPITER_V6, TOKEN_PROGRAM
from chains.instructions.refusal import Refusal, TransactionRefused
from chains.instructions.setup import check_cleanup, check_setup, check_signers, unit_price
from chains.instructions.terms import ExchangeTerms, Mint

LOCALNET = "localnet"
_TRANSFER_CHECKED = 12
_TRANSFER_BYTES, _TRANSFER_ACCOUNTS = 10, 4


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


def check_local_exchange(swap: GivenInstruction, others: Sequence[GivenInstruction], terms: ExchangeTerms) -> int:
    """What the payer gets, once both transfers are the agreed ones: two in one transaction. Raises: TransactionRefused.

    The payer sends the input to a market maker, who has made the payer a delegate for exactly this much of its own
    tokens, so that the payer's one signature moves both sides or none.
    """
    if len(others) != 1:
        raise TransactionRefused(Refusal.UNKNOWN_INSTRUCTION, "local exchange")
    paid, maker_in = _local_transfer(swap, terms, terms.source, from_account=terms.source_account)
    got, maker_out = _local_transfer(others[0], terms, terms.destination, to_account=terms.destination_account)
    own = {terms.source_account, terms.destination_account, terms.wrapped_account}
    if maker_in in own or maker_out in own:
        raise TransactionRefused(Refusal.FOREIGN_ACCOUNT, "local exchange")
    if paid != terms.input_base_units:
        raise TransactionRefused(Refusal.INPUT_TOO_HIGH, "local exchange")
    if got < terms.least_output:
        raise TransactionRefused(Refusal.OUTPUT_BELOW_TARGET, "local exchange")
    return got


def _local_transfer(
    one: GivenInstruction, terms: ExchangeTerms, mint: Mint, from_account: str = "", to_account: str = ""
) -> tuple[int, str]:
    """The amount of a checked transfer that the payer signs, and the account at its other end."""
    if one.program != TOKEN_PROGRAM or mint.program != TOKEN_PROGRAM:
        raise TransactionRefused(Refusal.FOREIGN_PROGRAM, one.program)
    if (
        len(one.content) != _TRANSFER_BYTES
        or one.content[0] != _TRANSFER_CHECKED
        or len(one.accounts) != _TRANSFER_ACCOUNTS
    ):
        raise TransactionRefused(Refusal.UNKNOWN_INSTRUCTION, "local exchange")
    check_signers(one, terms.payer)
    source, used_mint, destination, authority = (entry.address for entry in one.accounts)
    if used_mint != mint.address or authority != terms.payer or one.content[9] != mint.decimals:
        raise TransactionRefused(Refusal.FOREIGN_ACCOUNT, "local exchange")
    if (from_account and source != from_account) or (to_account and destination != to_account):
        raise TransactionRefused(Refusal.FOREIGN_ACCOUNT, "local exchange")
    return int.from_bytes(one.content[1:9], "little"), destination if from_account else source


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
