"""What Solana's accounts hold, read from one node: wallets, token accounts, tokens."""

import base64
from collections.abc import Iterable, Sequence
from typing import Any

from chains.clients.outcomes import EndpointFault
from chains.clients.solana_endpoint import CONFIRMED, SolanaNode, whole
from chains.instructions.accounts import MINT_BYTES, TOKEN_ACCOUNT_BYTES, AccountState
from chains.instructions.programs import TOKEN_PROGRAM, TOKEN_PROGRAMS, token_account
from chains.registry import SOLANA_NATIVE_ADDRESS
from core.money import BaseUnits

MOST_ACCOUNTS = 100
"""In one question. Source: https://solana.com/docs/rpc/http/getmultipleaccounts."""
LARGEST_TOKEN_ACCOUNT_BYTES = 256
"""Of Token-2022 with the extensions that its tokens ask of accounts, rounded up: for what opening one costs."""
_AMOUNT, _STATE = slice(64, 72), 108
_USABLE = 1


def read_accounts(node: SolanaNode, addresses: Sequence[str]) -> list[AccountState | None]:
    """The state of each account; None where there is none."""
    found: list[AccountState | None] = []
    for start in range(0, len(addresses), MOST_ACCOUNTS):
        asked = addresses[start : start + MOST_ACCOUNTS]
        answer = node.rpc.value("getMultipleAccounts", asked, {"encoding": "base64", "commitment": CONFIRMED})
        if len(answer) != len(asked):
            raise EndpointFault("other accounts than were asked for")
        found += [state_of(one) for one in answer]
    return found


def read_balances(node: SolanaNode, owner: str, tokens: Iterable[str]) -> dict[str, BaseUnits]:
    """What a wallet can pay with: its lamports, and each token in the associated account of either token program.

    Why no other accounts of its own: transfers are issued from the associated ones.
    """
    places = [(token, token_account(owner, token, program)) for token in tokens for program in TOKEN_PROGRAMS]
    wallet, *accounts = read_accounts(node, [owner, *(account for _, account in places)])
    held = {SOLANA_NATIVE_ADDRESS: BaseUnits(0 if wallet is None else wallet.lamports)}
    for (token, _), account in zip(places, accounts, strict=True):
        held[token] = BaseUnits(held.get(token, 0) + _spendable(account))
    return held


def read_token_program(node: SolanaNode, token: str) -> str | None:
    """The program that keeps a token; None where no token is at this address."""
    [mint] = read_accounts(node, [token])
    is_token = mint is not None and mint.program in TOKEN_PROGRAMS and len(mint.content) >= MINT_BYTES
    return mint.program if is_token and mint is not None else None


def rent(node: SolanaNode, program: str) -> int:
    """The lamports that a new token account of a program must hold, rounded up."""
    size = TOKEN_ACCOUNT_BYTES if program == TOKEN_PROGRAM else LARGEST_TOKEN_ACCOUNT_BYTES
    return node.rpc.number("getMinimumBalanceForRentExemption", size)


def state_of(answer: Any) -> AccountState | None:
    """An account as a node writes it in base64. Raises: EndpointFault, ValueError."""
    if answer is None:
        return None
    text, encoding = answer["data"]
    if encoding != "base64":
        raise EndpointFault("another encoding than was asked for")
    content = base64.b64decode(text, validate=True)
    return AccountState(program=str(answer["owner"]), lamports=whole(answer["lamports"]), content=content)


def _spendable(account: AccountState | None) -> int:
    """What a token account holds, as long as its owner may move it: a frozen one holds nothing."""
    if account is None or account.program not in TOKEN_PROGRAMS or len(account.content) < TOKEN_ACCOUNT_BYTES:
        return 0
    return int.from_bytes(account.content[_AMOUNT], "little") if account.content[_STATE] == _USABLE else 0
