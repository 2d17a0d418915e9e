"""The programs that a payment may call, and the token accounts that follow from a wallet."""

from functools import lru_cache

COMPUTE_BUDGET_PROGRAM = "ComputeBudget111111111111111111111111111111"
SYSTEM_PROGRAM = "11111111111111111111111111111111"
TOKEN_PROGRAM = "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA"  # noqa: S105 - a program, not a secret
TOKEN_2022_PROGRAM = "TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb"  # noqa: S105 - a program, not a secret
ASSOCIATED_TOKEN_PROGRAM = "ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL"  # noqa: S105 - a program, not a secret
MEMO_PROGRAM = "MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr"
LOOKUP_TABLES = "AddressLookupTab1e1111111111111111111111111"
JUPITER_V6 = "JUP6LkbZbjS1jKKwapdHNy74zcZ3tLUZoi5QNyVTaV4"
WRAPPED_SOL = "So11111111111111111111111111111111111111112"
TOKEN_PROGRAMS = (TOKEN_PROGRAM, TOKEN_2022_PROGRAM)


@lru_cache(maxsize=4096)
def token_account(owner: str, mint: str, token_program: str) -> str:
    """The address of a wallet's own account for this mint. Raises: ValueError for text that is no address."""
    return program_address(ASSOCIATED_TOKEN_PROGRAM, owner, token_program, mint)


def program_address(program: str, *seeds: str | bytes) -> str:
    """The address that a program owns under these seeds; text is an address. Raises: ValueError."""
    from solders.pubkey import Pubkey  # noqa: PLC0415  (slow import)

    raw = [bytes(Pubkey.from_string(seed)) if isinstance(seed, str) else seed for seed in seeds]
    return str(Pubkey.find_program_address(raw, Pubkey.from_string(program))[0])
