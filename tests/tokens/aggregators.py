"""A local HTTP server in the shapes of LI.FI and Jupiter, for their token lists and prices; it fails on command."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

from tests.machine import PATIENCE_SECONDS, pause

IDS = {"ethereum": 1, "base": 8453, "arbitrum": 42161, "optimism": 10, "polygon": 137, "bnb": 56}
IDS["solana"] = 1151111081099710
FAULTS = ("429", "500", "redirect", "garbage", "empty", "wrong shape", "hang-up")


@dataclass
class Aggregator:
    """What it lists and prices, what is wrong with it, and what it was asked."""

    url: str = ""
    fault: str = ""
    tokens: dict[str, list[Any]] = field(default_factory=dict)
    verified: list[Any] = field(default_factory=list)
    prices: dict[str, Any] = field(default_factory=dict)
    headers: dict[str, str] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)

    def lists(self, chain: str, *rows: dict[str, Any]) -> None:
        self.tokens[str(IDS[chain])] = [{"chainId": IDS[chain], **row} for row in rows]

    def answer(self, path: str, query: dict[str, str]) -> tuple[int, Any]:
        """Status and body, as the two really shape them."""
        if path == "/tokens":
            return 200, {"tokens": {query["chains"]: self.tokens.get(query["chains"], [])}}
        if path == "/token":
            price = self.prices.get(query["token"])
            found = {"address": query["token"], "chainId": int(query["chain"]), "symbol": "T", "name": "Token"}
            missing = {"message": "Token not found", "code": 1003}
            return (404, missing) if price is None else (200, found | price)
        if path == "/tokens/v2/tag":
            return 200, self.verified
        asked = query["ids"].split(",")
        return 200, {mint: self.prices[mint] for mint in asked if mint in self.prices}

    def body(self, path: str, query: dict[str, str]) -> tuple[int, bytes]:
        wrong = {"429": (429, b"{}"), "500": (502, b"bad gateway"), "redirect": (302, b""), "empty": (200, b"")}
        wrong |= {"garbage": (200, b"<html>gateway"), "wrong shape": (200, b'{"tokens": [1], "usdPrice": 1}')}
        if self.fault == "time-out":
            pause(PATIENCE_SECONDS)
        if self.fault in wrong:
            return wrong[self.fault]
        status, body = self.answer(path, query)
        return status, json.dumps(body).encode()


@contextmanager
def aggregator() -> Iterator[Aggregator]:
    """One that is honest until its ``fault`` is set."""
    served = Aggregator()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = -1  # one packet for head and body

        def do_GET(self) -> None:
            parts = urlsplit(self.path)
            served.asked.append(self.path)
            served.keys.append(self.headers.get("x-api-key") or self.headers.get("x-lifi-api-key") or "")
            if served.fault == "hang-up":
                self.close_connection = True
                return
            query = {name: values[0] for name, values in parse_qs(parts.query).items()}
            status, body = served.body(parts.path, query)
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            for name, value in served.headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            """Tests print nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    served.url = f"http://127.0.0.1:{server.server_address[1]}"
    try:
        yield served
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
