"""A proxy in front of a node that fails as real endpoints do, on command."""

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import requests

BEHIND_BLOCKS = 100
RETRY_AFTER_SECONDS = 1
FAULTS = ("429", "500", "time-out", "garbage", "null", "hang-up", "wrong chain", "behind", "error")

WRONG_CHAINS = {"eth_chainId": "0x1", "getGenesisHash": "EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG"}
"""What Ethereum, and Solana's network for developers, say of themselves."""


@dataclass
class Proxy:
    """Where it listens, what is wrong with it, and how often it was asked."""

    target: str
    url: str = ""
    fault: str = ""
    asked: int = 0
    slow_seconds: float = 2
    lacks: frozenset[str] = frozenset()
    """Methods that it does not know."""
    says: dict[str, Any] = field(default_factory=dict)
    """What it answers to a method in place of the truth."""
    bend: Callable[[str, Any], Any] = field(default=lambda _, result: result)
    """A lie of the test's own: what becomes of a method's result."""

    def heal(self) -> None:
        """Nothing is wrong any more, and as much time has passed as it had asked for."""
        if self.fault == "429":
            time.sleep(RETRY_AFTER_SECONDS + 0.1)
        self.fault = ""

    def answer(self, body: dict[str, Any]) -> tuple[int, bytes]:
        """Status and body for one question."""
        self.asked += 1
        if self.fault == "time-out":
            time.sleep(self.slow_seconds)
        fixed = {"429": 429, "500": 500}.get(self.fault)
        if fixed is not None:
            return fixed, b"{}"
        if self.fault == "garbage":
            return 200, b"<html>gateway"
        reply = requests.post(self.target, json=body, timeout=10).json()
        return 200, json.dumps(self._bent(body["method"], reply)).encode()

    def _bent(self, method: str, reply: dict[str, Any]) -> dict[str, Any]:
        if method in self.lacks:
            unknown = {"code": -32601, "message": f"the method {method} does not exist"}
            return {"jsonrpc": "2.0", "id": reply["id"], "error": unknown}
        if method in self.says or self.fault == "null":
            return {"jsonrpc": "2.0", "id": reply["id"], "result": self.says.get(method)}
        if self.fault == "error":
            failure = {"code": -32005, "message": "limit exceeded"}
            return {"jsonrpc": "2.0", "id": reply["id"], "error": failure}
        if self.fault == "wrong chain" and method in WRONG_CHAINS:
            return {**reply, "result": WRONG_CHAINS[method]}
        if self.fault == "behind" and method == "eth_blockNumber":
            return {**reply, "result": hex(max(int(reply["result"], 16) - BEHIND_BLOCKS, 0))}
        if self.fault == "behind" and method == "getSlot":
            return {**reply, "result": reply["result"] - BEHIND_BLOCKS}
        return {**reply, "result": self.bend(method, reply["result"])} if "result" in reply else reply


@contextmanager
def proxied(target: str) -> Iterator[Proxy]:
    """A proxy that is honest until its ``fault`` is set."""
    proxy = Proxy(target=target)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            if proxy.fault == "hang-up":
                proxy.asked += 1
                self.close_connection = True
                return
            status, answer = proxy.answer(body)
            self.send_response(status)
            self.send_header("Content-Length", str(len(answer)))
            self.send_header("Retry-After", str(RETRY_AFTER_SECONDS))
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  Why: the framework's signature.
            """Say nothing."""

    class Server(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, request: Any, client_address: Any) -> None:
            """A caller that timed out is gone."""

    server = Server(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    proxy.url = f"http://127.0.0.1:{server.server_address[1]}/secret-key"
    try:
        yield proxy
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
