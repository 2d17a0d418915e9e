"""The market maker behind the local Jupiter: what it gives for what, and the two transfers in which it does so."""

import base64
import hashlib
import time
from dataclasses import dataclass
from typing import Any

from solders.account import Account
from solders.hash import Hash
from solders.pubkey import Pubkey
from solders.token.state import TokenAccount, TokenAccountState

from chains.instructions.programs import (
    ASSOCIATED_TOKEN_PROGRAM,
    COMPUTE_BUDGET_PROGRAM,
    SYSTEM_PROGRAM,
    TOKEN_PROGRAM,
    WRAPPED_SOL,
    token_account,
)
from localnet.solana.server import DevSolana

BPS = 10_000
UNIT_PRICE = 658_858
"""Micro-lamports for a compute unit."""
TOKEN_ACCOUNT_BYTES = 165
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
class Trade:
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
        # The maker's accounts are filled, and the taker may move as much as this answer sells.
        self._write(self.taken, units=0, delegated=0)
        self._write(self.wanted, units=self.delivered, delegated=self.delivered)
        table = [self.taken.mint, self.wanted.mint, TOKEN_PROGRAM, ASSOCIATED_TOKEN_PROGRAM]
        self.node.place_lookup_table(TABLE, table)
        latest = self.node.rpc("getLatestBlockhash", {"commitment": "confirmed"})["value"]
        own_in = token_account(self.taker, self.taken.mint, TOKEN_PROGRAM)
        own_out = token_account(self.taker, self.wanted.mint, TOKEN_PROGRAM)
        return {
            "computeBudgetInstructions": [_call(COMPUTE_BUDGET_PROGRAM, b"\x03" + UNIT_PRICE.to_bytes(8, "little"))],
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
        return token_account(self.maker, token.mint, TOKEN_PROGRAM)

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
        account = Account(lamports, bytes(state), Pubkey.from_string(TOKEN_PROGRAM))
        self.node.ledger.svm.set_account(Pubkey.from_string(self._account(token)), account)

    def _wrapping(self) -> list[Body]:
        if not self.wraps or self.taken.mint != WRAPPED_SOL:
            return []
        wrapped = token_account(self.taker, WRAPPED_SOL, TOKEN_PROGRAM)
        send = (2).to_bytes(4, "little") + self.amount.to_bytes(8, "little")
        return [
            self._create(WRAPPED_SOL),
            _call(SYSTEM_PROGRAM, send, (self.taker, True, True), (wrapped, False, True)),
            _call(TOKEN_PROGRAM, b"\x11", (wrapped, False, True)),
        ]

    def _unwrapping(self) -> Body | None:
        if not self.wraps or WRAPPED_SOL not in {self.taken.mint, self.wanted.mint}:
            return None
        wrapped = token_account(self.taker, WRAPPED_SOL, TOKEN_PROGRAM)
        return _call(
            TOKEN_PROGRAM, b"\x09", (wrapped, False, True), (self.taker, False, True), (self.taker, True, False)
        )

    def _create(self, mint: str) -> Body:
        account = token_account(self.taker, mint, TOKEN_PROGRAM)
        who = ((self.taker, True, True), (account, False, True), (self.taker, False, False), (mint, False, False))
        return _call(
            ASSOCIATED_TOKEN_PROGRAM, b"\x01", *who, (SYSTEM_PROGRAM, False, False), (TOKEN_PROGRAM, False, False)
        )

    def _transfer(self, source: str, token: Listed, destination: str, units: int) -> Body:
        content = b"\x0c" + units.to_bytes(8, "little") + bytes([token.decimals])
        ends = ((source, False, True), (token.mint, False, False), (destination, False, True))
        return _call(TOKEN_PROGRAM, content, *ends, (self.taker, True, False))


def _call(program: str, content: bytes, *accounts: tuple[str, bool, bool]) -> Body:
    """An instruction in JSON; each account with whether it signs and whether it is written."""
    metas = [{"pubkey": key, "isSigner": signs, "isWritable": written} for key, signs, written in accounts]
    return {"programId": program, "accounts": metas, "data": base64.b64encode(content).decode()}
