"""What a transfer remembers of its wallet, in ``Transfer.offer``: what was asked, shown and refused. Pure."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from chains.models import Transfer

HINT_LIFETIME = timedelta(minutes=10)
"""How long a reported hash is looked for. Source: docs/money-out.md, What counts."""


class Refusal(StrEnum):
    """Why what a wallet did, or would do, is not this transfer."""

    ANOTHER_TRANSACTION = "another_transaction"
    ANOTHER_SENDER = "another_sender"
    WRONG_AMOUNT = "wrong_amount"
    TOO_OLD = "too_old"
    REVERTED = "reverted"
    NOT_FOUND = "not_found"
    ALREADY_USED = "already_used"
    EXPIRED = "expired"
    INSUFFICIENT_FUNDS = "insufficient_funds"
    WOULD_FAIL = "would_fail"
    SIGNATURE_NOT_TAKEN = "signature_not_taken"
    CHAIN_UNAVAILABLE = "chain_unavailable"


@dataclass(frozen=True, kw_only=True)
class Refused:
    """A refusal, and the transaction that it is about, if any."""

    code: Refusal
    tx_hash: str = ""


def wanted_by(transfer: Transfer) -> str:
    """The wallet that waits for something to sign; empty where none does."""
    return str(transfer.offer.get("wanted_by", ""))


def senders_of(transfer: Transfer) -> list[str]:
    """Every wallet that was shown this transfer. Why not the last alone: whichever sends it has made it."""
    return [str(address) for address in transfer.offer.get("senders", [])]


def same_party(transfer: Transfer, address: str) -> bool:
    """Whether an address is the one that is to be paid. Why case matters on Solana alone: there it tells keys apart."""
    pair = (address, transfer.recipient)
    return pair[0] == pair[1] or (address.startswith("0x") and pair[0].lower() == pair[1].lower())


def unsigned_of(transfer: Transfer) -> dict[str, Any]:
    """What the wallet is asked to sign; empty while there is nothing."""
    found: dict[str, Any] = transfer.offer.get("unsigned", {})
    return found


def authorization_of(transfer: Transfer) -> dict[str, Any]:
    """The terms of an EIP-3009 authorization, with its signature once there is one; empty for other tokens."""
    found: dict[str, Any] = transfer.offer.get("authorization", {})
    return found


def signs_no_authorizations(transfer: Transfer, sender: str) -> bool:
    """Whether an authorization of this wallet's came to its end without the token ever taking its signature."""
    return sender in transfer.offer.get("plain_for", [])


def refused_of(transfer: Transfer) -> Refused | None:
    """What was last refused."""
    found = transfer.offer.get("refused")
    return None if not found else Refused(code=Refusal(found["code"]), tx_hash=found["tx_hash"])


def was_shown(transfer: Transfer) -> bool:
    """Whether a wallet was ever given something to sign for it."""
    return transfer.start_block is not None


def reported_at(transfer: Transfer) -> datetime | None:
    """When a wallet last reported a hash."""
    found = transfer.offer.get("told_at", "")
    return datetime.fromisoformat(found) if found else None


def offer_with(transfer: Transfer, refused: Refused | None = None, **facts: Any) -> dict[str, Any]:
    """The offer with these facts changed; what was refused before is over."""
    refusal = None if refused is None else {"code": refused.code.value, "tx_hash": refused.tx_hash}
    return {**transfer.offer, "refused": refusal, **facts}
