"""A payer on Solana, and the transactions that wallets make of what they are asked to sign."""

import base64
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from solders.instruction import AccountMeta, CompiledInstruction, Instruction
from solders.keypair import Keypair
from solders.message import MessageV0
from solders.signature import Signature
from solders.transaction import VersionedTransaction

from chains.instructions.transactions import read_transaction
from chains.registry import SOLANA_NATIVE_ADDRESS
from localnet.solana.money import USDC
from localnet.solana.server import DevSolana
from tests.live.till import LiveTill

Change = Callable[[list[Instruction]], list[Instruction]]


@dataclass(kw_only=True)
class SolanaTill(LiveTill):
    """A payer on Solana."""

    node: DevSolana
    chain: str = "solana"
    token: str = USDC
    payer: Keypair = field(default_factory=Keypair)
    merchant: str = field(default_factory=lambda: str(Keypair().pubkey()))

    @property
    def wallet(self) -> tuple[str, str]:
        return "solana", str(self.payer.pubkey())

    def endow(self, units: int = 1_000_000_000) -> None:
        """Give the payer so much of the token, and one SOL."""
        self.node.fund(self.wallet[1])
        if self.token != SOLANA_NATIVE_ADDRESS:
            self.node.mint(self.token, self.wallet[1], units)

    def stranger(self, units: int = 100_000_000, token: str = "") -> Keypair:
        """Another wallet, with coins for fees and so much of the token, or of another."""
        wallet = Keypair()
        self.node.fund(str(wallet.pubkey()))
        if units:
            self.node.mint(token or self.token, str(wallet.pubkey()), units)
        return wallet

    def pay(self, attempt: dict[str, Any]) -> str:
        return self.send(attempt)

    def pass_time(self) -> None:
        self.node.finalize()

    def pass_for_good(self) -> None:
        self.node.finalize()

    def new_key(self) -> tuple[str, str]:
        pair = Keypair()
        return str(pair.pubkey()), str(pair)

    def held(self, owner: str = "") -> int:
        if self.token == SOLANA_NATIVE_ADDRESS:
            return self.node.lamports(owner or self.merchant)
        return self.node.held(self.token, owner or self.merchant)

    def unsigned(self, attempt: dict[str, Any]) -> str:
        """The one transaction that the wallet is asked to sign."""
        [wanted] = attempt["transactions"]
        text: str = wanted["transaction_base64"]
        return text

    def send(self, attempt: dict[str, Any], change: Change | None = None, *, preflight: bool = True) -> str:
        """Sign and send it, or what a wallet made of it; its signature."""
        unsigned = self.unsigned(attempt)
        wanted = unsigned if change is None else rewritten(unsigned, change)
        return self.node.send(self.payer, wanted, preflight=preflight)


def instructions_of(unsigned: str) -> list[Instruction]:
    """The instructions of a transaction, whole."""
    message = read_transaction(unsigned).message
    return [_whole(message, one) for one in message.instructions]


def rewritten(unsigned: str, change: Change, payer: Keypair | None = None) -> str:
    """A transaction over the same blockhash with other instructions, and if wanted by another payer."""
    message = read_transaction(unsigned).message
    first = message.account_keys[0] if payer is None else payer.pubkey()
    made = MessageV0.try_compile(first, change(instructions_of(unsigned)), [], message.recent_blockhash)
    empty = [Signature.default()] * made.header.num_required_signatures
    return base64.b64encode(bytes(VersionedTransaction.populate(made, empty))).decode()


def _whole(message: Any, one: CompiledInstruction) -> Instruction:
    signers = message.header.num_required_signatures
    keys = message.account_keys
    first_readonly = len(keys) - message.header.num_readonly_unsigned_accounts
    accounts = [
        AccountMeta(keys[place], is_signer=place < signers, is_writable=place < signers or place < first_readonly)
        for place in one.accounts
    ]
    return Instruction(keys[one.program_id_index], bytes(one.data), accounts)
