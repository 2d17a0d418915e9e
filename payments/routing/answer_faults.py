"""What can be wrong with a provider's answer that claims to be a quote, and how a person is told."""

from collections.abc import Mapping
from enum import StrEnum


class AnswerFault(StrEnum):
    """Why an answer is not believed: it differs from the request, from what is pinned, or from its own transaction."""

    ANSWER_MALFORMED = "ANSWER_MALFORMED"
    FIGURES_CONTRADICT = "FIGURES_CONTRADICT"
    WRONG_CHAIN = "WRONG_CHAIN"
    WRONG_TOKEN = "WRONG_TOKEN"  # noqa: S105 - an error code, not a secret
    WRONG_PAYER = "WRONG_PAYER"
    WRONG_RECIPIENT = "WRONG_RECIPIENT"
    WRONG_REFUND_ADDRESS = "WRONG_REFUND_ADDRESS"
    WRONG_VALUE = "WRONG_VALUE"
    WRONG_INPUT = "WRONG_INPUT"
    WRONG_IDENTITY = "WRONG_IDENTITY"
    WRONG_DEADLINE = "WRONG_DEADLINE"
    UNKNOWN_CONTRACT = "UNKNOWN_CONTRACT"
    UNKNOWN_TOOL = "UNKNOWN_TOOL"
    UNKNOWN_CALL = "UNKNOWN_CALL"
    UNREADABLE_CALL = "UNREADABLE_CALL"
    FORBIDDEN_STEP = "FORBIDDEN_STEP"
    DESTINATION_CALL = "DESTINATION_CALL"
    PRICE_IMPLAUSIBLE = "PRICE_IMPLAUSIBLE"
    SIMULATION_FAILED = "SIMULATION_FAILED"
    COSTS_ROSE = "COSTS_ROSE"


ANSWER_SENTENCES: Mapping[str, str] = {
    AnswerFault.ANSWER_MALFORMED: "The provider's answer is not in the documented form.",
    AnswerFault.FIGURES_CONTRADICT: "The provider's figures contradict each other.",
    AnswerFault.WRONG_CHAIN: "The provider's answer is for another chain.",
    AnswerFault.WRONG_TOKEN: "The provider's answer is for another token.",
    AnswerFault.WRONG_PAYER: "The provider's answer is for another payer.",
    AnswerFault.WRONG_RECIPIENT: "The provider's answer pays somebody else.",
    AnswerFault.WRONG_REFUND_ADDRESS: "A refund would go to somebody else than the payer.",
    AnswerFault.WRONG_VALUE: "The transaction would take another amount of native coin than it says.",
    AnswerFault.WRONG_INPUT: "The transaction would take another amount than it says.",
    AnswerFault.WRONG_IDENTITY: "The transaction does not carry the mark by which it would be recognised.",
    AnswerFault.WRONG_DEADLINE: "The order's times are outside what is allowed.",
    AnswerFault.UNKNOWN_CONTRACT: "The transaction would call or approve a contract that is not known.",
    AnswerFault.UNKNOWN_TOOL: "The route uses a bridge whose payments cannot be followed.",
    AnswerFault.UNKNOWN_CALL: "The transaction makes a call that is not on the list of calls that can be checked.",
    AnswerFault.UNREADABLE_CALL: "The transaction cannot be read in full.",
    AnswerFault.FORBIDDEN_STEP: "A step of the transaction would call something that no exchange needs.",
    AnswerFault.DESTINATION_CALL: "The route would run code where the money arrives.",
    AnswerFault.PRICE_IMPLAUSIBLE: "The price is too good to be true.",
    AnswerFault.SIMULATION_FAILED: "Tried in advance, the transaction fails.",
    AnswerFault.COSTS_ROSE: "It would now cost more than what was agreed.",
}
"""A plain sentence for each."""
