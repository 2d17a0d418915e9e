"""A payer on Solana, and the transactions that wallets make of what they are asked to sign."""

import base64
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from solders.instruction import AccountMeta, CompiledInstruction, Instruction
from solders.keypair import Keypair
from solders.message import MessageV0
from solders.pubkey import Pubkey
from solders.signature import Signature
from solders.transaction import VersionedTransaction

from chains.instructions.programs import ASSOCIATED_TOKEN_PROGRAM, SYSTEM_PROGRAM, TOKEN_PROGRAM, token_account
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
        wanted = unsigned if change is None else rewritten(unsigned, change, loaded=self._loaded(unsigned))
        return self.node.send(self.payer, wanted, preflight=preflight)

    def _loaded(self, unsigned: str) -> list[Pubkey]:
        """The accounts that a transaction names by lookup tables: mints and programs, all of them only read."""
        _, (written, read) = self.node.ledger.keys_of(read_transaction(unsigned))
        assert written == []
        return read


def instructions_of(unsigned: str, loaded: Sequence[Pubkey] = ()) -> list[Instruction]:
    """The instructions of a transaction, whole."""
    message = read_transaction(unsigned).message
    return [_whole(message, one, loaded) for one in message.instructions]


def opening_account(payer: str, owner: str, token: str) -> Instruction:
    """Open the account of a token for its owner, unless it is there."""
    account = token_account(owner, token, TOKEN_PROGRAM)
    accounts = [
        AccountMeta(Pubkey.from_string(payer), is_signer=True, is_writable=True),
        AccountMeta(Pubkey.from_string(account), is_signer=False, is_writable=True),
        *(
            AccountMeta(Pubkey.from_string(key), is_signer=False, is_writable=False)
            for key in (owner, token, SYSTEM_PROGRAM, TOKEN_PROGRAM)
        ),
    ]
    return Instruction(Pubkey.from_string(ASSOCIATED_TOKEN_PROGRAM), b"\x01", accounts)


def token_transfer(payer: str, owner: str, token: str, units: int) -> Instruction:
    """So much of a token of six decimals from one wallet's account to another's, without any mark."""
    source, target = (token_account(wallet, token, TOKEN_PROGRAM) for wallet in (payer, owner))
    accounts = [
        AccountMeta(Pubkey.from_string(source), is_signer=False, is_writable=True),
        AccountMeta(Pubkey.from_string(token), is_signer=False, is_writable=False),
        AccountMeta(Pubkey.from_string(target), is_signer=False, is_writable=True),
        AccountMeta(Pubkey.from_string(payer), is_signer=True, is_writable=False),
    ]
    content = b"\x0c" + units.to_bytes(8, "little") + b"\x06"
    return Instruction(Pubkey.from_string(TOKEN_PROGRAM), content, accounts)


def rewritten(unsigned: str, change: Change, payer: Keypair | None = None, loaded: Sequence[Pubkey] = ()) -> str:
    """A transaction over the same blockhash with other instructions, and if wanted by another payer."""
    message = read_transaction(unsigned).message
    first = message.account_keys[0] if payer is None else payer.pubkey()
    made = MessageV0.try_compile(first, change(instructions_of(unsigned, loaded)), [], message.recent_blockhash)
    empty = [Signature.default()] * made.header.num_required_signatures
    return base64.b64encode(bytes(VersionedTransaction.populate(made, empty))).decode()


def _whole(message: Any, one: CompiledInstruction, loaded: Sequence[Pubkey]) -> Instruction:
    signers = message.header.num_required_signatures
    keys = [*message.account_keys, *loaded]
    first_readonly = len(message.account_keys) - message.header.num_readonly_unsigned_accounts
    accounts = [
        AccountMeta(keys[place], is_signer=place < signers, is_writable=place < signers or place < first_readonly)
        for place in one.accounts
    ]
    return Instruction(keys[one.program_id_index], bytes(one.data), accounts)
