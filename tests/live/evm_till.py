"""A payer on an EVM chain."""

from dataclasses import dataclass, field
from typing import Any

from eth_account import Account
from eth_account.messages import encode_defunct
from eth_account.signers.local import LocalAccount

from chains.clients.evm_claims import claim_text
from core.clock import now
from localnet.nodes import DevChain, fresh_wallet
from tests.live.till import LiveTill

BASE_USDC = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"
BNB_USDC = "0x8AC76a51cc950d9822D68b83fE1Ad97B32Cd580d"
DEEP_ENOUGH, FINAL = 8, 70
"""Blocks after which Base counts as final here for small payments, and after which the chain itself calls one final."""


@dataclass(kw_only=True)
class Till(LiveTill):
    """A payer on an EVM chain."""

    node: DevChain
    chain: str = "base"
    token: str = BASE_USDC
    payer: LocalAccount = field(default_factory=fresh_wallet)
    merchant: str = field(default_factory=lambda: fresh_wallet().address)

    @property
    def wallet(self) -> tuple[str, str]:
        return "evm", self.payer.address

    def endow(self, units: int = 1_000_000_000) -> None:
        """Give the payer so much of the token, and some ether."""
        self.node.fund(self.payer.address)
        self.node.mint(self.token, self.payer.address, units)

    def pay(self, attempt: dict[str, Any]) -> str:
        return self.node.send(self.payer, attempt["transactions"][0]["request"])

    def pass_time(self) -> None:
        self.node.mine(DEEP_ENOUGH)

    def pass_for_good(self) -> None:
        self.node.mine(FINAL)

    def new_key(self) -> tuple[str, str]:
        wallet = fresh_wallet()
        return wallet.address, wallet.key.hex()

    def stranger(self, units: int = 25_000_000) -> LocalAccount:
        """Another wallet, with coins for fees and so much of the token."""
        wallet = fresh_wallet()
        self.node.fund(wallet.address)
        self.node.mint(self.token, wallet.address, units)
        return wallet

    def claim(self, tx_hash: str, signer: LocalAccount | None = None, tag: str = "") -> str:
        """A wallet's signature that a transaction was this payment: unless said otherwise the payer's."""
        text = claim_text(tag or str(self.leg().pk), tx_hash)
        signature = Account.sign_message(encode_defunct(text=text), (signer or self.payer).key).signature
        return "0x" + bytes(signature).hex()

    def claims(self, attempt: dict[str, Any], tx_hash: str, claim: str = "") -> None:
        """Say that a transaction was this payment, with a wallet's signature: unless said otherwise the payer's."""
        body = {"attempt_id": attempt["id"], "leg_sequence": 1, "tx_hash": tx_hash}
        self.page.act("submitted", body | {"claim": claim or self.claim(tx_hash)})

    def pay_late(self) -> None:
        """The payer sends what was handed out, after the payment's time was over."""
        attempt, intent = self.issue("25"), self.leg().intent
        intent.expires_at = intent.expires_due_at = now()
        intent.save(update_fields=["expires_at", "expires_due_at"])
        assert self.sweep()["status"] == "expired"
        newest = int(self.node.web3.eth.get_block("latest")["timestamp"])
        self.node.rpc("evm_setNextBlockTimestamp", max(newest, int(now().timestamp())) + 30)
        self.node.send(self.payer, attempt["transactions"][0]["request"])

    def held(self, owner: str = "") -> int:
        return int(self.node.balance(self.token, owner or self.merchant))
