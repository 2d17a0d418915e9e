"""A stranger who has the links of all payments, and fills the chain with what looks like them."""

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from random import Random
from threading import Lock
from typing import Any

from eth_abi.abi import encode
from web3 import Web3

from localnet.addresses import MULTICALL3
from localnet.devchain import fresh_wallet
from tests.journeys.chain_attacks import again_and_again
from tests.journeys.crowd import Crowd
from tests.journeys.live_payer import UNITS, LivePayer
from tests.journeys.live_stage import LiveStage

AGGREGATE3 = "0x82ad56cb"
NOTHINGS = 200
"""Transfers of nothing in one transaction, and so in one block."""
ON_CHAIN_SECONDS = 0.3
"""From one time to the next. Why more often than he asks: no limit of ours holds on a chain."""
SPAM_GAS = 15_000_000
OVER = ("failed", "abandoned", "lapsed", "confirmed", "executing")


@dataclass(kw_only=True)
class Stranger:
    """Acts that the links allow, and what a chain allows anybody; counts what he did."""

    stage: LiveStage
    crowd: Crowd
    wallet: Any = field(default_factory=fresh_wallet)
    rng: Random = field(default_factory=lambda: Random(1))  # noqa: S311 - told again
    pages: dict[str, LivePayer] = field(default_factory=dict)
    sent: dict[str, int] = field(default_factory=dict)
    _nonces: Lock = field(default_factory=Lock)

    def __post_init__(self) -> None:
        LivePayer(stage=self.stage, shop=self.crowd.shop, wallet=self.wallet).endow()

    def spam(self) -> None:
        """Hundreds of transfers of nothing to somebody's merchant, in one block."""
        for payer in self._some(self._open()):
            token = self.stage.node.token(payer.usdc)
            nothing = token.encode_abi("transfer", args=[Web3.to_checksum_address(payer.settles_at), 0])
            calls = [(payer.usdc, False, bytes.fromhex(nothing[2:]))] * NOTHINGS
            data = AGGREGATE3 + encode(["(address,bool,bytes)[]"], [calls]).hex()
            self._send("spam", {"to": MULTICALL3, "value": "0x0", "data": data}, gas=SPAM_GAS)

    def copy(self) -> None:
        """The payer's own call with his mark: over one unit, over nothing, and so that it fails."""
        for payer in self._some(self._signing()):
            request = payer.issued["transactions"][0]["request"]
            for units in (1, 0, 10**6 * UNITS):
                cut = request["data"][:74] + f"{units:064x}" + request["data"][138:]
                self._send("copies", {**request, "data": cut})

    def hint(self) -> None:
        """A hash that nobody knows, for the payer's try, which is not his."""
        for payer in self._some(self._signing()):
            assert self._page(payer).report(payer.issued, "0x" + secrets.token_hex(32)).status in {403, 409}
            self._count("hints")

    def dust(self) -> None:
        """One step on with a try of his own beside the payer's, which he pays with one unit, and tells nonsense of."""
        for payer in self._some(self._open()[-3:]):
            page = self._page(payer)
            state = page.state()
            wallet, attempt = state["wallet"], state["attempt"]
            if wallet is None:
                page.send("POST", "wallet", {"family": "evm", "address": self.wallet.address})
            elif attempt is None and wallet["status"] == "ready":
                page.send("POST", "quote", {"chain": page.chain, "token_address": page.usdc})
            elif attempt is not None and attempt["status"] == "quoted":
                page.send("POST", "start", {"attempt_id": attempt["id"]})
            elif attempt is not None and attempt["transactions"] and attempt["status"] not in OVER:
                request = attempt["transactions"][0]["request"]
                cut = request["data"][:74] + f"{1:064x}" + request["data"][138:]
                page.report(attempt, self._send("dust", {**request, "data": cut}))
                page.report(attempt, "0x" + secrets.token_hex(32))

    def _some(self, payers: list[LivePayer]) -> list[LivePayer]:
        """One of them, where there is one."""
        return [self.rng.choice(payers)] if payers else []

    def _signing(self) -> list[LivePayer]:
        return [one for one in self._open()[-6:] if one.issued]

    def _open(self) -> list[LivePayer]:
        return [one for one in self.crowd.payers if one.intent_id]

    def _page(self, payer: LivePayer) -> LivePayer:
        """His own browser at a payer's link."""
        if payer.intent_id not in self.pages:
            made = LivePayer(stage=self.stage, shop=self.crowd.shop, wallet=self.wallet, intent_id=payer.intent_id)
            made.open()
            self.pages[payer.intent_id] = made
        return self.pages[payer.intent_id]

    def _send(self, kind: str, request: dict[str, Any], **more: Any) -> str:
        with self._nonces:
            tx_hash = self.stage.node.post(self.wallet, request, **more)
        self._count(kind)
        return tx_hash

    def _count(self, kind: str) -> None:
        self.sent[kind] = self.sent.get(kind, 0) + 1


@contextmanager
def a_stranger(stage: LiveStage, crowd: Crowd) -> Iterator[None]:
    """Dust, copies, hints and spam, on the chain several times a second."""
    stranger = Stranger(stage=stage, crowd=crowd)
    on_chain = again_and_again(stranger.spam, stranger.copy, pause=ON_CHAIN_SECONDS)
    with on_chain, again_and_again(stranger.hint, stranger.dust):
        yield
    # Why no more is asked for: how far his own tries come beside few payers is the machine's matter.
    assert {"spam", "copies"} <= set(stranger.sent), stranger.sent
    told = ", ".join(f"{count} {kind}" for kind, count in sorted(stranger.sent.items()))
    crowd.notes.append(told)
