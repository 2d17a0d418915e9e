"""Holds what a receipt says of a chain against a node of that chain. It uses nothing but Python's own library.

What is compared: docs/flight-record.md of the service, Get and check one.
"""

from __future__ import annotations

import json
import urllib.request
from collections.abc import Callable, Iterable
from http.client import HTTPException
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from causeway_sdk.records import Report

TRANSFER = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef"
"""The first topic of an ERC-20 transfer's log."""
_IDS = {"ethereum": "0x1", "base": "0x2105", "arbitrum": "0xa4b1", "optimism": "0xa", "polygon": "0x89", "bnb": "0x38"}
CHAINS = {**_IDS, "solana": "5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d"}
"""How nodes say which chain they are of: by EIP-155, and Solana's by its first block."""
SOL = "11111111111111111111111111111111"

Ask = Callable[[str, list[Any]], Any]
"""Asks a node: a method and its parameters, for the result."""


class Unasked(OSError):
    """A node cannot say: it is another chain's, has not come so far, or keeps nothing so old."""


def check_chain(transactions: Iterable[dict[str, Any]], chain: str, ask: Ask) -> list[str]:
    """What a chain does not hold of a receipt's transactions. Raises: OSError where its node cannot say."""
    mine = [one for one in transactions if one["chain"] == chain]
    check = _not_on_solana if chain == "solana" else _not_on_evm
    try:
        _expect_chain(chain, mine, ask)
        found = [f"{chain}: {words}" for one in mine if (words := check(one, ask))]
    except (KeyError, IndexError, TypeError, AttributeError, ValueError) as error:
        raise Unasked(f"its answer has another form: {error!r}") from None
    return found if mine else [f"{chain}: the receipt has no transaction there"]


def ask_nodes(report: Report, nodes: Iterable[str]) -> None:
    """Hold a receipt's transactions against nodes, each ``CHAIN=URL``: adds what does not hold, and what none said."""
    transactions = report.facts.get("transactions", [])
    for chain, _, url in (one.partition("=") for one in nodes):
        for part in [[one] for one in transactions if one["chain"] == chain] or [[]]:
            try:
                report.problems += check_chain(part, chain, node(url))
            except (OSError, ValueError) as error:
                report.unasked.append(f"{chain}: could not ask its node: {error}")


def _expect_chain(chain: str, mine: list[dict[str, Any]], ask: Ask) -> None:
    """Whether a node is of this chain. Raises: Unasked."""
    said = ask("getGenesisHash" if chain == "solana" else "eth_chainId", [])
    is_known = chain != "solana" or any(one["network"] == "mainnet" for one in mine)
    if is_known and CHAINS.get(chain) not in {None, said}:
        raise Unasked("it is a node of another chain")


def _not_on_evm(one: dict[str, Any], ask: Ask) -> str:
    shown = ask("eth_getTransactionReceipt", [one["tx_hash"]])
    if shown is None:
        _expect_block(one, ask)
    if shown is None or shown["status"] != "0x1":
        return f"no transaction {one['tx_hash']} that went through"
    is_it = _is_transfer(shown["logs"], one) if one["kind"] == "log" else _is_coin(one, ask)
    if not is_it:
        return f"{one['tx_hash']} holds no such transfer to {one['recipient']}"
    if shown["from"].lower() != one["sender"].lower():
        return f"{one['tx_hash']} was not sent by {one['sender']}"
    return _elsewhere(one, int(shown["blockNumber"], 16), shown["blockHash"].lower(), one["block_hash"].lower())


def _elsewhere(one: dict[str, Any], number: int, block_hash: str, said: str) -> str:
    is_there = (number, block_hash) == (one["block_number"], said)
    return "" if is_there else f"{one['tx_hash']} stands in another block than {one['block_number']}, {said}"


def _expect_block(one: dict[str, Any], ask: Ask) -> None:
    """Whether a node that does not know a transaction would know it. Raises: Unasked where it would not."""
    number, head = one["block_number"], int(ask("eth_blockNumber", []), 16)
    if head < number:
        raise Unasked(f"it has come to block {head}, and the transaction stands in {number}")
    block = ask("eth_getBlockByNumber", [hex(number), False])
    if block is None or one["tx_hash"] in block["transactions"]:
        raise Unasked(f"it keeps nothing of block {number} any more")


def _is_transfer(logs: list[dict[str, Any]], one: dict[str, Any]) -> bool:
    """Whether the log at its place is that transfer, whoever it came from: an exchange or a bridge may have paid."""
    place, first = one["position"], int(logs[0]["logIndex"], 16) if logs else 0
    index = first + int(place) if place.startswith("+") else int(place)
    found = [log for log in logs if int(log["logIndex"], 16) == index]
    topics = [topic.lower() for log in found for topic in log["topics"]]
    recipient = "0x" + one["recipient"].lower().removeprefix("0x").rjust(64, "0")
    is_it = topics[:1] + topics[2:] == [TRANSFER, recipient] and int(found[0]["data"], 16) == int(one["base_units"])
    return is_it and bool(found[0]["address"].lower() == one["token_address"].lower())


def _is_coin(one: dict[str, Any], ask: Ask) -> bool:
    """Whether the transaction, or the call in it that has this place, sent the chain's own coin."""
    _, *inner = map(int, one["position"].split("."))
    method, how = ("debug_traceTransaction", [{"tracer": "callTracer"}]) if inner else ("eth_getTransactionByHash", [])
    call: dict[str, Any] = ask(method, [one["tx_hash"], *how])
    missing: dict[str, Any] = {"error": "none is there"}
    for number in inner:
        calls: list[dict[str, Any]] = call.get("calls", [])
        call = dict(enumerate(calls)).get(number) or missing
        if call.get("error"):
            return False
    is_its = (call["to"] or "").lower() == one["recipient"].lower()
    return is_its and int(call["value"], 16) == int(one["base_units"])


def _not_on_solana(one: dict[str, Any], ask: Ask) -> str:
    final = {"commitment": "finalized", "maxSupportedTransactionVersion": 0}
    shown, slot = ask("getTransaction", [one["tx_hash"], {**final, "encoding": "jsonParsed"}]), one["block_number"]
    if shown is None:
        head, first = ask("getSlot", [{"commitment": "finalized"}]), ask("getFirstAvailableBlock", [])
        if not first <= slot <= head:
            raise Unasked(f"it keeps blocks {first} to {head}, and the transaction stands in {slot}")
    if shown is None or shown["meta"]["err"] is not None:
        return f"no transaction {one['tx_hash']} that went through"
    accounts = shown["transaction"]["message"]["accountKeys"]
    keys = {key["pubkey"]: place for place, key in enumerate(accounts)}
    if one["position"] not in keys or not _is_gain(shown, keys[one["position"]], one):
        return f"{one['tx_hash']} holds no such transfer to {one['recipient']}"
    if one["sender"] not in [key["pubkey"] for key in accounts if key["signer"]]:
        return f"{one['tx_hash']} was not sent by {one['sender']}"
    block = ask("getBlock", [shown["slot"], {**final, "transactionDetails": "none", "rewards": False}])
    return _elsewhere(one, shown["slot"], block["blockhash"], one["block_hash"])


def _is_gain(shown: dict[str, Any], place: int, one: dict[str, Any]) -> bool:
    """Whether an account gained that much: all in all, or more and a transfer of so much is in it."""
    meta, units = shown["meta"], int(one["base_units"])
    if one["token_address"] == SOL:
        gained = meta["postBalances"][place] - meta["preBalances"][place] if one["position"] == one["recipient"] else 0
    else:
        before, after = (_held(meta[name], place, one) for name in ("preTokenBalances", "postTokenBalances"))
        gained = after - before
    calls = shown["transaction"]["message"]["instructions"]
    return gained == units or (gained > units > 0 and any(_is_paid(call, one) for call in calls))


def _held(balances: list[dict[str, Any]], place: int, one: dict[str, Any]) -> int:
    """What the recipient held of the token in the account at a place."""
    asked = (place, one["recipient"], one["token_address"])
    own = (b for b in balances if (b["accountIndex"], b.get("owner"), b["mint"]) == asked)
    return sum(int(b["uiTokenAmount"]["amount"]) for b in own)


def _is_paid(call: dict[str, Any], one: dict[str, Any]) -> bool:
    """Whether a call, as the node reads it, is the transfer."""
    parsed: dict[str, Any] = call["parsed"] if type(call.get("parsed")) is dict else {}  # of a memo it is a text
    info: dict[str, Any] = parsed.get("info", {})
    amount: dict[str, Any] = info.get("tokenAmount", {})
    units: Any = info.get("amount") or info.get("lamports") or amount.get("amount")
    return bool(info.get("destination") == one["position"] and str(units) == one["base_units"])


def node(url: str) -> Ask:
    """A node by its address. Raises, when asked: OSError; ValueError for an answer that is none."""

    def ask(method: str, params: list[Any]) -> Any:
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode()
        request = urllib.request.Request(url, body, {"Content-Type": "application/json"})  # noqa: S310 - as chosen
        try:
            with urllib.request.urlopen(request, timeout=20) as answer:  # noqa: S310 - as chosen
                told = json.load(answer)
        except HTTPException as cut_off:
            raise OSError(f"its answer is cut off: {cut_off!r}") from None
        if "error" in told:
            raise OSError(f"{method}: {told['error'].get('message')}")
        return told["result"]

    return ask
