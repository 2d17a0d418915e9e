"""Why a transaction that somebody else helped to write is not shown to a payer."""

from enum import StrEnum


class Refusal(StrEnum):
    """The first rule that an answer broke, by the code that candidates and logs carry."""

    MALFORMED_ANSWER = "MALFORMED_ANSWER"
    ANSWER_DIFFERS = "ANSWER_DIFFERS"
    FOREIGN_PROGRAM = "FOREIGN_PROGRAM"
    FOREIGN_SIGNER = "FOREIGN_SIGNER"
    FOREIGN_ACCOUNT = "FOREIGN_ACCOUNT"
    UNKNOWN_INSTRUCTION = "UNKNOWN_INSTRUCTION"
    INPUT_TOO_HIGH = "INPUT_TOO_HIGH"
    OUTPUT_BELOW_TARGET = "OUTPUT_BELOW_TARGET"
    SLIPPAGE_TOO_HIGH = "SLIPPAGE_TOO_HIGH"
    UNASKED_FEE = "UNASKED_FEE"
    NETWORK_FEE_TOO_HIGH = "NETWORK_FEE_TOO_HIGH"
    BLOCKHASH_EXPIRED = "BLOCKHASH_EXPIRED"
    LOOKUP_TABLE_DIFFERS = "LOOKUP_TABLE_DIFFERS"
    TOKEN_DIFFERS = "TOKEN_DIFFERS"  # noqa: S105 - a refusal, not a secret
    TRANSACTION_TOO_LARGE = "TRANSACTION_TOO_LARGE"
    SIMULATION_FAILED = "SIMULATION_FAILED"
    SIMULATION_DIFFERS = "SIMULATION_DIFFERS"


class TransactionRefused(Exception):
    """What was offered breaks a rule; ``detail`` is for logs and never shown to payers.

    ``program_error`` is the number with which a program stopped a simulation.
    """

    def __init__(self, code: Refusal, detail: str = "", program_error: int | None = None) -> None:
        self.code, self.detail, self.program_error = code, detail, program_error
        super().__init__(f"{code}: {detail}" if detail else str(code))
