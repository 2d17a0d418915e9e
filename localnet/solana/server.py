"""The local Solana node: an HTTP server on a free port, in a thread of this process."""

import base64
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from solders.keypair import Keypair
from solders.transaction import VersionedTransaction

from chains.instructions.programs import TOKEN_PROGRAM
from chains.instructions.transactions import read_transaction
from localnet.http_server import HttpReply, listening
from localnet.solana import money
from localnet.solana.methods import INVALID_PARAMS, Methods
from localnet.solana.runtime import DEPTHS, Ledger, Refused


@dataclass
class DevSolana:
    """One running node, and what a test does to it from outside the service."""

    ledger: Ledger
    url: str = ""
    lag: int = 0
    """How many slots this node is behind the ledger."""
    oldest: int = 0
    """From which slot on this node remembers what landed; of recent slots every node knows."""
    lock: threading.RLock = field(default_factory=threading.RLock)

    def rpc(self, method: str, *parameters: Any) -> Any:
        """The result of a method, without the detour over HTTP. Raises: Refused."""
        with self.lock:
            self.ledger.lag, self.ledger.oldest = self.lag, self.oldest
            return Methods(self.ledger).call(method, list(parameters))

    def fund(self, address: str, lamports: int = money.ONE_SOL) -> None:
        """Let an address hold exactly so many lamports."""
        with self.lock:
            money.fund(self.ledger, address, lamports)

    def mint(self, token: str, owner: str, units: int, *, frozen: bool = False) -> str:
        """Give a wallet so much more of a token; its token account."""
        with self.lock:
            return money.mint(self.ledger, token, owner, units, frozen)

    def place_token(self, token: str, decimals: int = 6, program: str = TOKEN_PROGRAM) -> None:
        """Put a token at an address, unless one is there."""
        with self.lock:
            money.place_token(self.ledger, token, decimals, program)

    def place_lookup_table(self, table: str, addresses: list[str]) -> None:
        """Put a table of addresses on the chain."""
        with self.lock:
            money.place_lookup_table(self.ledger, table, addresses)

    def held(self, token: str, owner: str) -> int:
        """What a wallet holds of a token in its associated account."""
        with self.lock:
            return money.held(self.ledger, money.account_of(self.ledger, token, owner))

    def lamports(self, address: str) -> int:
        """What an address holds of the native coin."""
        return int(self.rpc("getBalance", address)["value"])

    def head(self) -> int:
        """The newest slot."""
        return int(self.rpc("getSlot", {"commitment": "processed"}))

    def advance(self, slots: int = 1) -> None:
        """Let so many slots pass."""
        self.rpc("advanceSlots", slots)

    def finalize(self) -> None:
        """Let so many slots pass that all that landed is final."""
        self.advance(DEPTHS["finalized"] + 1)

    def drop_next(self, count: int = 1) -> None:
        """Take the next transactions and lose them."""
        with self.lock:
            self.ledger.drops = count

    def hold_next(self, count: int = 1) -> None:
        """Take the next transactions, and let them travel on until they emerge."""
        with self.lock:
            self.ledger.holds = count

    def emerge(self, signature: str, slot: int) -> None:
        """Show that a held transaction stands in a block, of which its node hears only now. Raises: ValueError."""
        with self.lock:
            self.ledger.emerge(signature, slot)

    def roll_back(self, signature: str) -> None:
        """Take a transaction out of the chain that is not final yet."""
        with self.lock:
            self.ledger.roll_back(signature)

    def send(self, wallet: Keypair, transaction_base64: str, *, preflight: bool = True) -> str:
        """Sign what a wallet is asked to sign, as a wallet does, and send it; its signature. Raises: Refused."""
        options = {"encoding": "base64", "skipPreflight": not preflight, "preflightCommitment": "confirmed"}
        return str(self.rpc("sendTransaction", signed(wallet, transaction_base64), options))


def signed(wallet: Keypair, transaction_base64: str) -> str:
    """The same message, signed, in base64."""
    message = read_transaction(transaction_base64).message
    return base64.b64encode(bytes(VersionedTransaction(message, [wallet]))).decode()


STABLECOINS = {money.USDC: TOKEN_PROGRAM, money.USDT: TOKEN_PROGRAM}
"""The tokens of a new network, and the programs that keep them."""


@contextmanager
def running(
    *, ticking: bool = True, port: int = 0, seed: bytes = b"causeway localnet", tokens: dict[str, str] = STABLECOINS
) -> Iterator[DevSolana]:
    """A network of its own with USDC and USDT at their real addresses, stopped at the end.

    Without ``ticking`` slots pass only with transactions and on command. Another ``seed`` is another network.
    """
    node = DevSolana(ledger=Ledger(ticking=ticking, seed=seed))
    for token, program in tokens.items():
        node.place_token(token, program=program)
    with serving(node, port):
        yield node


@contextmanager
def serving(node: DevSolana, port: int = 0) -> Iterator[DevSolana]:
    """Serve a node. Why apart: a second one over the same ledger, with a lag or a port of its own."""

    with listening(lambda asked: HttpReply(body=json.dumps(_answer(node, asked.body)).encode()), port) as node.url:
        yield node


def _answer(node: DevSolana, body: bytes) -> Any:
    try:
        asked = json.loads(body)
    except ValueError:
        return {"jsonrpc": "2.0", "id": None, "error": {"code": -32700, "message": "Parse error"}}
    return [_one(node, one) for one in asked] if isinstance(asked, list) else _one(node, asked)


def _one(node: DevSolana, asked: Any) -> dict[str, Any]:
    reply = {"jsonrpc": "2.0", "id": asked.get("id")}
    try:
        return reply | {"result": node.rpc(str(asked.get("method")), *asked.get("params", []))}
    except Refused as refusal:
        error: dict[str, Any] = {"code": refusal.code, "message": str(refusal)}
        return reply | {"error": error if refusal.data is None else error | {"data": refusal.data}}
    except (TypeError, KeyError, ValueError, AttributeError) as error:
        return reply | {"error": {"code": INVALID_PARAMS, "message": f"Invalid params: {error}"}}
