"""The exchange of a local network, where Jupiter's program does not run: two transfers in one transaction.

The payer sends the input to a market maker, who has made the payer a delegate for exactly this much of its own tokens,
so that the payer's one signature moves both sides or none. Admitted only where the network profile is ``localnet``.
"""

from collections.abc import Sequence

from chains.instructions.given import GivenInstruction
from chains.instructions.programs import TOKEN_PROGRAM
from chains.instructions.refusal import Refusal, TransactionRefused
from chains.instructions.setup import check_signers
from chains.instructions.terms import ExchangeTerms, Mint

_TRANSFER_CHECKED = 12
_BYTES, _ACCOUNTS = 10, 4


def check_local_exchange(swap: GivenInstruction, others: Sequence[GivenInstruction], terms: ExchangeTerms) -> int:
    """What the payer gets, once both transfers are the agreed ones. Raises: TransactionRefused."""
    if len(others) != 1:
        raise TransactionRefused(Refusal.UNKNOWN_INSTRUCTION, "local exchange")
    paid, maker_in = _transfer(swap, terms, terms.source, from_account=terms.source_account)
    got, maker_out = _transfer(others[0], terms, terms.destination, to_account=terms.destination_account)
    own = {terms.source_account, terms.destination_account, terms.wrapped_account}
    if maker_in in own or maker_out in own:
        raise TransactionRefused(Refusal.FOREIGN_ACCOUNT, "local exchange")
    if paid != terms.input_base_units:
        raise TransactionRefused(Refusal.INPUT_TOO_HIGH, "local exchange")
    if got < terms.least_output:
        raise TransactionRefused(Refusal.OUTPUT_BELOW_TARGET, "local exchange")
    return got


def _transfer(
    one: GivenInstruction, terms: ExchangeTerms, mint: Mint, from_account: str = "", to_account: str = ""
) -> tuple[int, str]:
    """The amount of a checked transfer that the payer signs, and the account at its other end."""
    if one.program != TOKEN_PROGRAM or mint.program != TOKEN_PROGRAM:
        raise TransactionRefused(Refusal.FOREIGN_PROGRAM, one.program)
    if len(one.content) != _BYTES or one.content[0] != _TRANSFER_CHECKED or len(one.accounts) != _ACCOUNTS:
        raise TransactionRefused(Refusal.UNKNOWN_INSTRUCTION, "local exchange")
    check_signers(one, terms.payer)
    source, used_mint, destination, authority = (entry.address for entry in one.accounts)
    if used_mint != mint.address or authority != terms.payer or one.content[9] != mint.decimals:
        raise TransactionRefused(Refusal.FOREIGN_ACCOUNT, "local exchange")
    if (from_account and source != from_account) or (to_account and destination != to_account):
        raise TransactionRefused(Refusal.FOREIGN_ACCOUNT, "local exchange")
    return int.from_bytes(one.content[1:9], "little"), destination if from_account else source
