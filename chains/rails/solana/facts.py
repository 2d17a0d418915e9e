"""What one node says of everybody whom a transfer touches, and of the life that a transaction made now has."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from chains.clients.outcomes import EndpointFault
from chains.clients.pool import Pool
from chains.clients.solana_accounts import read_accounts, rent
from chains.clients.solana_endpoint import CONFIRMED, SolanaNode, whole
from chains.clients.solana_issue import unit_price
from chains.errors import ChainUnavailable
from chains.instructions.accounts import AccountState
from chains.instructions.programs import TOKEN_PROGRAM, TOKEN_PROGRAMS, token_account
from chains.models import Transfer
from chains.rails.accounts import note_coins
from chains.registry import SOLANA_NATIVE_ADDRESS
from core.money import BaseUnits

BLOCKHASH_LIFETIME = 150
"""Blocks. Source: https://solana.com/developers/guides/advanced/confirmation."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Facts:
    """The accounts as they are. Units: lamports for both rents; ``least`` is what any account must hold to stay.

    ``sources`` and ``targets`` are the associated token accounts by token program; both empty for the native coin.
    """

    sender: AccountState | None
    recipient: AccountState | None
    mint: AccountState | None
    sources: dict[str, AccountState | None]
    targets: dict[str, AccountState | None]
    account_rent: int
    least: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Life:
    """From which slot on a transaction over this blockhash can land, and up to which height at the very most."""

    blockhash: str
    slot: int
    last_valid_height: int
    unit_price: int


def read_facts(node: SolanaNode, transfer: Transfer) -> Facts:
    """The accounts that a transfer touches, in one question."""
    token = transfer.token_address
    programs = () if token == SOLANA_NATIVE_ADDRESS else TOKEN_PROGRAMS
    wallets = [transfer.sender, transfer.recipient]
    held = [token_account(wallet, token, program) for wallet in wallets for program in programs]
    sender, recipient, mint, *accounts = read_accounts(node, [*wallets, token, *held])
    note_coins(transfer, BaseUnits(0 if sender is None else sender.lamports))
    program = mint.program if mint is not None and mint.program in programs else TOKEN_PROGRAM
    return Facts(
        sender=sender,
        recipient=recipient,
        mint=mint,
        sources=dict(zip(programs, accounts[: len(programs)], strict=True)),
        targets=dict(zip(programs, accounts[len(programs) :], strict=True)),
        account_rent=rent(node, program),
        least=node.rpc.number("getMinimumBalanceForRentExemption", 0),
    )


def written_accounts(transfer: Transfer) -> list[str]:
    """The accounts that it writes to, whichever program keeps the token: their price of computing is asked."""
    if transfer.token_address == SOLANA_NATIVE_ADDRESS:
        return [transfer.sender, transfer.recipient]
    wallets, token = (transfer.sender, transfer.recipient), transfer.token_address
    return [transfer.sender, *(token_account(one, token, program) for one in wallets for program in TOKEN_PROGRAMS)]


def fresh_life(pool: Pool[SolanaNode], written: Sequence[str]) -> Life:
    """The life of a transaction that is made now. Raises: ChainUnavailable, also where two nodes are far apart.

    Why the last height is the greatest that follows from any node's word: a blockhash is no younger than the chain, so
    a node that lies about it, or a load balancer that mixes two, cannot make a transaction look dead too early.
    """
    (life, height), endpoint = pool.ask_one(lambda node: _read_life(node, written))
    second = pool.ask_second(_read_height, endpoint)
    if second is None:
        return life
    if abs(second - height) > BLOCKHASH_LIFETIME:
        raise ChainUnavailable(pool.chain.name)
    return replace(life, last_valid_height=max(life.last_valid_height, second + BLOCKHASH_LIFETIME))


def _read_life(node: SolanaNode, written: Sequence[str]) -> tuple[Life, int]:
    """The life, and the height that it is told at."""
    answer = node.rpc.call("getLatestBlockhash", {"commitment": CONFIRMED})
    slot, last = whole(answer["context"]["slot"]), whole(answer["value"]["lastValidBlockHeight"])
    height = _read_height(node)
    if last > height + 2 * BLOCKHASH_LIFETIME:
        raise EndpointFault("a blockhash that lives too long")
    life = Life(
        blockhash=str(answer["value"]["blockhash"]),
        slot=slot,
        last_valid_height=max(last, height + BLOCKHASH_LIFETIME),
        unit_price=unit_price(node, written),
    )
    return life, height


def _read_height(node: SolanaNode) -> int:
    return node.rpc.number("getBlockHeight", {"commitment": CONFIRMED})
