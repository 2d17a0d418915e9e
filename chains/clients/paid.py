"""Asks the nodes what a transaction did for one recipient, from its receipt alone: for the checker, not for the rails.

Why beside the rails' own reading: what checks them must not share their mistakes.
"""

from enum import StrEnum
from typing import Any

from chains.clients.evm_endpoint import Node
from chains.clients.registry import EVM, SOLANA
from chains.clients.solana_endpoint import FINALIZED, SolanaNode
from chains.errors import ChainUnavailable
from chains.registry import Chain, Family, chain
from core.money import BaseUnits

TRANSFER_TOPIC = "ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef"


class Landing(StrEnum):
    """What a chain says of a transaction."""

    UNKNOWN = "that it knows no such transaction"
    REVERTED = "that it moved nothing"
    OTHERWISE = "that it moved something else"
    AS_ORDERED = "that it did as ordered"


def landing_of(chain_name: str, tx_hash: str, *, token: str, recipient: str, units: BaseUnits) -> Landing:
    """Whether a transaction gave a recipient exactly these units. Raises: ChainUnavailable. No transaction is open."""
    known = chain(chain_name)
    if known is None:
        raise ChainUnavailable(chain_name)
    if known.family is Family.SOLANA:
        return SOLANA.pool(known.name).ask(lambda node: _on_solana(node, known, tx_hash, (token, recipient, units)))
    return EVM.pool(known.name).ask(lambda node: _on_evm(node, known, tx_hash, (token, recipient, units)))


def _on_evm(node: Node, known: Chain, tx_hash: str, ordered: tuple[str, str, BaseUnits]) -> Landing:
    receipt = _answer(node, "eth_getTransactionReceipt", tx_hash)
    if receipt is None:
        return Landing.UNKNOWN
    if int(receipt["status"], 16) != 1:
        return Landing.REVERTED
    token, recipient, units = ordered
    if token == known.native_address:
        sent = _answer(node, "eth_getTransactionByHash", tx_hash)
        paid = [(token, str(sent["to"]).lower(), int(sent["value"], 16))]
    else:
        whole = [log for log in receipt["logs"] if len(log["topics"]) == len(("event", "from", "to"))]
        transfers = [log for log in whole if str(log["topics"][0]).removeprefix("0x") == TRANSFER_TOPIC]
        paid = [
            (str(log["address"]).lower(), "0x" + str(log["topics"][2])[-40:].lower(), int(log["data"], 16))
            for log in transfers
        ]
    wanted = (token.lower(), recipient.lower(), int(units))
    return Landing.AS_ORDERED if paid.count(wanted) == 1 else Landing.OTHERWISE


def _answer(node: Node, method: str, tx_hash: str) -> Any:
    """The node's own words, read by nobody in between."""
    answered: Any = node.web3.provider.make_request(method, [tx_hash])  # type: ignore[arg-type]  # a name that its list of names has
    return answered["result"]


def _on_solana(node: SolanaNode, known: Chain, tx_hash: str, ordered: tuple[str, str, BaseUnits]) -> Landing:
    options = {"encoding": "jsonParsed", "commitment": FINALIZED, "maxSupportedTransactionVersion": 0}
    found = node.rpc.call("getTransaction", tx_hash, options)
    if found is None:
        return Landing.UNKNOWN
    meta = found["meta"]
    if meta["err"] is not None:
        return Landing.REVERTED
    token, recipient, units = ordered
    if token == known.native_address:
        names = [account["pubkey"] for account in found["transaction"]["message"]["accountKeys"]]
        place = names.index(recipient) if recipient in names else None
        gained = 0 if place is None else meta["postBalances"][place] - meta["preBalances"][place]
    else:
        # What the recipient holds of the mint over all its token accounts.
        before, after = (
            sum(
                int(one["uiTokenAmount"]["amount"])
                for one in meta[name] or ()
                if one["mint"] == token and one["owner"] == recipient
            )
            for name in ("preTokenBalances", "postTokenBalances")
        )
        gained = after - before
    return Landing.AS_ORDERED if gained == int(units) else Landing.OTHERWISE
