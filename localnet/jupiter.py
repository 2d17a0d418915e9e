"""Jupiter as the local network has it, in its exact shapes: ``with serving(node) as jupiter``, then ``jupiter.url``.

Jupiter's program does not run here. A market maker stands in for it: for each question a maker of the payer's own gets
the coins, and makes the payer a delegate for exactly what the answer sells. The exchange is then two transfers that
the payer's one signature moves. Source: jup-ag/docs, openapi-spec/swap/v2, tokens/v2, price/v3.
"""

import base64
import hashlib
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
from solders.account import Account
from solders.hash import Hash
from solders.pubkey import Pubkey
from solders.token.state import TokenAccount, TokenAccountState

from chains.instructions.programs import (
    ASSOCIATED_TOKEN,
    COMPUTE_BUDGET,
    SYSTEM,
    TOKEN,
    WRAPPED_SOL,
    token_account,
)
from localnet.http_server import HttpQuestion, HttpReply, listening
from localnet.solana.server import DevSolana

BUNDLED = Path(__file__).resolve().parent.parent / "tokens/sources/bundled.json"
PRICES = {"SOL": Decimal(150), "WSOL": Decimal(150)}
"""US dollars for one whole token, by symbol; what is not here is a dollar."""
UNIT_PRICE = 658_858
"""Micro-lamports for a compute unit."""
BPS = 10_000
TOKEN_ACCOUNT_BYTES = 165
MOST_LAMPORTS = 10**15
LIMIT_PER_MINUTE = 30
"""Without a key. Source: chains, Jupiter (keys and limits)."""
TABLE = str(Pubkey(hashlib.sha256(b"local jupiter's lookup table").digest()))

Body = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class Listed:
    """A token that is traded here."""

    mint: str
    symbol: str
    name: str
    decimals: int


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
    delay_seconds: Decimal = Decimal(0)
    failure: Failure | None = None
    remaining: int | None = None
    """Questions left in this minute; None counts nothing."""
    asked: list[tuple[str, dict[str, str]]] = field(default_factory=list)

    def answer(self, path: str, query: dict[str, str], key: str) -> Failure:
        """What a GET gets: a status, a body and headers."""
        self.asked.append((path, query))
        time.sleep(float(self.delay_seconds))
        if self.failure is not None:
            return self.failure
        if self.key and key and key != self.key:
            return Failure(status=401, body={"code": 401, "message": "Unauthorized"})
        limits = self._count()
        if self.remaining is not None and self.remaining < 0:
            body = {"code": 429, "message": "You have exceeded the rate limit for your plan"}
            return Failure(status=429, body=body, headers=limits)
        try:
            return Failure(status=200, body=self._routes()[path](query), headers=limits)
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

    def _routes(self) -> dict[str, Callable[[dict[str, str]], Any]]:
        return {
            "/swap/v2/build": self._build,
            "/tokens/v2/tag": self._tagged,
            "/tokens/v2/search": self._found,
            "/price/v3": self._prices,
        }

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
        return {token.mint: self._priced(token) for token in self.listed() if token.mint in wanted}

    def _priced(self, token: Listed) -> Body:
        return {
            "usdPrice": orjson.Fragment(str(self.price(token))),
            "decimals": token.decimals,
            "blockId": self.node.head(),
            "liquidity": self.depth_usd,
            "priceChange24h": 0,
            "createdAt": "2024-06-05T08:55:25.527Z",
        }

    def _token(self, token: Listed) -> Body:
        return {
            "id": token.mint,
            "name": token.name,
            "symbol": token.symbol,
            "icon": None,
            "decimals": token.decimals,
            "tokenProgram": TOKEN,
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
        trade = _Trade(
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


@dataclass(frozen=True, kw_only=True)
class _Trade:
    """One exchange between a taker and the market maker that stands ready for that taker alone."""

    node: DevSolana
    taker: str
    taken: Listed
    wanted: Listed
    amount: int
    given: int
    delivered: int
    wraps: bool

    @property
    def maker(self) -> str:
        """The maker's wallet. Why one for each taker: its delegate is the taker."""
        return str(Pubkey(hashlib.sha256(b"local market maker" + self.taker.encode()).digest()))

    def figures(self, slippage: int) -> Body:
        """The quote."""
        least = -(-self.given * (BPS - slippage) // BPS)
        step = {
            "ammKey": self.maker,
            "label": "Local Maker",
            "inputMint": self.taken.mint,
            "outputMint": self.wanted.mint,
            "inAmount": str(self.amount),
            "outAmount": str(self.given),
        }
        return {
            "inputMint": self.taken.mint,
            "outputMint": self.wanted.mint,
            "inAmount": str(self.amount),
            "outAmount": str(self.given),
            "otherAmountThreshold": str(least),
            "swapMode": "ExactIn",
            "slippageBps": slippage,
            "priceImpactPct": "0",
            "routePlan": [{"percent": 100, "bps": BPS, "swapInfo": step}],
        }

    def instructions(self) -> Body:
        """The calls, and what their message needs."""
        self._stand_ready()
        table = [self.taken.mint, self.wanted.mint, TOKEN, ASSOCIATED_TOKEN]
        self.node.place_lookup_table(TABLE, table)
        latest = self.node.rpc("getLatestBlockhash", {"commitment": "confirmed"})["value"]
        own_in = token_account(self.taker, self.taken.mint, TOKEN)
        own_out = token_account(self.taker, self.wanted.mint, TOKEN)
        return {
            "computeBudgetInstructions": [_call(COMPUTE_BUDGET, b"\x03" + UNIT_PRICE.to_bytes(8, "little"))],
            "setupInstructions": [*self._wrapping(), self._create(self.wanted.mint)],
            "swapInstruction": self._transfer(own_in, self.taken, self._account(self.taken), self.amount),
            "cleanupInstruction": self._unwrapping(),
            "otherInstructions": [self._transfer(self._account(self.wanted), self.wanted, own_out, self.delivered)],
            "tipInstruction": None,
            "addressesByLookupTableAddress": {TABLE: table},
            "blockhashWithMetadata": {
                "blockhash": list(bytes(Hash.from_string(latest["blockhash"]))),
                "lastValidBlockHeight": latest["lastValidBlockHeight"],
                "fetchedAt": {"secs_since_epoch": int(time.time()), "nanos_since_epoch": 0},
            },
        }

    def _account(self, token: Listed) -> str:
        return token_account(self.maker, token.mint, TOKEN)

    def _stand_ready(self) -> None:
        """Fill the maker's accounts, and let the taker move as much as this answer sells."""
        self._write(self.taken, units=0, delegated=0)
        self._write(self.wanted, units=self.delivered, delegated=self.delivered)

    def _write(self, token: Listed, *, units: int, delegated: int) -> None:
        is_sol = token.mint == WRAPPED_SOL
        rent = int(self.node.ledger.svm.minimum_balance_for_rent_exemption(TOKEN_ACCOUNT_BYTES))
        state = TokenAccount(
            mint=Pubkey.from_string(token.mint),
            owner=Pubkey.from_string(self.maker),
            amount=units,
            delegate=Pubkey.from_string(self.taker) if delegated else None,
            state=TokenAccountState.Initialized,
            is_native=rent if is_sol else None,
            delegated_amount=delegated,
        )
        lamports = rent + (units if is_sol else 0)
        account = Account(lamports, bytes(state), Pubkey.from_string(TOKEN))
        self.node.ledger.svm.set_account(Pubkey.from_string(self._account(token)), account)

    def _wrapping(self) -> list[Body]:
        if not self.wraps or self.taken.mint != WRAPPED_SOL:
            return []
        wrapped = token_account(self.taker, WRAPPED_SOL, TOKEN)
        send = (2).to_bytes(4, "little") + self.amount.to_bytes(8, "little")
        return [
            self._create(WRAPPED_SOL),
            _call(SYSTEM, send, (self.taker, True, True), (wrapped, False, True)),
            _call(TOKEN, b"\x11", (wrapped, False, True)),
        ]

    def _unwrapping(self) -> Body | None:
        if not self.wraps or WRAPPED_SOL not in {self.taken.mint, self.wanted.mint}:
            return None
        wrapped = token_account(self.taker, WRAPPED_SOL, TOKEN)
        return _call(TOKEN, b"\x09", (wrapped, False, True), (self.taker, False, True), (self.taker, True, False))

    def _create(self, mint: str) -> Body:
        account = token_account(self.taker, mint, TOKEN)
        who = ((self.taker, True, True), (account, False, True), (self.taker, False, False), (mint, False, False))
        return _call(ASSOCIATED_TOKEN, b"\x01", *who, (SYSTEM, False, False), (TOKEN, False, False))

    def _transfer(self, source: str, token: Listed, destination: str, units: int) -> Body:
        data = b"\x0c" + units.to_bytes(8, "little") + bytes([token.decimals])
        ends = ((source, False, True), (token.mint, False, False), (destination, False, True))
        return _call(TOKEN, data, *ends, (self.taker, True, False))


def _call(program: str, data: bytes, *accounts: tuple[str, bool, bool]) -> Body:
    """An instruction in JSON; each account with whether it signs and whether it is written."""
    metas = [{"pubkey": key, "isSigner": signs, "isWritable": written} for key, signs, written in accounts]
    return {"programId": program, "accounts": metas, "data": base64.b64encode(data).decode()}


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
