"""What a bridge's fill brings: the transfer that the order is of, and nothing that came beside it."""

from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock

import pytest

from chains.clients.across import SPOKE_POOLS, Order, fill_topic
from chains.clients.base import IssuedLeg, Mark
from chains.clients.evm_bridges import arrival_at
from chains.clients.evm_reading import TRANSFER_TOPIC
from chains.registry import chain
from core.money import BaseUnits

USDC, WETH = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913", "0x4200000000000000000000000000000000000006"
MERCHANT, RELAYER = "0x52908400098527886E0F7030069857D2E4169EE7", "0x8617E340B3D01FA5F11F306F4090FD50E238070D"
HASH, BLOCK_HASH = bytes.fromhex("7e" * 32), bytes.fromhex("57" * 32)
ORDER = Order(
    origin_chain_id=42161,
    deposit_id=7,
    fill_deadline=1_900_000_000,
    input_base_units=BaseUnits(25_100_000),
    output_base_units=BaseUnits(25_000_000),
)


def _word(number: int | str) -> bytes:
    return (int(number, 16) if isinstance(number, str) else number).to_bytes(32)


def _moved(place: int, token: str, units: int) -> dict[str, Any]:
    topics = [TRANSFER_TOPIC, _word(RELAYER), _word(MERCHANT)]
    return {"address": token, "topics": topics, "data": _word(units), "logIndex": place}


def _filled(place: int, order: Order, token: str) -> dict[str, Any]:
    words: list[int | str] = [0] * 15
    words[1:4] = [token, order.input_base_units, order.output_base_units]
    words[5], words[11], words[13] = order.fill_deadline, MERCHANT, order.output_base_units
    topics = [
        bytes.fromhex(fill_topic()[2:]),
        *(_word(one) for one in (order.origin_chain_id, order.deposit_id, RELAYER)),
    ]
    data = b"".join(_word(word) for word in words)
    return {"address": SPOKE_POOLS["base"], "topics": topics, "data": data, "logIndex": place}


def _node(logs: list[dict[str, Any]]) -> Any:
    """A node that shows one transaction, of the relayer's."""
    receipt = {
        "transactionHash": HASH, "blockNumber": 100, "blockHash": BLOCK_HASH, "status": 1, "from": RELAYER,
        "logs": logs,
    }  # fmt: skip
    eth = SimpleNamespace(get_transaction=lambda _: {"hash": HASH}, get_transaction_receipt=lambda _: receipt)
    block = {"hash": BLOCK_HASH, "timestamp": 1_800_000_000}
    return Mock(
        web3=SimpleNamespace(eth=eth),
        chain=chain("base"),
        head=200,
        block=lambda _: block,
        depth=lambda *_: 50,
        is_finalized=lambda _: True,
    )


@pytest.mark.spec("Rulings C11.1")
def test_what_a_relayer_brings_beside_a_fill_is_nobodys() -> None:
    """Other tokens, others' orders to the same merchant and more of the same token: nothing says whose they are."""
    another = Order.parse(str(ORDER).replace(":7:", ":8:"))
    logs = [
        _filled(10, ORDER, USDC), _moved(11, USDC, 25_000_000), _moved(12, WETH, 3 * 10**15), _moved(13, USDC, 5),
        _filled(14, another, WETH), _moved(15, WETH, 25_000_000),
    ]  # fmt: skip
    leg = IssuedLeg(
        tag="7e570000-0000-4000-8000-000000000001",
        chain="arbitrum",
        to_chain="base",
        sender=RELAYER,
        recipient=MERCHANT,
        token_address=USDC,
        bridge="across",
        order_id=str(ORDER),
        marked_there=("0x" + HASH.hex(),),
        there_read_to=150,
    )
    arrival = arrival_at(_node(logs), leg, str(ORDER))
    brought = [(one.token_address, one.base_units, one.position, one.mark) for one in arrival.transfers]
    assert brought == [(USDC, 25_000_000, "+1", Mark.ORDER)]
    assert (arrival.unsaid, arrival.is_void) == ({}, False)
