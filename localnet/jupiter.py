"""Jupiter as the local network has it, in its exact shapes: ``with serving(node) as jupiter``, then ``jupiter.url``.

Jupiter's program does not run here. A market maker stands in for it: for each question a maker of the payer's own gets
the coins, and makes the payer a delegate for exactly what the answer sells. The exchange is then two transfers that
the payer's one signature moves. Source: jup-ag/docs, openapi-spec/swap/v2, tokens/v2, price/v3.
"""

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import orjson

from chains.instructions.programs import TOKEN_PROGRAM
from localnet.http_server import HttpQuestion, HttpReply, listening
from localnet.market_maker import BPS, Body, Listed, Trade
from localnet.solana.server import DevSolana

BUNDLED = Path(__file__).resolve().parent.parent / "tokens/sources/bundled.json"
PRICES = {"SOL": Decimal(150), "WSOL": Decimal(150)}
"""US dollars for one whole token, by symbol; what is not here is a dollar."""
LIMIT_PER_MINUTE = 30
"""Without a key. Source: chains, Jupiter (keys and limits)."""


@dataclass(frozen=True, kw_only=True)
class Failure:
    """What is answered instead of an answer."""

    status: int
    body: Any
    headers: dict[str, str] = field(default_factory=dict)


class Refused(Exception):
    """A question that Jupiter would not answer."""

    def __init__(self, failure: Failure) -> None:
        self.failure = failure
        super().__init__(str(failure.status))


@dataclass
class LocalJupiter:
    """One running server, and what a test does to it: set an attribute, and every later answer follows it."""

    node: DevSolana
    url: str = ""
    usd: dict[str, Decimal] = field(default_factory=lambda: dict(PRICES))
    fee_bps: int = 5
    depth_usd: int = 10_000_000
    """Dollars at which a trade gets half of its worth."""
    key: str = ""
    """The only key that is accepted; empty takes any, and none."""
    lie: Callable[[Body], Any] | None = None
    """Changes an honest answer of ``/swap/v2/build`` before it is sent."""
    shortfall_bps: int = 0
    """By how much the maker delivers less than the answer says."""
    delay_seconds: int = 0
    failure: Failure | None = None
    remaining: int | None = None
    """Questions left in this minute; None counts nothing."""
    asked: list[tuple[str, dict[str, str]]] = field(default_factory=list)

    def answer(self, path: str, query: dict[str, str], key: str) -> Failure:
        """What a GET gets: a status, a body and headers."""
        self.asked.append((path, query))
        time.sleep(self.delay_seconds)
        if self.failure is not None:
            return self.failure
        if self.key and key and key != self.key:
            return Failure(status=401, body={"code": 401, "message": "Unauthorized"})
        answers: dict[str, Callable[[dict[str, str]], Any]] = {
            "/swap/v2/build": self._build,
            "/tokens/v2/tag": self._tagged,
            "/tokens/v2/search": self._found,
            "/price/v3": self._prices,
        }
        limits = self._count()
        if self.remaining is not None and self.remaining < 0:
            body = {"code": 429, "message": "You have exceeded the rate limit for your plan"}
            return Failure(status=429, body=body, headers=limits)
        try:
            return Failure(status=200, body=answers[path](query), headers=limits)
        except KeyError:
            return Failure(status=404, body={"code": 404, "message": "Route not found"})
        except Refused as refused:
            return refused.failure

    def listed(self) -> list[Listed]:
        """Every token of Solana that the service itself knows, SOL as wrapped SOL."""
        rows = json.loads(BUNDLED.read_text(encoding="utf-8"))
        return [
            Listed(mint=row["address"], symbol=row["symbol"], name=row["name"], decimals=row["decimals"])
            for row in rows
            if row["chain"] == "solana" and not row["is_native"]
        ]

    def price(self, token: Listed) -> Decimal:
        """US dollars for one whole token."""
        return self.usd.get(token.symbol, Decimal(1))

    def _count(self) -> dict[str, str]:
        if self.remaining is None:
            return {}
        self.remaining -= 1
        left = max(self.remaining, 0)
        return {
            "x-ratelimit-remaining": str(left),
            "x-ratelimit-current": str(LIMIT_PER_MINUTE - left),
            "x-ratelimit-reset": str(int(time.time()) + 2),
        }

    def _tagged(self, query: dict[str, str]) -> list[Body]:
        if query.get("query") not in {"verified", "lst", "stocks"}:
            raise Refused(_zod("query"))
        return [self._token(token) for token in self.listed() if query["query"] == "verified"]

    def _found(self, query: dict[str, str]) -> list[Body]:
        wanted = query.get("query", "").split(",")
        words = {word.strip().lower() for word in wanted}
        return [
            self._token(token)
            for token in self.listed()
            if token.mint in wanted or words & {token.symbol.lower(), token.name.lower()}
        ]

    def _prices(self, query: dict[str, str]) -> Body:
        wanted = query.get("ids", "").split(",")
        return {
            token.mint: {
                "usdPrice": orjson.Fragment(str(self.price(token))),
                "decimals": token.decimals,
                "blockId": self.node.head(),
                "liquidity": self.depth_usd,
                "priceChange24h": 0,
                "createdAt": "2024-06-05T08:55:25.527Z",
            }
            for token in self.listed()
            if token.mint in wanted
        }

    def _token(self, token: Listed) -> Body:
        return {
            "id": token.mint,
            "name": token.name,
            "symbol": token.symbol,
            "icon": None,
            "decimals": token.decimals,
            "tokenProgram": TOKEN_PROGRAM,
            "isVerified": True,
            "tags": ["verified"],
            "organicScore": 100,
            "organicScoreLabel": "high",
            "usdPrice": orjson.Fragment(str(self.price(token))),
            "liquidity": self.depth_usd,
            "holderCount": 1,
            "audit": {"mintAuthorityDisabled": False, "freezeAuthorityDisabled": False, "topHoldersPercentage": 1},
        }

    def _build(self, query: dict[str, str]) -> Any:
        for name in ("inputMint", "outputMint", "amount", "taker"):
            if not query.get(name):
                raise Refused(_zod(name))
        with self.node.lock:
            honest = self._offer(query)
        return honest if self.lie is None else self.lie(honest)

    def _offer(self, query: dict[str, str]) -> Body:
        taken, wanted = self._traded(query["inputMint"]), self._traded(query["outputMint"])
        if taken == wanted:
            raise Refused(_no("Circular arbitrage is disabled", "CIRCULAR_ARBITRAGE_IS_DISABLED"))
        amount, slippage = int(query["amount"]), int(query.get("slippageBps", "50"))
        given = self._given(taken, wanted, amount)
        if given <= 0:
            raise Refused(_no("No routes found"))
        trade = Trade(
            node=self.node,
            taker=query["taker"],
            taken=taken,
            wanted=wanted,
            amount=amount,
            given=given,
            delivered=given * (BPS - self.shortfall_bps) // BPS,
            wraps=query.get("wrapAndUnwrapSol", "true") == "true",
        )
        return trade.figures(slippage) | trade.instructions()

    def _traded(self, mint: str) -> Listed:
        found = next((token for token in self.listed() if token.mint == mint), None)
        if found is None:
            raise Refused(_no("No routes found"))
        self.node.place_token(found.mint, found.decimals)
        return found

    def _given(self, taken: Listed, wanted: Listed, amount: int) -> int:
        """What comes out: the worth of what goes in, less the fee and what the size costs, rounded down."""
        worth = Fraction(self.price(taken)) * amount / 10**taken.decimals * (BPS - self.fee_bps) / BPS
        worth = worth * self.depth_usd / (self.depth_usd + worth)
        return int(worth * 10**wanted.decimals / Fraction(self.price(wanted)))


def _zod(name: str) -> Failure:
    issue = {"code": "invalid_type", "expected": "string", "received": "undefined", "path": [name]}
    error = {"issues": [issue | {"message": "Required"}], "name": "ZodError"}
    return Failure(status=400, body={"success": False, "error": error})


def _no(sentence: str, code: str = "") -> Failure:
    return Failure(status=400, body={"error": sentence} | ({"errorCode": code} if code else {}))


@contextmanager
def serving(node: DevSolana, port: int = 0) -> Iterator[LocalJupiter]:
    """Serve a Jupiter over a node of this process, on a free port unless one is given; stopped at the end."""
    jupiter = LocalJupiter(node=node)

    def respond(asked: HttpQuestion) -> HttpReply:
        told = jupiter.answer(asked.path, asked.query, asked.headers.get("x-api-key", ""))
        body = told.body if isinstance(told.body, bytes) else orjson.dumps(told.body)
        return HttpReply(status=told.status, body=body, headers={"x-api-gateway-request-id": "local", **told.headers})

    with listening(respond, port) as jupiter.url:
        yield jupiter
