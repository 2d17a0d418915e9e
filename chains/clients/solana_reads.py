"""What an exchange asks of a node of Solana. Source: https://solana.com/docs/rpc."""

import base64
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Protocol, TypeVar

from chains.base58 import from_base58
from chains.clients.outcomes import CannotSay, EndpointFault
from chains.clients.solana_accounts import read_accounts, state_of
from chains.clients.solana_endpoint import CONFIRMED, SolanaNode, whole
from chains.clients.solana_exchange import Lifetime, Simulated
from chains.instructions.accounts import AccountState

T = TypeVar("T")
_HASH_BYTES, _LONGEST_ERROR = 32, 200


class Asks(Protocol):
    """Puts a whole question to one node. Raises: ChainUnavailable where none answers."""

    def __call__(self, question: Callable[[SolanaNode], T], /) -> T:
        """The answer."""


class NodeReads:
    """``chains.clients.solana_exchange.ExchangeReads`` over the nodes of a pool. Raises: ChainUnavailable."""

    def __init__(self, ask: Asks) -> None:
        self._ask = ask

    def accounts(self, addresses: Sequence[str]) -> list[AccountState | None]:
        """These accounts now, in this order; None for one that does not exist."""
        return self._ask(partial(read_accounts, addresses=list(addresses)))

    def simulate(self, transaction: bytes, watched: Sequence[str]) -> Simulated:
        """What an unsigned transaction would do now."""
        return self._ask(partial(read_simulation, transaction=transaction, watched=list(watched)))

    def lifetime(self) -> Lifetime:
        """How long a transaction made now may land."""
        return self._ask(read_lifetime)


def read_simulation(node: SolanaNode, transaction: bytes, watched: Sequence[str]) -> Simulated:
    """What an unsigned transaction would do, and to the watched accounts."""
    options: dict[str, Any] = {"encoding": "base64", "sigVerify": False, "commitment": CONFIRMED}
    if watched:
        options["accounts"] = {"encoding": "base64", "addresses": list(watched)}
    value = node.rpc.value("simulateTransaction", base64.b64encode(transaction).decode(), options)
    error = value["err"]
    if error == "BlockhashNotFound":
        raise CannotSay("a blockhash that it does not know")
    if error is not None:
        return Simulated(error=repr(error)[:_LONGEST_ERROR], program_error=custom_error(error), units=0, accounts=[])
    states = [state_of(one) for one in value["accounts"]] if watched else []
    if len(states) != len(watched):
        raise EndpointFault("other accounts than were asked for")
    accounts = [state if state is not None and state.lamports > 0 else None for state in states]
    return Simulated(error="", program_error=None, units=whole(value["unitsConsumed"]), accounts=accounts)


def read_lifetime(node: SolanaNode) -> Lifetime:
    """A fresh blockhash, and the height that it is fresh at."""
    latest = node.rpc.value("getLatestBlockhash", {"commitment": CONFIRMED})
    height, blockhash = node.rpc.number("getBlockHeight", {"commitment": CONFIRMED}), from_base58(latest["blockhash"])
    if len(blockhash) != _HASH_BYTES:
        raise EndpointFault("not a blockhash")
    return Lifetime(
        blockhash=blockhash, last_valid_block_height=whole(latest["lastValidBlockHeight"]), block_height=height
    )


def custom_error(error: Any) -> int | None:
    """The number of ``{"InstructionError": [place, {"Custom": number}]}``; None for everything else."""
    try:
        number = error["InstructionError"][1]["Custom"]
    except (KeyError, TypeError, IndexError):
        return None
    return number if type(number) is int else None
