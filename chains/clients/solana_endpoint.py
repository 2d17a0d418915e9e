"""One RPC endpoint of Solana.

Why plain JSON-RPC over a kept session, and not the ``solana`` package: its only client is asynchronous, so every
question would need an event loop of its own and a new connection; its typed answers fail on a node's garbage deep
inside compiled code; and twelve methods are all that is needed. Keys, messages and signatures are read by solders.
"""

import threading
import time
from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING, Any

from chains.clients.endpoints import ChainNode, Endpoint, EndpointFault, WrongChain, timeouts
from chains.clients.pins import accepts_first_block

if TYPE_CHECKING:
    import requests

CONFIRMED, FINALIZED = "confirmed", "finalized"
MAINNET_GENESIS = "5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d"
MOST_BYTES = 8 * 1024 * 1024
_OK = 200


class RpcRefusal(EndpointFault):
    """The node answered with an error of its own; ``code`` is JSON-RPC's, ``cause`` what the program runtime said."""

    def __init__(self, code: int, cause: Any) -> None:
        self.code, self.cause = code, cause
        super().__init__(f"JSON-RPC error {code}")


class Rpc:
    """Questions to one address, over a connection that is kept alive per thread."""

    def __init__(self, url: str) -> None:
        self._url, self._local, self._ids = url, threading.local(), count(1)

    def call(self, method: str, *parameters: Any) -> Any:
        """The result of a method. Raises: RpcRefusal, and whatever a broken connection or answer raises."""
        from core.outbound.reading import read_json  # noqa: PLC0415  (slow import)

        number, ends_at = next(self._ids), time.monotonic() + sum(timeouts())
        body: Any = {"jsonrpc": "2.0", "id": number, "method": method, "params": parameters}
        session = self._session()
        with session.post(self._url, json=body, timeout=timeouts(), allow_redirects=False, stream=True) as response:
            if response.status_code != _OK:
                raise _failed(response)
            answer = read_json(response, MOST_BYTES, ends_at)
        if answer["id"] != number:
            raise EndpointFault("an answer to another question")
        if "error" in answer:
            details = answer["error"].get("data")
            raise RpcRefusal(int(answer["error"]["code"]), details.get("err") if isinstance(details, dict) else None)
        return answer["result"]

    def number(self, method: str, *parameters: Any) -> int:
        """As ``call``, where only a whole number is an answer."""
        return whole(self.call(method, *parameters))

    def value(self, method: str, *parameters: Any) -> Any:
        """As ``call``, where the answer stands beside the slot it is from."""
        return self.call(method, *parameters)["value"]

    def _session(self) -> "requests.Session":
        from core.outbound.reading import kept_session  # noqa: PLC0415  (slow import)

        session: requests.Session | None = getattr(self._local, "session", None)
        if session is None:
            session = self._local.session = kept_session()
        return session


@dataclass(kw_only=True)
class SolanaNode(ChainNode):
    """A node of Solana; its head is the newest slot that the cluster confirmed."""

    rpc: Rpc

    def _read_finalized(self) -> int:
        return self.rpc.number("getSlot", {"commitment": FINALIZED})


class SolanaEndpoint(Endpoint[SolanaNode]):
    """An endpoint that speaks to a Solana node."""

    _connection: Rpc | None = None

    def _reach(self) -> SolanaNode:
        rpc = self._rpc()
        return SolanaNode(rpc=rpc, chain=self.chain, head=rpc.number("getSlot", {"commitment": CONFIRMED}))

    def _assert_chain(self) -> None:
        genesis = str(self._rpc().call("getGenesisHash"))
        if self._refuse_play_networks and genesis != MAINNET_GENESIS:
            raise WrongChain("not the main network")
        if not accepts_first_block(self.chain.name, genesis):
            raise WrongChain("another first block")

    def _rpc(self) -> Rpc:
        if self._connection is None:
            self._connection = Rpc(self._url)
        return self._connection


def whole(answer: Any) -> int:
    """A whole number that is not negative. Raises: ValueError for everything else, true and false among it."""
    if type(answer) is not int or answer < 0:
        raise ValueError("not a whole number")
    return answer


def _failed(response: "requests.Response") -> Exception:
    import requests  # noqa: PLC0415  (slow import)

    return requests.HTTPError(response=response)
