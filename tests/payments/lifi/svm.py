"""Honest answers of LI.FI to a payer on Solana, part by part, so that a test can change any of them.

The layouts are written down once more, from the program's source, by another way than the service reads them.
"""

import base64
import hashlib
import struct
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from eth_hash.auto import keccak
from solders.address_lookup_table_account import AddressLookupTableAccount
from solders.compute_budget import set_compute_unit_limit, set_compute_unit_price
from solders.hash import Hash
from solders.instruction import AccountMeta, Instruction
from solders.message import Message, MessageV0
from solders.pubkey import Pubkey
from solders.signature import Signature
from solders.transaction import VersionedTransaction
from spl.token.constants import ASSOCIATED_TOKEN_PROGRAM_ID, TOKEN_PROGRAM_ID
from spl.token.instructions import get_associated_token_address

from core.modes import Mode
from core.money import BaseUnits
from payments.routing.base import Asset, RouteRequest
from tests.payments.lifi.honest import AT, BASE_USDC, INTEGRATOR, MERCHANT, TRANSACTION_ID, word

SPOKE = Pubkey.from_string("DLv3NggMiSaef97YCkew5xKUHDh13tVGZ7tydt3ZeAru")
USDC = Pubkey.from_string("EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v")
USDT = Pubkey.from_string("Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB")
PAYER = Pubkey.from_string("9B5XszUGdMaxCZ7uSQhPzdks5ZQSmWxrmzCSvtJ6Ns6g")
STRANGER = Pubkey(b"\5" * 32)
SYSTEM = Pubkey.default()
SOLANA_ID, PAID, NOW = 1151111081099710, 25_050_000, int(AT.timestamp())
SOLANA_USDC = Asset(chain="solana", address=str(USDC), symbol="USDC", name="USD Coin", decimals=6, usd_price=Decimal(1))
REQUEST = RouteRequest(
    mode=Mode.LIVE,
    payer_address=str(PAYER),
    source=SOLANA_USDC,
    destination=BASE_USDC,
    recipient=MERCHANT,
    target_base_units=BaseUnits(25_000_000),
)
ORDER: dict[str, Any] = {
    "depositor": bytes(PAYER),
    "recipient": word(MERCHANT),
    "input_token": bytes(USDC),
    "output_token": word(BASE_USDC.address),
    "input_amount": PAID,
    "output_amount": 25_000_000,
    "destination": 8453,
    "relayer": bytes(32),
    "nonce": 77,
    "quoted": NOW - 30,
    "deadline": NOW + 4 * 3600,
    "exclusivity": 0,
    "message": b"",
}
FORMS = {
    **dict.fromkeys(("depositor", "recipient", "input_token", "output_token"), "32s"),
    **{"input_amount": "Q", "output_amount": "word", "destination": "Q", "relayer": "32s", "nonce": "Q"},
    **{"quoted": "I", "deadline": "I", "exclusivity": "I", "message": "bytes"},
}
LEFT_OUT = {"deposit": {"nonce"}, "deposit_now": {"nonce", "quoted"}, "unsafe_deposit": set[str]()}


def found(*seeds: bytes) -> Pubkey:
    return Pubkey.find_program_address(list(seeds), SPOKE)[0]


STATE = found(b"state", bytes(8))


def borsh(order: dict[str, Any], *without: str) -> bytes:
    return b"".join(_one(FORMS[name], order[name]) for name in FORMS if name not in without)


def _one(form: str, value: Any) -> bytes:
    if form == "word":
        return int(value).to_bytes(32)
    return struct.pack("<I", len(value)) + value if form == "bytes" else struct.pack(f"<{form}", value)


@dataclass
class SvmAnswer:
    """One honest answer; ``calls`` are made anew from the parts by ``build``, then a test may change them."""

    kind: str = "unsafe_deposit"
    checked: bool = True
    order: dict[str, Any] = field(default_factory=lambda: dict(ORDER))
    calls: dict[str, Instruction] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.order["deadline"] = 4 * 3600 if self.kind == "deposit_now" else self.order["deadline"]
        self.build()

    @property
    def delegate(self) -> Pubkey:
        """Who may take the tokens for this very order."""
        return found(b"delegate", keccak(borsh(self.order, "nonce", *LEFT_OUT[self.kind])))

    def data(self) -> bytes:
        name = hashlib.sha256(f"global:{self.kind}".encode()).digest()[:8]
        return name + borsh(self.order, *LEFT_OUT[self.kind])

    def build(self) -> None:
        token = Pubkey(self.order["input_token"])
        mine = get_associated_token_address(PAYER, token)
        units, delegate = struct.pack("<Q", self.order["input_amount"] % 2**64), self.delegate
        opening = [PAYER, mine, PAYER, token, SYSTEM, TOKEN_PROGRAM_ID]
        approval = [mine, *([token] if self.checked else []), delegate, PAYER]
        deposit = [PAYER, STATE, delegate, mine, get_associated_token_address(STATE, token), token]
        deposit += [TOKEN_PROGRAM_ID, ASSOCIATED_TOKEN_PROGRAM_ID, SYSTEM, found(b"__event_authority"), SPOKE]
        approve = b"\x0d" + units + b"\6" if self.checked else b"\4" + units
        self.calls = {
            "limit": set_compute_unit_limit(200_000),
            "price": set_compute_unit_price(10_000),
            "opening": Instruction(ASSOCIATED_TOKEN_PROGRAM_ID, b"\1", metas(opening)),
            "approval": Instruction(TOKEN_PROGRAM_ID, approve, metas(approval)),
            "deposit": Instruction(SPOKE, self.data(), metas(deposit)),
        }

    def with_accounts(self, call: str, place: int, key: Pubkey) -> None:
        accounts = [meta.pubkey for meta in self.calls[call].accounts]
        accounts[place] = key
        self.calls[call] = Instruction(self.calls[call].program_id, self.calls[call].data, metas(accounts))

    def with_data(self, call: str, data: bytes) -> None:
        self.calls[call] = Instruction(self.calls[call].program_id, data, self.calls[call].accounts)

    def transaction(
        self,
        payer: Pubkey = PAYER,
        blockhash: bytes = b"\7" * 32,
        tables: tuple[AddressLookupTableAccount, ...] = (),
        *,
        is_legacy: bool = False,
    ) -> str:
        """The whole, unsigned, in base64."""
        calls = list(self.calls.values())
        message: Message | MessageV0 = MessageV0.try_compile(payer, calls, list(tables), Hash(blockhash))
        if is_legacy:
            message = Message.new_with_blockhash(calls, payer, Hash(blockhash))
        empty = [Signature.default()] * message.header.num_required_signatures
        return base64.b64encode(bytes(VersionedTransaction.populate(message, empty))).decode()

    def body(self, transaction: str | None = None) -> dict[str, Any]:
        usdc = {"chainId": SOLANA_ID, "address": str(USDC), "symbol": "USDC", "decimals": 6, "name": "USD Coin"}
        there = {"chainId": 8453, "address": BASE_USDC.address, "symbol": "USDC", "decimals": 6, "name": "USD Coin"}
        sol = {"chainId": SOLANA_ID, "address": str(SYSTEM), "symbol": "SOL", "decimals": 9, "name": "SOL"}
        cost = {"amount": "2039280", "amountUSD": "0.30", "included": False, "token": sol}
        return {
            **{"id": "7ea03ed3-a2a8-4d8a-8a5e-3b9f5a3f7f4e:0", "type": "lifi", "tool": "across"},
            **{"transactionId": "0x" + TRANSACTION_ID.hex(), "integrator": INTEGRATOR, "includedSteps": []},
            "action": {
                **{"fromChainId": SOLANA_ID, "toChainId": 8453, "fromToken": usdc, "toToken": there},
                **{"fromAmount": str(PAID), "fromAddress": str(PAYER), "toAddress": MERCHANT, "slippage": 0.005},
            },
            "estimate": {
                **{"tool": "across", "approvalAddress": str(SPOKE), "executionDuration": 12, "feeCosts": [cost]},
                **{"fromAmount": str(PAID), "toAmount": "25000000", "toAmountMin": "25000000"},
                "gasCosts": [{"amountUSD": "0.0010", "estimate": "200000", "amount": "7000", "token": sol}],
            },
            "transactionRequest": {"data": self.transaction() if transaction is None else transaction},
        }


def metas(keys: list[Pubkey]) -> list[AccountMeta]:
    """Accounts that may be written, of which the payer signs."""
    return [AccountMeta(key, key == PAYER, is_writable=True) for key in keys]
