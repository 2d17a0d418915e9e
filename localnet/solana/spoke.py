"""A stand-in for Across's program on Solana, and who does its work: the real one is in no package registry.

At the program's address stands the smallest program there is: it takes whatever it is given and succeeds. Nothing else
is invented: the payer's approval is the token program's own, and the deposited tokens are pulled by it too, in a
transaction that the delegate signs. On the main network that delegate is an address of the program's own; here it is a
key, since nobody can sign for the other. It tells no event, so only deposits that name their id can be followed.
Layouts are written down here once more, from the program's source, so that the service's own are held against them.
Source: github across-protocol/contracts, programs/svm-spoke.
"""

import base64
import hashlib
import struct
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from eth_hash.auto import keccak
from solders.hash import Hash
from solders.instruction import AccountMeta, Instruction
from solders.keypair import Keypair
from solders.message import MessageV0
from solders.pubkey import Pubkey
from solders.transaction import VersionedTransaction

from chains.instructions.programs import ASSOCIATED_TOKEN_PROGRAM, TOKEN_PROGRAM, token_account
from localnet.solana.money import ONE_SOL, USDC
from localnet.solana.runtime import Refused
from localnet.solana.server import DevSolana

PROGRAM = Pubkey.from_string("DLv3NggMiSaef97YCkew5xKUHDh13tVGZ7tydt3ZeAru")
CHAIN_ID = 34268394551451
"""Solana, as Across numbers chains."""
DELEGATE = Keypair.from_seed(hashlib.sha256(b"causeway localnet across delegate").digest())
UNSAFE_DEPOSIT = hashlib.sha256(b"global:unsafe_deposit").digest()[:8]
LAYOUT = struct.Struct("<32s32s32s32sQ32sQ32sQIIII")
NAMES = (
    *("depositor", "recipient", "inputToken", "outputToken", "inputAmount", "outputAmount", "destinationChainId"),
    *("exclusiveRelayer", "nonce", "quoteTimestamp", "fillDeadline", "exclusivityParameter", "messageLength"),
)
STATE, _ = Pubkey.find_program_address([b"state", bytes(8)], PROGRAM)
EVENT_AUTHORITY, _ = Pubkey.find_program_address([b"__event_authority"], PROGRAM)
TOKENS, TOKEN_ACCOUNTS = Pubkey.from_string(TOKEN_PROGRAM), Pubkey.from_string(ASSOCIATED_TOKEN_PROGRAM)
SYSTEM = Pubkey.default()
_MOV_R0_0, _EXIT = bytes.fromhex("b700000000000000"), bytes.fromhex("9500000000000000")
_TEXT_AT, _BPF, _SHARED, _ENTRY_SIZE = 64, 247, 3, 64


def program() -> bytes:
    """An ELF of the two instructions ``r0 = 0; exit``: its head, its text, the names of sections and their table."""
    names, text = b"\0.text\0.shstrtab\0", _MOV_R0_0 + _EXIT
    names_at = _TEXT_AT + len(text)
    table_at = -(-(names_at + len(names)) // 8) * 8
    magic = b"\x7fELF\x02\x01\x01"  # 64 bits, little-endian
    head = struct.pack(
        "<16sHHIQQQIHHHHHH",
        *(magic, _SHARED, _BPF, 1, _TEXT_AT, 0, table_at, 0, 64, 56, 0, _ENTRY_SIZE, 3, 2),
    )
    sections = [
        (0, 0, 0, 0, 0, 0, 0, 0, 0, 0),
        (1, 1, 6, _TEXT_AT, _TEXT_AT, len(text), 0, 0, 8, 0),
        (7, 3, 0, 0, names_at, len(names), 0, 0, 1, 0),
    ]
    body = (head + text + names).ljust(table_at, b"\0")
    return body + b"".join(struct.pack("<IIQQQQIIQQ", *section) for section in sections)


def place(node: DevSolana) -> None:
    """Put the program at its address, with an empty vault for USDC and a delegate that can pay fees."""
    with node.lock:
        node.ledger.svm.add_program(PROGRAM, program())
    node.mint(USDC, str(STATE), 0)
    node.fund(str(DELEGATE.pubkey()), ONE_SOL)


def deposit_instruction(fields: Mapping[str, Any]) -> Instruction:
    """An unsafe deposit, by the names of ``NAMES``."""
    depositor, token = (Pubkey(fields[name]) for name in ("depositor", "inputToken"))
    keys = [depositor, STATE, DELEGATE.pubkey(), account_of(depositor, token), account_of(STATE, token), token]
    keys += [TOKENS, TOKEN_ACCOUNTS, SYSTEM, EVENT_AUTHORITY, PROGRAM]
    metas = [AccountMeta(key, place == 0, place in {0, 1, 3, 4}) for place, key in enumerate(keys)]
    values = [fields[name] for name in NAMES]
    values[NAMES.index("outputAmount")] = int(fields["outputAmount"]).to_bytes(32)
    return Instruction(PROGRAM, UNSAFE_DEPOSIT + LAYOUT.pack(*values) + fields.get("message", b""), metas)


def read_deposit(data: bytes) -> dict[str, Any] | None:
    """What such an instruction says; None for every other one."""
    if data[:8] != UNSAFE_DEPOSIT or len(data) < 8 + LAYOUT.size:
        return None
    fields: dict[str, Any] = dict(zip(NAMES, LAYOUT.unpack(data[8 : 8 + LAYOUT.size]), strict=True))
    fields |= {"outputAmount": int.from_bytes(fields["outputAmount"]), "message": data[8 + LAYOUT.size :]}
    return fields


@dataclass
class SvmSpoke:
    """Takes the deposits that were made on a node, as the real program does within them."""

    node: DevSolana
    _seen: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        """Why: what was deposited before is none of its business."""
        place(self.node)
        self._seen = {str(one["signature"]) for one in self._mentions()}

    def taken(self) -> list[tuple[str, dict[str, Any]]]:
        """New deposits whose tokens are in the vault now: signatures, and what a SpokePool's event would say."""
        found = []
        for one in reversed(self._mentions()):
            signature = str(one["signature"])
            if signature not in self._seen and one["err"] is None:
                self._seen.add(signature)
                found += [(signature, _event(fields)) for fields in self._deposits(signature) if self._pull(fields)]
        return found

    def refund(self, fields: Mapping[str, Any]) -> str:
        """Give a deposit back; the signature of nothing, since the play money is simply written."""
        token, depositor = (str(Pubkey(fields[name])) for name in ("inputToken", "depositor"))
        self.node.mint(token, depositor, fields["inputAmount"])
        return "1" * 64

    def _mentions(self) -> list[Any]:
        return list(self.node.rpc("getSignaturesForAddress", str(PROGRAM), {"commitment": "confirmed"}))

    def _deposits(self, signature: str) -> list[dict[str, Any]]:
        options = {"commitment": "confirmed", "encoding": "base64", "maxSupportedTransactionVersion": 0}
        text = self.node.rpc("getTransaction", signature, options)["transaction"][0]
        message = VersionedTransaction.from_bytes(base64.b64decode(text)).message
        own = [one for one in message.instructions if message.account_keys[one.program_id_index] == PROGRAM]
        return [fields for one in own if (fields := read_deposit(bytes(one.data))) is not None]

    def _pull(self, fields: Mapping[str, Any]) -> bool:
        """Whether the depositor's tokens could be taken, as its approval allows."""
        depositor, token = Pubkey(fields["depositor"]), Pubkey(fields["inputToken"])
        accounts = [
            AccountMeta(account_of(depositor, token), is_signer=False, is_writable=True),
            AccountMeta(account_of(STATE, token), is_signer=False, is_writable=True),
            AccountMeta(DELEGATE.pubkey(), is_signer=True, is_writable=False),
        ]
        transfer = Instruction(TOKENS, b"\x03" + fields["inputAmount"].to_bytes(8, "little"), accounts)
        latest = self.node.rpc("getLatestBlockhash", {"commitment": "confirmed"})["value"]["blockhash"]
        message = MessageV0.try_compile(DELEGATE.pubkey(), [transfer], [], Hash.from_string(latest))
        text = base64.b64encode(bytes(VersionedTransaction(message, [DELEGATE]))).decode()
        try:
            self.node.rpc("sendTransaction", text, {"encoding": "base64", "preflightCommitment": "confirmed"})
        except Refused:
            return False
        return True


def _event(fields: Mapping[str, Any]) -> dict[str, Any]:
    """What FundsDeposited says of it."""
    key, nonce = fields["depositor"], fields["nonce"].to_bytes(8, "little")
    told = {"depositId": int.from_bytes(keccak(key + key + nonce)), "exclusivityDeadline": 0}
    return dict(fields) | told


def account_of(owner: Pubkey, token: Pubkey) -> Pubkey:
    """Where a wallet holds a token."""
    return Pubkey.from_string(token_account(str(owner), str(token), TOKEN_PROGRAM))
