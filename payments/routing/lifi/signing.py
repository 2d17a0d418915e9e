"""What a wallet signs for a checked quote: approvals of exact amounts, then LI.FI's call; all of it tried before."""

from typing import Any

from chains.calldata.erc20 import approve_call
from chains.clients.evm_simulation import TriedCall, Watched
from chains.clients.registry import EVM, SOLANA
from chains.errors import TransferRejected
from chains.instructions.bridge_transaction import DEPOSIT_UNITS, bridge_instructions, own_nonce
from chains.instructions.programs import TOKEN_PROGRAM
from chains.instructions.transactions import reference_of
from payments.routing.answer_faults import AnswerFault
from payments.routing.base import LegKind
from payments.routing.lifi.checks import CheckedDeposit, CheckedQuote
from payments.routing.lifi.faults import LifiRefused
from payments.routing.lifi.pins import RESET_FIRST, ROUTERS
from payments.routing.lifi.solana_checks import payer_of
from payments.routing.lifi.terms import Terms


def unsigned_transaction(found: CheckedQuote, terms: Terms) -> dict[str, Any]:
    """The leg's ``issued`` form. Raises: LifiRefused where a node says that it would fail, ChainUnavailable."""
    router = ROUTERS[terms.source_chain.name]
    call = TriedCall(
        sender=terms.request.payer_address,
        to=router,
        value=found.quote.transaction.value,
        data="0x" + found.quote.transaction.data.hex(),
    )
    approvals = _approvals(found, terms, router)
    _try(found, terms, [*approvals, call])
    return {
        "family": "evm",
        "chain": terms.source_chain.name,
        "chain_id": terms.source_chain.chain_id,
        "request": {"from": call.sender, "to": call.to, "value": hex(call.value), "data": call.data},
        "approvals": [{"to": one.to, "data": one.data, "value": hex(one.value)} for one in approvals],
    }


def _approvals(found: CheckedQuote, terms: Terms, router: str) -> list[TriedCall]:
    """None where the router may take enough already; to nothing first where the token asks for that."""
    if terms.takes_native:
        return []
    source, payer = terms.request.source, terms.request.payer_address
    allowed = EVM.allowance(source.chain, source.address, payer, router)
    if allowed >= found.quote.from_amount:
        return []
    resets = found.quote.resets_approval or (source.chain, source.address) in RESET_FIRST
    amounts = [0, found.quote.from_amount] if allowed > 0 and resets else [found.quote.from_amount]
    return [
        TriedCall(sender=payer, to=source.address, value=0, data=approve_call(router, amount)) for amount in amounts
    ]


def _try(found: CheckedQuote, terms: Terms, calls: list[TriedCall]) -> None:
    """Raises: LifiRefused where the calls would fail or, on one chain, bring too little.

    Why a call that could not be tried passes: a node without bundles cannot, and the wallet tries it once more.
    """
    request = terms.request
    watched = Watched(token=request.destination.address, recipient=request.recipient)
    result = EVM.simulate(request.source.chain, calls, watched)
    if not result.succeeds:
        raise LifiRefused(AnswerFault.SIMULATION_FAILED)
    if terms.kind is LegKind.SWAP and result.arrived is not None and result.arrived < found.least_output:
        raise LifiRefused(AnswerFault.SIMULATION_FAILED)


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
