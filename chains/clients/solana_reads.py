"""What an exchange asks of a node of Solana, over its JSON-RPC. Source: solana.com/docs/rpc."""

import base64
import binascii
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from chains.base58 import from_base58
from chains.clients.solana_exchange import Lifetime, Simulated
from chains.instructions.accounts import AccountState

MOST_ACCOUNTS = 100
"""In one question. Source: solana.com/docs/rpc, getMultipleAccounts."""
_COMMITMENT = {"commitment": "confirmed"}
_HASH_BYTES, _LONGEST_ERROR = 32, 200

Rpc = Callable[[str, list[Any]], Any]
"""A method and its parameters to its result. Raises: ChainUnavailable."""


class RpcReads:
    """``chains.clients.solana_exchange.ExchangeReads``. Raises: ValueError for an answer that makes no sense."""

    def __init__(self, rpc: Rpc) -> None:
        self._rpc = rpc

    def accounts(self, addresses: Sequence[str]) -> list[AccountState | None]:
        """These accounts now, in this order; None for one that does not exist."""
        found: list[AccountState | None] = []
        for start in range(0, len(addresses), MOST_ACCOUNTS):
            asked = list(addresses[start : start + MOST_ACCOUNTS])
            answer = self._rpc("getMultipleAccounts", [asked, {"encoding": "base64", **_COMMITMENT}])
            found += _states(_value(answer), len(asked))
        return found

    def simulate(self, transaction: bytes, watched: Sequence[str]) -> Simulated:
        """What an unsigned transaction would do now."""
        options: dict[str, Any] = {"encoding": "base64", "sigVerify": False, **_COMMITMENT}
        if watched:
            options["accounts"] = {"encoding": "base64", "addresses": list(watched)}
        value = _value(self._rpc("simulateTransaction", [base64.b64encode(transaction).decode(), options]))
        error, units = value.get("err"), value.get("unitsConsumed")
        if error is not None:
            return Simulated(error=repr(error)[:_LONGEST_ERROR], program_error=_custom(error), units=0, accounts=[])
        if type(units) is not int or units <= 0:
            raise ValueError("no compute units in a simulation")
        accounts = _states(value.get("accounts"), len(watched)) if watched else []
        return Simulated(error="", program_error=None, units=units, accounts=accounts)

    def lifetime(self) -> Lifetime:
        """How long a transaction made now may land."""
        value = _value(self._rpc("getLatestBlockhash", [_COMMITMENT]))
        height, last = self._rpc("getBlockHeight", [_COMMITMENT]), value.get("lastValidBlockHeight")
        blockhash = from_base58(str(value.get("blockhash")))
        if type(height) is not int or type(last) is not int or len(blockhash) != _HASH_BYTES:
            raise ValueError("no blockhash")
        return Lifetime(blockhash=blockhash, last_valid_block_height=last, block_height=height)


def _value(answer: Any) -> Any:
    if not isinstance(answer, Mapping) or "value" not in answer:
        raise ValueError("an answer without a value")
    return answer["value"]


def _states(values: Any, count: int) -> list[AccountState | None]:
    if not isinstance(values, list) or len(values) != count:
        raise ValueError("another number of accounts than was asked for")
    return [None if value is None else _state(value) for value in values]


def _state(value: Any) -> AccountState | None:
    """One account. Why one without lamports is none: so a simulation shows what it closed."""
    try:
        text, encoding = value["data"]
        lamports, program = value["lamports"], value["owner"]
        content = base64.b64decode(text, validate=True)
    except (KeyError, TypeError, ValueError, binascii.Error) as error:
        raise ValueError("not an account") from error
    if encoding != "base64" or type(lamports) is not int or not isinstance(program, str):
        raise ValueError("not an account")
    return AccountState(lamports=lamports, program=program, data=content) if lamports > 0 else None


def _custom(error: Any) -> int | None:
    """The number of ``{"InstructionError": [place, {"Custom": number}]}``."""
    try:
        number = error["InstructionError"][1]["Custom"]
    except (KeyError, TypeError, IndexError):
        return None
    return number if type(number) is int else None
