"""What a wallet on Solana signs for a checked deposit: made here of the deposit alone, and tried on a node."""

from typing import Any

from chains.clients.registry import SOLANA
from chains.errors import TransferRejected
from chains.instructions.bridge_transaction import DEPOSIT_UNITS, bridge_instructions, own_nonce
from chains.instructions.programs import TOKEN_PROGRAM
from chains.instructions.transactions import reference_of
from payments.routing.answer_faults import AnswerFault
from payments.routing.lifi.checks import CheckedDeposit
from payments.routing.lifi.faults import LifiRefused
from payments.routing.lifi.solana_checks import payer_of
from payments.routing.lifi.terms import Terms


def unsigned_deposit(found: CheckedDeposit, terms: Terms, tag: str) -> dict[str, Any]:
    """The leg's ``issued`` form. Raises: LifiRefused where a node says that it would fail, ChainUnavailable."""
    known, payer = terms.source_chain.name, payer_of(terms)
    calls = bridge_instructions(own_nonce(found.deposit, tag), tag, payer)
    try:
        if SOLANA.token_program(known, payer.token_address) != TOKEN_PROGRAM:
            raise LifiRefused(AnswerFault.WRONG_TOKEN)
        issued = SOLANA.issue(known, payer.address, calls, DEPOSIT_UNITS)
    except TransferRejected:
        raise LifiRefused(AnswerFault.SIMULATION_FAILED) from None
    return {
        "family": "solana",
        "chain": known,
        "transaction_base64": issued.transaction_base64,
        "reference": reference_of(tag),
        "last_valid_block_height": issued.last_valid_block_height,
    }
