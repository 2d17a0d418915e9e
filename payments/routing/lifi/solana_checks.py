"""The gates of a Solana transaction from LI.FI: it must be one deposit into Across, and every field of that is judged.

Which instructions may stand around it, and every account, is checked where they are read
(chains.instructions.bridge_transaction); who is paid what by when, here.
"""

import logging
from dataclasses import replace

from django.conf import settings

from chains.instructions.bridge_transaction import BridgePayer, read_bridge_transaction
from chains.instructions.refusal import Refusal, TransactionRefused
from chains.instructions.svm_spoke import DepositKind, SvmDeposit
from payments.routing.answer_faults import AnswerFault
from payments.routing.lifi.call_checks import check_times
from payments.routing.lifi.faults import LifiRefused
from payments.routing.lifi.quote import SolanaQuote
from payments.routing.lifi.terms import Terms

_WORD = 32
_MEANINGS = {
    Refusal.MALFORMED_ANSWER: AnswerFault.UNREADABLE_CALL,
    Refusal.UNKNOWN_INSTRUCTION: AnswerFault.UNKNOWN_CALL,
    Refusal.FOREIGN_PROGRAM: AnswerFault.UNKNOWN_CONTRACT,
    Refusal.FOREIGN_ACCOUNT: AnswerFault.UNKNOWN_CONTRACT,
    Refusal.FOREIGN_SIGNER: AnswerFault.WRONG_PAYER,
    Refusal.TOKEN_DIFFERS: AnswerFault.WRONG_TOKEN,
    Refusal.INPUT_TOO_HIGH: AnswerFault.WRONG_INPUT,
    Refusal.BLOCKHASH_EXPIRED: AnswerFault.WRONG_DEADLINE,
}
"""A refused transaction in the words of all answers; the others say themselves what they are."""
_LOGGER = logging.getLogger("causeway.routing")


def payer_of(terms: Terms) -> BridgePayer:
    """Who signs, as the transaction is read and made for."""
    return BridgePayer(
        address=terms.payer,
        token_address=terms.source_token,
        decimals=terms.request.source.decimals,
        network_profile=settings.NETWORK_PROFILE,
    )


def check_deposit(quote: SolanaQuote, terms: Terms) -> SvmDeposit:
    """The deposit that the transaction makes. Raises: LifiRefused at the first wrong field."""
    try:
        deposit = read_bridge_transaction(quote.transaction_base64, payer_of(terms))
    except TransactionRefused as refused:
        _LOGGER.warning("lifi's transaction refused: %s", refused)
        raise LifiRefused(_MEANINGS.get(refused.code, refused.code)) from None
    _demand(deposit.recipient == _word(terms.merchant), AnswerFault.WRONG_RECIPIENT)
    _demand(deposit.destination_chain_id == terms.destination_chain.chain_id, AnswerFault.WRONG_CHAIN)
    _demand(deposit.output_token == _word(terms.destination_token), AnswerFault.WRONG_TOKEN)
    _demand(deposit.input_amount == quote.from_amount, AnswerFault.WRONG_INPUT)
    _demand(not deposit.message, AnswerFault.DESTINATION_CALL)
    now = int(terms.at.timestamp())
    landing = deposit  # with its times as they are if it lands now
    if deposit.kind is DepositKind.DEPOSIT_NOW:
        landing = replace(deposit, quote_timestamp=now, fill_deadline=now + deposit.fill_deadline)
    check_times(landing, now)
    return deposit


def _word(address: str) -> bytes:
    """An EVM address as Across writes it."""
    return int(address, 16).to_bytes(_WORD)


def _demand(is_right: bool, fault: AnswerFault) -> None:  # noqa: FBT001 - the condition itself
    if not is_right:
        raise LifiRefused(fault)
