"""One landed transaction of Solana as one node shows it, whatever it is for, and where it stands."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from chains.clients.base import IssuedLeg, SeenStatus, SeenTransaction
from chains.clients.outcomes import Behind, EndpointFault, RpcRefusal
from chains.clients.solana_endpoint import CONFIRMED, SolanaNode, whole
from chains.instructions.transactions import read_transaction
from chains.registry import SOLANA_NATIVE_ADDRESS

if TYPE_CHECKING:
    from solders.message import Message, MessageV0, MessageV1

NEWEST_VERSION = 0
"""Of transactions. Why no newer one: what is issued here is of version 0, and signing does not change it."""
SHOWN_AS = {"encoding": "base64", "commitment": CONFIRMED, "maxSupportedTransactionVersion": NEWEST_VERSION}
"""How a transaction is asked for."""
_UNSUPPORTED_VERSION = -32015
_MOMENTS = ("preTokenBalances", "postTokenBalances")


class NewerVersion(Exception):
    """The transaction is of a version that nothing issued here has."""


@dataclass(frozen=True, kw_only=True)
class Shown:
    """A landed transaction: ``keys`` are all its accounts, those of lookup tables behind its own."""

    message: "Message | MessageV0 | MessageV1"
    keys: Sequence[str]
    slot: int
    is_finalized: bool
    meta: dict[str, Any]
    block_time: datetime

    @property
    def signers(self) -> int:
        """How many of the first accounts signed."""
        return int(self.message.header.num_required_signatures)

    @property
    def failed(self) -> bool:
        """Whether it landed and did nothing but cost its fee."""
        return self.meta["err"] is not None


def read_shown(node: SolanaNode, signature: str) -> Shown | None:
    """The transaction under a signature; None where the node cannot show it yet.

    Its message counts only with the signatures over it. Raises: Behind, EndpointFault, NewerVersion, ValueError.
    """
    [answer] = node.rpc.call_each("getTransaction", [(signature, SHOWN_AS)])
    return shown_of(node, signature, answer)


def shown_of(node: SolanaNode, signature: str, answer: Any) -> Shown | None:
    """The same out of a node's answer, or refusal. Raises: as ``read_shown``, and the refusal."""
    if isinstance(answer, RpcRefusal) and answer.code == _UNSUPPORTED_VERSION:
        raise NewerVersion(signature) from answer
    if isinstance(answer, Exception):
        raise answer
    if answer is None:
        return None
    if whole(answer["slot"]) > node.head:
        raise Behind("a transaction of a newer slot")
    text, encoding = answer["transaction"]
    transaction, meta = read_transaction(text), answer["meta"]
    is_asked_for = encoding == "base64" and str(transaction.signatures[0]) == signature
    if not is_asked_for or not all(transaction.verify_with_results()):
        raise EndpointFault("another transaction than was asked for")
    return Shown(
        message=transaction.message,
        keys=_keys(transaction.message, meta),
        slot=whole(answer["slot"]),
        is_finalized=node.is_finalized(whole(answer["slot"])),
        meta=meta,
        block_time=datetime.fromtimestamp(whole(answer["blockTime"]), UTC),
    )


def seen_as(node: SolanaNode, shown: Shown, signature: str, *, sender: str, tag: str) -> SeenTransaction:
    """Where it stands; with a ``tag`` it is a leg's own, and its block is named too."""
    seen = replace(
        foreign(SeenStatus.REVERTED if shown.failed else SeenStatus.INCLUDED),
        confirmations=node.depth(shown.slot),
        block_number=shown.slot,
        block_time=shown.block_time,
        sender=sender,
    )
    if not tag:
        return seen
    options = {"commitment": CONFIRMED, "transactionDetails": "none", "rewards": False}
    block = node.rpc.call("getBlock", shown.slot, options | {"maxSupportedTransactionVersion": NEWEST_VERSION})
    return replace(seen, tag=tag, tx_hash=signature, block_hash=str(block["blockhash"]))


def growth(shown: Shown, place: int, token: str, owner: str) -> int:
    """By how much the account at a place grew, by the chain's own record of it before and after.

    An account that holds another token, or is another's, holds nothing here.
    """
    if token == SOLANA_NATIVE_ADDRESS:
        return whole(shown.meta["postBalances"][place]) - whole(shown.meta["preBalances"][place])
    before, after = (_held(shown.meta[moment], place, token, owner) for moment in _MOMENTS)
    return after - before


def owner_of(shown: Shown, place: int, token: str) -> str:
    """Who owned the account of a token at a place before the transaction; empty where the chain says nothing."""
    entries = [one for one in shown.meta["preTokenBalances"] if one["accountIndex"] == place and one["mint"] == token]
    return str(entries[0]["owner"]) if entries else ""


def is_older(node: SolanaNode, leg: IssuedLeg, slot: int) -> bool:
    """Whether a slot was there before the leg."""
    start = leg.start_block
    return start is not None and slot < start and node.may_have_been(start)


def nowhere(leg: IssuedLeg, status: SeenStatus) -> SeenTransaction:
    """The leg's transaction while it stands in no block."""
    return replace(foreign(status), tag=leg.tag, sender=leg.sender)


def foreign(status: SeenStatus) -> SeenTransaction:
    """Something of which nothing else is known, or matters."""
    return SeenTransaction(status=status, confirmations=0, block_number=None, block_hash="", block_time=None)


def _keys(message: "Message | MessageV0 | MessageV1", meta: dict[str, Any]) -> list[str]:
    loaded = meta.get("loadedAddresses") or {"writable": [], "readonly": []}
    own = [str(key) for key in message.account_keys]
    keys = [*own, *(str(key) for key in [*loaded["writable"], *loaded["readonly"]])]
    if len(meta["preBalances"]) != len(keys) or len(meta["postBalances"]) != len(keys):
        raise EndpointFault("a transaction with other accounts")
    return keys


def _held(balances: Any, place: int, token: str, owner: str) -> int:
    for entry in balances:
        if entry["accountIndex"] == place and (entry["mint"], entry["owner"]) == (token, owner):
            amount = entry["uiTokenAmount"]["amount"]
            if not (isinstance(amount, str) and amount.isascii() and amount.isdigit()):
                raise ValueError("not an amount")
            return int(amount)
    return 0
