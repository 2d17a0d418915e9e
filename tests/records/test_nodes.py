"""How the verifier reads what nodes answer, by stubs. On real nodes: tests/live/test_verified_by_nodes.py."""

from typing import Any

import pytest
from causeway_sdk import nodes

TX, TOKEN, PAYER, SHOP = "0x" + "1" * 64, "0x" + "a" * 40, "0x" + "b" * 40, "0x" + "c" * 40
PAID = {
    "network": "mainnet", "chain": "base", "tx_hash": TX, "kind": "log", "position": "+1", "token_address": TOKEN,
    "sender": PAYER, "recipient": SHOP, "base_units": "25000000", "block_number": 7, "block_hash": "0x" + "d" * 64,
}  # fmt: skip
LOG = {
    "logIndex": "0x9",
    "address": TOKEN,
    "topics": [nodes.TRANSFER, "0x" + "0" * 24 + "e" * 40, "0x" + "0" * 24 + "c" * 40],
    "data": hex(25000000),
}
BESIDE = {**LOG, "logIndex": "0x8", "data": "0x1"}
SHOWN = {"status": "0x1", "from": PAYER, "blockNumber": "0x7", "blockHash": PAID["block_hash"], "logs": [BESIDE, LOG]}
GONE, NONE = f"base: no transaction {TX} that went through", f"base: {TX} holds no such transfer to {SHOP}"


def answering(**answers: Any) -> Any:
    """A node that answers each method so."""
    return lambda method, _params: answers[method]


def base_node(shown: Any, **more: Any) -> Any:
    block = {"transactions": ["0x2"]}
    also = {"eth_chainId": "0x2105", "eth_blockNumber": "0x9", "eth_getBlockByNumber": block}
    return answering(eth_getTransactionReceipt=shown, **also | more)


@pytest.mark.parametrize(
    ("shown", "problem"),
    [
        (SHOWN, None),
        (None, GONE),
        ({**SHOWN, "status": "0x0"}, GONE),
        ({**SHOWN, "logs": [BESIDE, {**LOG, "data": "0x1"}]}, NONE),
        ({**SHOWN, "logs": [BESIDE, {**LOG, "address": SHOP}]}, NONE),
        ({**SHOWN, "logs": [{**LOG, "logIndex": "0x8"}, {**BESIDE, "logIndex": "0x9"}]}, NONE),
        ({**SHOWN, "from": SHOP}, f"base: {TX} was not sent by {PAYER}"),
        ({**SHOWN, "blockHash": TX}, f"base: {TX} stands in another block than 7, {PAID['block_hash']}"),
        ({**SHOWN, "blockNumber": "0x8"}, f"base: {TX} stands in another block than 7, {PAID['block_hash']}"),
    ],
)
def test_a_node_shows_whether_the_chain_holds_what_a_receipt_says(shown: Any, problem: str | None) -> None:
    found = nodes.check_chain([PAID, {**PAID, "chain": "solana"}], "base", base_node(shown))
    assert found == ([problem] if problem else [])


@pytest.mark.parametrize(
    ("more", "why"),
    [
        ({"eth_chainId": "0x1"}, "it is a node of another chain"),
        ({"eth_blockNumber": "0x6"}, "it has come to block 6, and the transaction stands in 7"),
        ({"eth_getBlockByNumber": None}, "it keeps nothing of block 7 any more"),
        ({"eth_getBlockByNumber": {"transactions": [TX]}}, "it keeps nothing of block 7 any more"),
        ({"eth_blockNumber": None}, "its answer has another form: "),
    ],
)
def test_a_node_that_cannot_know_refutes_nothing(more: dict[str, Any], why: str) -> None:
    with pytest.raises(nodes.Unasked, match=f"^{why}"):
        nodes.check_chain([PAID], "base", base_node(None, **more))


def test_a_place_of_an_earlier_release_is_that_in_its_block() -> None:
    assert nodes.check_chain([{**PAID, "position": "9"}], "base", base_node(SHOWN)) == []
    assert nodes.check_chain([{**PAID, "position": "8"}], "base", base_node(SHOWN)) == [NONE]


def test_a_coin_that_a_contract_passed_on_is_found_by_its_call() -> None:
    coin = {**PAID, "kind": "trace", "position": "0.1", "token_address": "0x0"}
    call = {"to": SHOP, "value": hex(25000000)}
    for second, expected in ((call, []), ({**call, "value": "0x1"}, [NONE]), ({**call, "error": "reverted"}, [NONE])):
        trace = {"to": TOKEN, "value": "0x0", "calls": [{"to": TOKEN, "value": "0x0"}, second]}
        assert nodes.check_chain([coin], "base", base_node(SHOWN, debug_traceTransaction=trace)) == expected


def balance(units: int, owner: str = "Shop", mint: str = "Mint") -> dict[str, Any]:
    return {"accountIndex": 1, "owner": owner, "mint": mint, "uiTokenAmount": {"amount": str(units)}}


def sent(before: Any, after: Any, error: Any = None, *calls: Any) -> dict[str, Any]:
    keys = [{"pubkey": "Payer", "signer": True}, {"pubkey": "Account", "signer": False}]
    meta = {"err": error, "preTokenBalances": before, "postTokenBalances": after, "innerInstructions": []}
    return {"slot": 7, "meta": meta, "transaction": {"message": {"accountKeys": keys, "instructions": list(calls)}}}


def solana_node(shown: Any, **more: Any) -> Any:
    also = {"getBlock": {"blockhash": "Block"}, "getSlot": 9, "getFirstAvailableBlock": 1, "getGenesisHash": GENESIS}
    return answering(getTransaction=shown, **also | more)


GENESIS = "5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d"
ON_SOLANA = {
    "network": "mainnet", "chain": "solana", "tx_hash": "Sig", "kind": "account", "position": "Account",
    "token_address": "Mint", "sender": "Payer", "recipient": "Shop", "base_units": "25000000", "block_number": 7,
    "block_hash": "Block",
}  # fmt: skip
NOT_SO, NO_SIG = "solana: Sig holds no such transfer to Shop", "solana: no transaction Sig that went through"
PART = {"parsed": {"info": {"destination": "Account", "tokenAmount": {"amount": "25000000"}}}}


@pytest.mark.parametrize(
    ("shown", "problem"),
    [
        (sent([balance(5)], [balance(25000005)]), None),
        (sent([], [balance(25000000)]), None),
        (sent([balance(5)], [balance(25000004)]), NOT_SO),
        (sent([balance(5)], [balance(25000006)]), NOT_SO),
        (sent([balance(5)], [balance(25000006)], None, PART), None),
        (sent([], [balance(25000000, "Other")]), NOT_SO),
        (sent([], [balance(25000000, mint="Other")]), NOT_SO),
        (sent([], [balance(25000000)], {"InstructionError": []}), NO_SIG),
        (None, NO_SIG),
    ],
)
def test_a_node_of_solana_shows_it_by_what_the_account_gained(shown: Any, problem: str | None) -> None:
    assert nodes.check_chain([ON_SOLANA], "solana", solana_node(shown)) == ([problem] if problem else [])
    assert nodes.check_chain([ON_SOLANA], "base", base_node(None)) == ["base: the receipt has no transaction there"]


@pytest.mark.parametrize("more", [{"getSlot": 6}, {"getFirstAvailableBlock": 8}, {"getGenesisHash": "Devnet"}])
def test_nor_does_a_node_of_solana_that_cannot_know(more: dict[str, Any]) -> None:
    with pytest.raises(nodes.Unasked):
        nodes.check_chain([ON_SOLANA], "solana", solana_node(None, **more))
