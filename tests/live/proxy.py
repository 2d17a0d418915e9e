"""A proxy in front of a node that fails as real endpoints do, on command."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import requests

from localnet.http_server import HttpQuestion, HttpReply, listening
from tests.machine import PATIENCE_SECONDS, pause

Lie = Callable[[str, Any], Any]
"""From a method and the true result to the one that is told."""
BEHIND_BLOCKS = 100
RETRY_AFTER_SECONDS = 1
FAULTS = ("429", "500", "garbage", "null", "hang-up", "wrong chain", "behind", "error")

WRONG_CHAINS = {"eth_chainId": "0x1", "getGenesisHash": "EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG"}
"""What Ethereum, and Solana's network for developers, say of themselves."""


@dataclass
class Proxy:
    """Where it listens, what is wrong with it, and how often it was asked."""

    target: str
    url: str = ""
    fault: str = ""
    asked: int = 0
    heard: list[str] = field(default_factory=list)
    """The methods that it was asked for."""
    is_over: threading.Event = field(default_factory=threading.Event)
    """Until then it gives no answer at all where its fault is silence."""
    lacks: frozenset[str] = frozenset()
    """Methods that it does not know."""
    loses: str = ""
    """The method that it passes on, and whose answer never comes."""
    takes_one: bool = False
    """It refuses several questions in one message."""
    refuses: dict[str, str] = field(default_factory=dict)
    """The error text that it answers to a method, without passing the question on."""
    refuses_of: frozenset[str] = frozenset()
    """Accounts of Solana of which it lists nothing."""
    hides_of: frozenset[str] = frozenset()
    """Accounts of Solana of which it says that nothing ever mentioned them."""
    says: dict[str, Any] = field(default_factory=dict)
    """What it answers to a method in place of the truth."""
    most_blocks: int | None = None
    """So many blocks' logs it tells at once, and no more."""
    bend: Lie | None = None
    """A lie of the test's own."""

    def heal(self) -> None:
        """Nothing is wrong any more, and as much time has passed as it had asked for."""
        if self.fault == "429":
            pause(RETRY_AFTER_SECONDS + 0.1)
        self.fault = ""

    def answer_all(self, bodies: list[dict[str, Any]]) -> tuple[int, bytes] | None:
        """The same of several questions in one message; its first failure is that of all."""
        if self.takes_one:
            error = {"code": -32600, "message": "batch requests are not supported"}
            return 200, json.dumps({"jsonrpc": "2.0", "id": None, "error": error}).encode()
        said = [self.answer(body) for body in bodies]
        failed = next((one for one in said if one is None or one[0] != 200), said[0])
        if failed is None or failed[0] != 200:
            return failed
        return 200, b"[" + b",".join(text for _, text in reversed(said)) + b"]"  # type: ignore[misc]  # none is None

    def answer(self, body: dict[str, Any]) -> tuple[int, bytes] | None:
        """Status and body for one question; None hangs up."""
        self.asked += 1
        self.heard.append(body["method"])
        if self.fault == "silence":
            self.is_over.wait(PATIENCE_SECONDS)
        fixed = {"429": 429, "500": 500}.get(self.fault)
        if fixed is not None:
            return fixed, b"{}"
        if self.fault == "garbage":
            return 200, b"<html>gateway"
        told = self._told_at_once(body)
        if told is not None:
            return 200, json.dumps({"jsonrpc": "2.0", "id": body["id"]} | told).encode()
        reply = requests.post(self.target, json=body, timeout=PATIENCE_SECONDS).json()
        if body["method"] == self.loses:
            raise ConnectionAbortedError
        return 200, json.dumps(self._bent(body["method"], reply)).encode()

    def _told_at_once(self, body: dict[str, Any]) -> dict[str, Any] | None:
        """What it says without asking its node; None where it asks."""
        method, asked = body["method"], body.get("params") or [None]
        listed = asked[0] if method == "getSignaturesForAddress" else ""
        if listed in self.hides_of:
            return {"result": []}
        if method in self.refuses or listed in self.refuses_of:
            return {"error": {"code": -32000, "message": self.refuses.get(method, "too many signatures")}}
        if self.most_blocks is None or method != "eth_getLogs":
            return None
        if int(asked[0]["toBlock"], 16) - int(asked[0]["fromBlock"], 16) < self.most_blocks:
            return None
        return {"error": {"code": -32005, "message": f"eth_getLogs is limited to a {self.most_blocks} block range"}}

    def _bent(self, method: str, reply: dict[str, Any]) -> dict[str, Any]:
        if method in self.lacks or self.fault == "error":
            failure = {"code": -32005, "message": "limit exceeded"}
            unknown = {"code": -32601, "message": f"the method {method} does not exist"}
            error = unknown if method in self.lacks else failure
            return {"jsonrpc": "2.0", "id": reply["id"], "error": error}
        if method in self.says or self.fault == "null":
            return {"jsonrpc": "2.0", "id": reply["id"], "result": self.says.get(method)}
        if self.fault == "wrong chain" and method in WRONG_CHAINS:
            return {**reply, "result": WRONG_CHAINS[method]}
        if self.fault == "behind" and method == "eth_blockNumber":
            return {**reply, "result": hex(max(int(reply["result"], 16) - BEHIND_BLOCKS, 0))}
        if self.fault == "behind" and method == "getSlot":
            return {**reply, "result": reply["result"] - BEHIND_BLOCKS}
        bend: Lie = self.bend or (lambda _, result: result)
        return {**reply, "result": bend(method, reply["result"])} if "result" in reply else reply


def lying(asked: str, change: Callable[[Any], Any]) -> Lie:
    """Another result of one method, where it has one."""
    return lambda method, result: change(result) if method == asked and result is not None else result


@contextmanager
def proxied(target: str) -> Iterator[Proxy]:
    """A proxy that is honest until its ``fault`` is set."""
    proxy = Proxy(target=target)

    def respond(question: HttpQuestion) -> HttpReply | None:
        if proxy.fault == "hang-up":
            proxy.asked += 1
            return None
        asked = json.loads(question.body)
        said = proxy.answer_all(asked) if isinstance(asked, list) else proxy.answer(asked)
        if said is None:
            return None
        status, answer = said
        return HttpReply(status=status, body=answer, headers={"Retry-After": str(RETRY_AFTER_SECONDS)})

    with listening(respond) as address:
        proxy.url = f"{address}/secret-key"
        yield proxy
        proxy.is_over.set()
