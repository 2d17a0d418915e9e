"""What the local Solana can do to a transaction between sending and finality, as real clusters do it."""

import base64
from collections.abc import Iterator
from typing import Any

import pytest
from solders.hash import Hash
from solders.keypair import Keypair
from solders.message import MessageV0
from solders.pubkey import Pubkey
from solders.system_program import TransferParams, transfer
from solders.transaction import VersionedTransaction

from localnet.solana.server import DevSolana, running

LIFETIME, FINAL_AFTER = 150, 32


@pytest.fixture
def node() -> Iterator[DevSolana]:
    with running(ticking=False, seed=b"forks") as made:
        yield made


def _sent(node: DevSolana) -> tuple[str, int]:
    """The signature of a payment of coins, and the last height that can hold it."""
    payer = Keypair()
    node.fund(str(payer.pubkey()))
    latest = node.rpc("getLatestBlockhash", {"commitment": "confirmed"})["value"]
    moved = transfer(TransferParams(from_pubkey=payer.pubkey(), to_pubkey=Pubkey(b"\x09" * 32), lamports=10**7))
    message = MessageV0.try_compile(payer.pubkey(), [moved], [], Hash.from_string(latest["blockhash"]))
    raw = base64.b64encode(bytes(VersionedTransaction(message, [payer]))).decode()
    signature = node.rpc("sendTransaction", raw, {"encoding": "base64", "preflightCommitment": "confirmed"})
    return str(signature), int(latest["lastValidBlockHeight"])


def _status(node: DevSolana, signature: str) -> Any:
    [status] = node.rpc("getSignatureStatuses", [signature], {"searchTransactionHistory": True})["value"]
    return status


def _slot_at(node: DevSolana, height: int) -> int:
    return int(node.head() - node.rpc("getBlockHeight", {"commitment": "processed"}) + height)


@pytest.mark.parametrize("slots", [0, LIFETIME - 1])
def test_what_travels_on_lands_within_its_life(node: DevSolana, slots: int) -> None:
    node.hold_next()
    signature, last = _sent(node)
    assert _status(node, signature) is None
    node.advance(slots)
    assert node.head() <= _slot_at(node, last)
    node.emerge(signature, node.head())
    assert _status(node, signature)["confirmationStatus"] == "processed"
    node.advance(FINAL_AFTER)
    assert _status(node, signature) == {
        "slot": node.head() - FINAL_AFTER, "confirmations": None, "err": None, "status": {"Ok": None},
        "confirmationStatus": "finalized",
    }  # fmt: skip


@pytest.mark.parametrize("late", [0, 1, FINAL_AFTER - 1])
def test_its_last_block_may_be_heard_of_until_it_is_final(node: DevSolana, late: int) -> None:
    node.hold_next()
    signature, last = _sent(node)
    slot = _slot_at(node, last)
    node.advance(slot + late - node.head())
    node.emerge(signature, slot)
    assert _status(node, signature)["slot"] == slot


@pytest.mark.parametrize(("place", "late"), [(0, FINAL_AFTER), (1, 1), (-LIFETIME, 0)], ids=["final", "old", "young"])
def test_no_other_block_can_hold_it(node: DevSolana, place: int, late: int) -> None:
    node.hold_next()
    signature, last = _sent(node)
    slot = _slot_at(node, last)
    node.advance(slot + late - node.head())
    with pytest.raises(ValueError, match="no block can hold it"):
        node.emerge(signature, slot + place)
    assert _status(node, signature) is None


def test_a_node_without_the_history_says_from_where_on_it_knows(node: DevSolana) -> None:
    signature, _ = _sent(node)
    landed = _status(node, signature)["slot"]
    assert node.rpc("getFirstAvailableBlock") <= landed
    node.advance(400)
    assert _status(node, signature)["slot"] == landed
    node.oldest = node.head() - 100
    assert node.rpc("getFirstAvailableBlock") == node.oldest
    assert _status(node, signature) is None
    assert node.rpc("getTransaction", signature, {"maxSupportedTransactionVersion": 0}) is None
