"""Whether a transfer was sent already, as the chain itself says: this database may be older than its payment.

A transfer's reference is in all that was ever signed for it, so whoever mentions it is asked before each signature.
Source: docs/adr/0048-a-restored-database-pays-nothing-again.md.
"""

import base64
import logging
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from chains.clients.outcomes import Behind, CannotSay
from chains.clients.registry import SOLANA
from chains.clients.solana_endpoint import CONFIRMED, SolanaNode, whole
from chains.clients.solana_shown import NewerVersion, Shown, read_shown
from chains.errors import ChainUnavailable
from chains.finality import Finality
from chains.instructions.transactions import reference_of
from chains.models import SigningAccount, Transfer
from chains.rails.accounts import accounts_before
from chains.rails.solana.facts import BLOCKHASH_LIFETIME
from chains.signers.refusal import NotStored
from chains.signers.solana_contents import refuse_other_message
from core.clock import now

MOST_MENTIONS, MOST_PAGES = 1000, 4
"""In one answer of a node, and answers in one look.
Source: https://solana.com/docs/rpc/http/getsignaturesforaddress."""
MOST_OPENED = 50
"""Transactions opened in one look, the oldest first: nobody else knew the reference before it stood on the chain."""
SLOTS_A_SECOND = 3
"""More than there ever are: one takes 400 milliseconds."""
_LOGGER = logging.getLogger("causeway.chains")


@dataclass(frozen=True, kw_only=True, slots=True)
class Sent:
    """A transaction that is this very transfer, and stands in a block; ``raw`` in base64."""

    raw: str
    account: SigningAccount
    signature: str
    slot: int
    last_valid_height: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Past:
    """What one node says: nothing was sent up to ``slot``, which is final, but for these.

    ``others`` are signatures of what has the transfer's reference, and one of the accounts paid for, and is not as
    ordered: what was forgotten may have been over another amount, or to somebody else.
    ``is_whole`` is false where it cannot say: its history begins too late, or it has more to tell than can be read.
    """

    slot: int
    sent: tuple[Sent, ...]
    others: tuple[str, ...]
    is_whole: bool


def sent_before(transfer: Transfer) -> tuple[tuple[Sent, ...], tuple[str, ...]]:
    """What stands on the chain as this transfer, and what does under its mark and is not as ordered.

    Of two nodes both must say that there is nothing. Why one node's word is enough for something: what is taken up has
    the account's own signature over this very transfer. Raises: ChainUnavailable where nobody can say.
    """
    pool = SOLANA.pool(transfer.chain)
    question = partial(read_past, transfer=transfer, accounts=accounts_before(transfer))
    first, endpoint = pool.ask_one(question)
    words: list[Past | None] = [first]
    if pool.has_second and not first.sent:
        words.append(pool.ask_second(partial(question, least_slot=first.slot), endpoint))
    sent = [one for word in words if word is not None for one in word.sent]
    others = dict.fromkeys(one for word in words if word is not None for one in word.others)
    if not sent and not others and not all(word is not None and word.is_whole for word in words):
        _LOGGER.warning("past_unknown %s: nobody can say whether it was sent before", transfer.pk)
        raise ChainUnavailable(transfer.chain)
    return tuple(sent), tuple(others)


def read_past(node: SolanaNode, transfer: Transfer, accounts: Sequence[SigningAccount], least_slot: int = 0) -> Past:
    """What one node says. Raises: Behind where it is behind ``least_slot``."""
    if node.head < least_slot:
        raise Behind("behind the head of the chain")
    mentions, is_all = _mentions(node, transfer)
    landed = sorted((one for one in mentions if one["err"] is None), key=lambda one: whole(one["slot"]))
    opened = landed[:MOST_OPENED]
    found = [_read(node, str(one["signature"]), transfer, accounts) for one in opened]
    age = max(int((now() - transfer.created_at).total_seconds()), 0)
    ordered_at = max(node.head - age * SLOTS_A_SECOND, 0)
    # The node's history must begin before the transfer was ordered.
    is_whole = is_all and len(opened) == len(landed) and node.rpc.number("getFirstAvailableBlock") <= ordered_at
    return Past(
        slot=node.newest(Finality.FINALIZED),
        sent=tuple(one for one in found if isinstance(one, Sent)),
        others=tuple(one for one in found if isinstance(one, str)),
        is_whole=is_whole,
    )


def _mentions(node: SolanaNode, transfer: Transfer) -> tuple[list[Any], bool]:
    """What has the transfer's reference, the newest first, and whether that is all of it."""
    found: list[Any] = []
    options: dict[str, Any] = {"commitment": CONFIRMED, "limit": MOST_MENTIONS, "minContextSlot": node.head}
    for _ in range(MOST_PAGES):
        page = node.rpc.call("getSignaturesForAddress", reference_of(str(transfer.pk)), options)
        found += page
        if len(page) < MOST_MENTIONS:
            return found, True
        options = {**options, "before": str(page[-1]["signature"])}
    return found, False


def _read(
    node: SolanaNode, signature: str, transfer: Transfer, accounts: Sequence[SigningAccount]
) -> Sent | str | None:
    """The transaction, if it is what would be signed for this transfer; its signature alone, if an account of ours paid
    for it; None for anybody else's. Raises: CannotSay where it is not shown.
    """
    try:
        shown = read_shown(node, signature)
    except NewerVersion:
        return None
    if shown is None:
        raise CannotSay("a transaction that cannot be read")
    sender = next((account for account in accounts if _is_transfer(shown, transfer, account)), None)
    if shown.failed:
        return None
    if sender is None:
        payer = str(shown.message.account_keys[0])
        return signature if payer in {account.address for account in accounts} else None
    height = node.rpc.number("getBlockHeight", {"commitment": CONFIRMED})
    return Sent(
        raw=_raw(shown, signature),
        account=sender,
        signature=signature,
        slot=shown.slot,
        last_valid_height=height + BLOCKHASH_LIFETIME,
    )


def _is_transfer(shown: Shown, transfer: Transfer, account: SigningAccount) -> bool:
    """Whether it is exactly what the account signs for this row: sender, recipient, token, units, memo, reference."""
    from solders.message import to_bytes_versioned  # noqa: PLC0415  (slow import)

    try:
        refuse_other_message(bytes(to_bytes_versioned(shown.message)), transfer, account)
    except NotStored:
        return False
    return True


def _raw(shown: Shown, signature: str) -> str:
    from solders.signature import Signature  # noqa: PLC0415  (slow import)
    from solders.transaction import VersionedTransaction  # noqa: PLC0415  (slow import)

    signed = VersionedTransaction.populate(shown.message, [Signature.from_string(signature)])
    return base64.b64encode(bytes(signed)).decode()
