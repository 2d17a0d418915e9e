"""A merchant's signing account on Solana, what is sent from it, and what the chain itself says of that."""

from dataclasses import dataclass, field
from datetime import timedelta
from decimal import Decimal
from uuid import UUID, uuid4

from django.db import transaction
from pytest_django import Settings
from solders.keypair import Keypair

from chains.models import SigningAccount, Transfer
from chains.transfers import RailName, TransferOrder, advance_transfer, request_transfer, withdraw_transfer
from core.clock import now
from core.money import BaseUnits, UsdAmount
from core.secrets import Sealed
from localnet.solana.money import ONE_SOL, USDC
from localnet.solana.runtime import Landed
from localnet.solana.server import DevSolana
from merchants.models import Merchant

MEMO = "MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr"
FOREVER = 10**6


@dataclass(kw_only=True)
class Treasury:
    """An account with money in it, a recipient, and one transfer at a time."""

    node: DevSolana
    merchant: Merchant
    settings: Settings
    token: str = USDC
    decimals: int = 6
    units: int = 25_000_000
    key: Keypair = field(default_factory=Keypair)
    recipient: str = field(default_factory=lambda: str(Keypair().pubkey()))
    transfer: Transfer = field(init=False)

    @property
    def address(self) -> str:
        return str(self.key.pubkey())

    def enrol(self) -> dict[str, str]:
        """Hand the key over, as an operator does; where it is found."""
        self.settings.SIGNER_SECRETS = {"treasury": Sealed(str(self.key).encode())}
        return {"backend": "secret", "key_reference": "treasury"}

    def endow(self, units: int = 1_000_000_000, lamports: int = ONE_SOL) -> None:
        self.node.fund(self.address, lamports)
        if units and not self.is_coin:
            self.node.mint(self.token, self.address, units)

    def order(self, usd: str = "25", purpose_id: UUID | None = None) -> Transfer:
        account, _ = SigningAccount.objects.get_or_create(
            merchant=self.merchant, mode="live", network="localnet", chain="solana", address=self.address,
            defaults={"cap_per_transfer_usd": 100_000, "cap_per_day_usd": 1_000_000} | self.enrol(),
        )  # fmt: skip
        order = TransferOrder(
            merchant_id=self.merchant.pk, mode="live", network="localnet", purpose="payout",
            purpose_id=purpose_id or uuid4(),
            rail=RailName.SOLANA, chain="solana", token_address=self.token, token_decimals=self.decimals,
            recipient=self.recipient, base_units=BaseUnits(self.units), value_usd=UsdAmount(Decimal(usd)),
            account_id=account.pk,
        )  # fmt: skip
        with transaction.atomic():
            self.transfer = request_transfer(order)
        return self.transfer

    def advance(self) -> str:
        """Take the transfer as far as it goes now; its status, and why no further."""
        self.transfer.attempts.exclude(first_broadcast_at=None).update(first_broadcast_at=now() - timedelta(seconds=5))
        self.transfer = advance_transfer(self.transfer.pk)
        said = self.transfer.failure or self.transfer.blocker
        return f"{self.transfer.status}:{said}" if said else str(self.transfer.status)

    def finish(self) -> str:
        """Let all that landed become final, and look."""
        self.advance()
        self.node.finalize()
        return self.advance()

    def withdraw(self) -> bool:
        with transaction.atomic():
            return withdraw_transfer(self.transfer.pk, actor="owner")

    def signatures(self) -> list[str]:
        return list(self.transfer.attempts.values_list("tx_hash", flat=True))

    def path(self) -> list[str]:
        return list(self.transfer.history.order_by("pk").values_list("to_status", flat=True))

    def pass_expiry(self, slots: int = 1, *, final: bool = True) -> None:
        """Let so many slots pass after the last one that can hold what was signed last, as final slots or not."""
        last = self.transfer.attempts.latest("sequence").last_valid_height or 0
        commitment = "finalized" if final else "confirmed"
        self.node.advance(last + slots - self.node.rpc("getBlockHeight", {"commitment": commitment}))

    def last_slot(self) -> int:
        attempt = self.transfer.attempts.latest("sequence")
        height = self.node.rpc("getBlockHeight", {"commitment": "processed"})
        return int(self.node.head() - height + (attempt.last_valid_height or 0))

    @property
    def is_coin(self) -> bool:
        return set(self.token) == {"1"}

    def received(self) -> int:
        return self.node.lamports(self.recipient) if self.is_coin else self.node.held(self.token, self.recipient)

    def landed(self) -> list[Landed]:
        """The transfer's transactions that stand in the runtime's own ledger, those that failed among them."""
        mark = str(self.transfer.pk).encode()
        return [one for one in self.node.ledger.landed if mark in _memos(one)]

    def paid_times(self) -> int:
        """How often it was paid: transactions in the ledger, held against what the recipient has."""
        times = sum(one.error is None for one in self.landed())
        assert self.received() == times * self.units
        return times


def _memos(landed: Landed) -> list[bytes]:
    message = landed.transaction.message
    return [bytes(one.data) for one in message.instructions if str(landed.keys[one.program_id_index]) == MEMO]
