"""The simulated chain: what each behaviour shows, and when; and the names and addresses that it makes up."""

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
import time_machine
from solders.pubkey import Pubkey
from solders.signature import Signature

from chains.clients.base import BridgeReport, ObservedTransfer, Payer, PayerProof, SeenStatus, TransferKind
from chains.clients.script import Behaviour, SimulatedLeg, behaviour_named, synthetic_address
from chains.clients.simulated import SimulatedChain
from chains.models import SimulatedTransaction
from chains.registry import CHAINS, EVM_NATIVE_ADDRESS
from core.money import BaseUnits

pytestmark = [pytest.mark.django_db, pytest.mark.spec("Test mode")]

START = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)
PAYER, MERCHANT = "0x7e57000000000000000000000000000000000a11", "0x7e57000000000000000000000000000000000001"
USDC = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"
PARTIES: dict[str, Any] = {"owner": "m1", "sender": PAYER, "recipient": MERCHANT}
PLACES: dict[str, Any] = {"tag": "leg-1", "chain": "base", "to_chain": "base", "token": USDC, "destination_token": USDC}
SAME_CHAIN = SimulatedLeg(
    input_base_units=BaseUnits(25_100_000), output_base_units=BaseUnits(25_000_001), **PARTIES, **PLACES
)
BRIDGED = replace(SAME_CHAIN, chain="arbitrum", token="0xaf88d065e77c8cC2239327C5EDb3A432268e5831")
CHAIN = SimulatedChain()
BOTH = pytest.mark.parametrize("leg", [SAME_CHAIN, BRIDGED], ids=["one chain", "over a bridge"])


class World:
    def __init__(self, clock: time_machine.Traveller) -> None:
        self.clock = clock

    def wait(self, seconds: str) -> None:
        self.clock.shift(timedelta(milliseconds=int(Decimal(seconds) * 1000)))

    def send(self, leg: SimulatedLeg, behaviour: str = "settle") -> str:
        return SimulatedChain().broadcast(replace(leg, behaviour=behaviour))

    def status(self, leg: SimulatedLeg, tx_hash: str) -> SeenStatus | None:
        seen = CHAIN.find_transaction(leg.chain, tx_hash)
        return None if seen is None else seen.status

    def arrived(self, tag: str = "leg-1") -> list[int]:
        return [transfer.base_units for transfer in CHAIN.transfers(tag)]

    def credit(self) -> ObservedTransfer:
        [transfer] = CHAIN.transfers("leg-1")
        return transfer


@pytest.fixture
def world() -> Iterator[World]:
    with time_machine.travel(START, tick=False) as clock:
        yield World(clock)


def test_a_transfer_on_one_chain_is_one_transaction_that_lands_and_deepens(world: World) -> None:
    tx_hash = world.send(SAME_CHAIN)
    pending = CHAIN.find_transaction("base", tx_hash)
    assert pending is not None
    shown = (pending.status, pending.confirmations, pending.block_number, pending.block_time)
    assert shown == ("pending", 0, None, None)
    assert (pending.sender, pending.tag) == (PAYER, "leg-1")
    assert world.arrived() == []
    world.wait("0.5")
    landed = CHAIN.find_transaction("base", tx_hash)
    assert landed is not None
    assert (landed.status, landed.confirmations) == ("included", 0)
    assert landed.block_time == START + timedelta(milliseconds=500)
    assert world.credit() == ObservedTransfer(
        chain="base",
        tx_hash=tx_hash,
        kind=TransferKind.LOG,
        position="0",
        token_address=USDC,
        base_units=BaseUnits(25_000_001),
        sender=PAYER,
        recipient=MERCHANT,
        block_number=landed.block_number or 0,
        block_hash=landed.block_hash,
        block_time=landed.block_time,
        confirmations=0,
        is_finalized=True,
        payer=Payer(wallet=PAYER, proof=PayerProof.SENDER),
    )
    world.wait("0.6")
    assert world.credit().confirmations == 3
    world.wait("0.4")
    assert world.credit().confirmations == 5
    assert CHAIN.bridge_report("leg-1") is BridgeReport.DONE
    world.wait("315360000")
    assert world.credit().confirmations == 1_000_000  # a number that a database can hold


def test_every_chain_is_final_one_second_after_landing(world: World) -> None:
    required = {known.name: known.confirmations_required for known in CHAINS}
    for name in required:
        world.send(replace(SAME_CHAIN, tag=name, chain=name, to_chain=name))
    world.wait("1.499")
    assert [name for name in required if CHAIN.transfers(name)[0].confirmations >= required[name]] == []
    world.wait("0.001")
    assert {name: CHAIN.transfers(name)[0].confirmations for name in required} == required


@pytest.mark.spec("Contract 8.2")
def test_a_bridge_delivers_in_a_transaction_of_its_own_from_a_stranger(world: World) -> None:
    """It is unknown before it lands, and names the wallet that paid."""
    tx_hash = world.send(replace(BRIDGED, bridge_seconds=2))
    delivery = SimulatedTransaction.objects.get(role="delivery")
    assert CHAIN.bridge_report("leg-1") is BridgeReport.WAITING
    world.wait("2.499")
    assert (world.status(BRIDGED, tx_hash), world.arrived()) == (SeenStatus.INCLUDED, [])
    assert CHAIN.bridge_report("leg-1") is BridgeReport.WAITING
    assert CHAIN.find_transaction("base", delivery.tx_hash) is None
    world.wait("0.001")
    arrived, seen = world.credit(), CHAIN.find_transaction("base", delivery.tx_hash)
    assert seen is not None
    assert seen.status is SeenStatus.INCLUDED
    assert (arrived.chain, arrived.base_units, arrived.recipient) == ("base", 25_000_001, MERCHANT)
    assert arrived.tx_hash == delivery.tx_hash != tx_hash
    assert arrived.sender not in {PAYER, MERCHANT}
    assert (arrived.payer.wallet, arrived.payer.proof) == (PAYER, "sender")
    assert CHAIN.bridge_report("leg-1") is BridgeReport.DONE


AMOUNTS = {**dict.fromkeys(("settle", "payout_retry", ""), 25_000_001), "partial": 15_000_000, "overpay": 27_500_001}


@BOTH
def test_how_much_arrives(world: World, leg: SimulatedLeg) -> None:
    """A reverted transaction moves nothing."""
    reverted = {name: world.send(replace(leg, tag=name), name) for name in ("fail", "fail_execution")}
    assert {world.status(leg, tx_hash) for tx_hash in reverted.values()} == {SeenStatus.PENDING}
    for behaviour in AMOUNTS:
        world.send(replace(leg, tag=f"tag {behaviour}"), behaviour)
    world.wait("1.5")
    assert {behaviour: world.arrived(f"tag {behaviour}") for behaviour in AMOUNTS} == {
        behaviour: [amount] for behaviour, amount in AMOUNTS.items()
    }
    world.wait("3600")
    for name, tx_hash in reverted.items():
        assert (world.status(leg, tx_hash), world.arrived(name)) == (SeenStatus.REVERTED, [])
        assert (CHAIN.refund_of(name), CHAIN.bridge_report(name)) == (None, BridgeReport.UNKNOWN)


@BOTH
def test_a_bridge_that_gives_back_pays_the_payer_on_the_source_chain(world: World, leg: SimulatedLeg) -> None:
    tx_hash = world.send(leg, "bridge_refund")
    world.wait("1")
    assert CHAIN.refund_of("leg-1") is None
    assert CHAIN.bridge_report("leg-1") is BridgeReport.WAITING
    world.wait("0.5")
    refund = CHAIN.refund_of("leg-1")
    assert refund is not None
    assert (refund.chain, refund.token_address, refund.base_units) == (leg.chain, leg.token, 25_100_000)
    assert (refund.recipient, refund.tx_hash != tx_hash) == (PAYER, True)
    assert world.arrived() == []
    assert world.status(leg, tx_hash) is SeenStatus.INCLUDED
    assert CHAIN.bridge_report("leg-1") is BridgeReport.REFUNDED


@BOTH
def test_in_doubt_nobody_knows_for_ten_minutes(world: World, leg: SimulatedLeg) -> None:
    tx_hash = world.send(leg, "in_doubt")
    assert CHAIN.bridge_report("leg-1") is BridgeReport.WAITING
    world.wait("0.5")
    assert world.status(leg, tx_hash) is SeenStatus.INCLUDED
    assert CHAIN.bridge_report("leg-1") is BridgeReport.UNKNOWN
    world.wait("599.999")
    assert (world.arrived(), CHAIN.bridge_report("leg-1")) == ([], BridgeReport.UNKNOWN)
    world.wait("0.001")
    assert (world.arrived(), CHAIN.bridge_report("leg-1")) == ([25_000_001], BridgeReport.DONE)


@BOTH
def test_a_reorganised_credit_vanishes_and_returns_in_another_block(world: World, leg: SimulatedLeg) -> None:
    world.send(leg, "reorg")
    world.wait("1.5")
    first = world.credit()
    world.wait("1.999")
    assert world.credit().confirmations == 4
    world.wait("1.5")
    assert world.arrived() == []
    assert CHAIN.bridge_report("leg-1") is BridgeReport.WAITING
    world.wait("3")
    again = world.credit()
    for name in ("chain", "tx_hash", "kind", "position"):
        assert getattr(again, name) == getattr(first, name)
    assert (again.block_number, again.block_time) == (first.block_number + 1, first.block_time + timedelta(seconds=2))
    assert again.block_hash != first.block_hash
    world.wait("1")
    assert world.credit().confirmations >= 5


def test_a_reorganised_transfer_waits_among_the_pending(world: World) -> None:
    """And is never final on a chain of one confirmation."""
    tx_hash = world.send(SAME_CHAIN, "reorg")
    world.send(replace(SAME_CHAIN, tag="short", chain="moonbeam", to_chain="moonbeam"), "reorg")
    world.wait("3.4")
    assert [one.confirmations for one in CHAIN.transfers("short")] == [0]
    world.wait("0.6")
    assert world.status(SAME_CHAIN, tx_hash) is SeenStatus.PENDING
    world.wait("3")
    assert world.status(SAME_CHAIN, tx_hash) is SeenStatus.INCLUDED


@BOTH
def test_late_money_has_the_block_time_it_was_given(world: World, leg: SimulatedLeg) -> None:
    after = START + timedelta(minutes=31)
    tx_hash = world.send(replace(leg, block_time=after), "late")
    world.wait("1.5")
    seen = CHAIN.find_transaction(leg.chain, tx_hash)
    assert seen is not None
    assert (seen.block_time, world.credit().block_time) == (after, after)


def test_a_transaction_is_stuck_for_an_hour_replaced_or_dropped(world: World) -> None:
    """It lands late, or under another hash, or is seen and forgotten."""
    stuck = world.send(replace(BRIDGED, tag="stuck"), "stuck")
    told, dropped = world.send(SAME_CHAIN, "replaced"), world.send(replace(SAME_CHAIN, tag="leg-2"), "dropped")
    world.wait("2")
    assert (world.status(SAME_CHAIN, told), world.arrived()) == (None, [])
    world.wait("0.5")
    arrived = world.credit()
    assert arrived.tx_hash != told
    assert world.status(SAME_CHAIN, arrived.tx_hash) is SeenStatus.INCLUDED
    world.wait("0.499")
    assert world.status(SAME_CHAIN, dropped) is SeenStatus.PENDING
    world.wait("0.001")
    assert (world.status(SAME_CHAIN, dropped), world.arrived("leg-2")) == (None, [])
    assert CHAIN.bridge_report("leg-2") is BridgeReport.UNKNOWN
    world.wait("3597.499")
    assert (world.status(BRIDGED, stuck), world.arrived("stuck")) == (SeenStatus.PENDING, [])
    assert CHAIN.bridge_report("stuck") is BridgeReport.WAITING
    world.wait("0.001")
    assert world.status(BRIDGED, stuck) is SeenStatus.INCLUDED


def test_foreign_hashes_chains_and_tags_show_nothing(world: World) -> None:
    """And sending twice makes two events."""
    tx_hash = world.send(SAME_CHAIN)
    assert world.send(SAME_CHAIN) != tx_hash
    world.wait("10")
    assert len({(seen.chain, seen.tx_hash, seen.kind, seen.position) for seen in CHAIN.transfers("leg-1")}) == 2
    assert CHAIN.find_transaction("arbitrum", tx_hash) is None
    assert CHAIN.find_transaction("base", "0x" + "0" * 64) is None
    assert (CHAIN.transfers("leg-2"), CHAIN.refund_of("leg-2")) == ([], None)
    assert CHAIN.bridge_report("leg-2") is BridgeReport.UNKNOWN


def test_hashes_and_positions_look_like_their_chains(world: World) -> None:
    evm_native = replace(SAME_CHAIN, tag="native", token=EVM_NATIVE_ADDRESS, destination_token=EVM_NATIVE_ADDRESS)
    on_solana = replace(
        SAME_CHAIN, tag="solana", chain="solana", to_chain="solana", recipient="11111111111111111111111111111111"
    )
    evm_hash, solana_hash = world.send(evm_native), world.send(on_solana)
    world.wait("1")
    [native], [spl] = CHAIN.transfers("native"), CHAIN.transfers("solana")
    assert re.fullmatch(r"0x[0-9a-f]{64}", evm_hash)
    assert re.fullmatch(r"0x[0-9a-f]{64}", native.block_hash)
    assert (native.kind, native.position) == (TransferKind.TRACE, "0")
    assert str(Signature.from_string(solana_hash)) == solana_hash
    assert spl.kind is TransferKind.ACCOUNT
    assert len(bytes(Pubkey.from_string(spl.position))) == len(bytes(Pubkey.from_string(spl.block_hash))) == 32
    assert synthetic_address("base", "x") == synthetic_address("base", "x") != synthetic_address("base", "y")
    assert re.fullmatch(r"0x[0-9a-f]{40}", synthetic_address("moonbeam", "x"))
    assert {behaviour_named(name.value) for name in Behaviour} == set(Behaviour)
    assert behaviour_named("refund_fail") is Behaviour.SETTLE


def test_the_test_clock_brings_what_is_coming_and_keeps_what_has_come(world: World) -> None:
    """Also in steps."""
    world.send(replace(SAME_CHAIN, tag="old"))
    world.wait("2")
    old = CHAIN.transfers("old")[0]
    world.send(BRIDGED, "in_doubt")
    world.wait("1")
    SimulatedChain().shift("m1", 600)
    assert world.arrived() == [25_000_001]
    assert world.credit().block_time == START + timedelta(seconds=3)
    assert replace(CHAIN.transfers("old")[0], confirmations=old.confirmations) == old
    world.send(replace(BRIDGED, tag="steps"), "in_doubt")
    for _ in range(2):
        SimulatedChain().shift("m1", 300)
    assert world.arrived("steps") == []
    world.wait("0.5")
    [arrived] = CHAIN.transfers("steps")
    assert (arrived.base_units, arrived.block_time) == (25_000_001, START + timedelta(milliseconds=3_500))


def test_the_test_clock_carries_a_reorganisation_through_and_leaves_others_and_given_times_alone(world: World) -> None:
    given_time = START + timedelta(hours=1)
    world.send(SAME_CHAIN, "reorg")
    world.wait("1")
    first = world.credit()
    world.send(replace(BRIDGED, tag="late", block_time=given_time), "late")
    world.send(replace(SAME_CHAIN, owner="m2", tag="theirs"))
    SimulatedChain().shift("m1", 3)
    assert world.arrived() == []
    SimulatedChain().shift("m1", 57)
    assert world.credit().block_hash != first.block_hash
    assert [one.block_time for one in CHAIN.transfers("late")] == [given_time]
    assert CHAIN.transfers("theirs") == []
