"""Deposits on Solana whose order's id only the program's own event tells, and events that others made up.

The stand-in for Across's program tells none, so a proxy before the node writes them into what the node answers, in the
shape of a real node's.
"""

import base64
import hashlib
import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any
from uuid import uuid4

import pytest
from solders.instruction import Instruction
from solders.keypair import Keypair
from solders.pubkey import Pubkey

from chains.base58 import base58
from chains.clients.across import Order
from chains.clients.base import Departure, IssuedLeg, SeenStatus
from chains.clients.registry import SOLANA
from chains.clients.solana_transactions import read_transaction, reference_of, unsigned_transaction
from chains.errors import ChainUnavailable
from chains.instructions.bridge_transaction import BridgePayer, bridge_instructions
from chains.instructions.svm_spoke import DepositKind, SvmDeposit
from localnet.solana.money import ONE_SOL, USDC, USDT
from localnet.solana.server import DevSolana
from localnet.solana.spoke import EVENT_AUTHORITY, PROGRAM, place
from tests.live.proxy import Proxy, proxied
from tests.live.solana_till import rewritten

EVENT_TAG = bytes.fromhex("e445a52e51cb9a1d")
DEPOSITED = hashlib.sha256(b"event:FundsDeposited").digest()[:8]
UNSAFE_ID_CALL = hashlib.sha256(b"global:get_unsafe_deposit_id").digest()[:8]
RECIPIENT, OUTPUT = bytes(12) + b"\1" * 20, bytes(12) + b"\2" * 20
PAID, GIVEN, ID, DEADLINE, NOW = 25_000_000, 24_900_000, 113_061, 1_800_010_800, 1_800_000_000
FORM = "<32s32sQ32sQ32sIII32s32s32sI"
Group = dict[str, Any]


@dataclass(kw_only=True)
class Sender:
    """A payer whose deposit is under way, and a node of which the answers can be changed."""

    node: DevSolana
    proxy: Proxy
    kind: DepositKind
    payer: Keypair
    tag: str

    @property
    def deposit(self) -> SvmDeposit:
        """What is deposited."""
        is_now = self.kind is DepositKind.DEPOSIT_NOW
        return SvmDeposit(
            kind=self.kind, depositor=str(self.payer.pubkey()), recipient=RECIPIENT, input_token=USDC,
            output_token=OUTPUT, input_amount=PAID, output_amount=GIVEN, destination_chain_id=8453,
            exclusive_relayer=bytes(32), quote_timestamp=0 if is_now else NOW,
            fill_deadline=10_800 if is_now else DEADLINE, exclusivity=0, message=b"",
        )  # fmt: skip

    def issued(self) -> str:
        """The unsigned transaction."""
        who = BridgePayer(address=str(self.payer.pubkey()), token_address=USDC, decimals=6, network_profile="localnet")
        latest = self.node.rpc("getLatestBlockhash", {"commitment": "confirmed"})["value"]["blockhash"]
        return unsigned_transaction(who.address, bridge_instructions(self.deposit, self.tag, who), latest)

    def leg(self, **changes: Any) -> IssuedLeg:
        """The leg as it was issued."""
        made = IssuedLeg(
            tag=self.tag, chain="solana", to_chain="base", sender=str(self.payer.pubkey()),
            recipient="0x" + "01" * 20, token_address="0x" + "02" * 20, reference=reference_of(self.tag),
            issued_transaction=self.issued(), bridge="across", start_block=0,
        )  # fmt: skip
        return replace(made, **changes)

    def looked(self, lie: Callable[[Group], Any] | None = None) -> Departure:
        """Send it, and look through a node that shows the event, or what a test makes of it."""
        leg = self.leg()
        self.node.send(self.payer, leg.issued_transaction)
        self.tell(lie or (lambda _: None))
        return SOLANA.departure(leg)

    def tell(self, lie: Callable[[Group], Any]) -> None:
        """Let the node show the event that the program would tell."""

        def bend(method: str, result: Any) -> Any:
            if method != "getTransaction" or result is None:
                return result
            own = keys_of(result)
            event = {
                "programIdIndex": own.index(str(PROGRAM)),
                "accounts": [own.index(str(EVENT_AUTHORITY))],
                "data": base58(self.event()),
                "stackHeight": 2,
            }
            group = {"index": 2, "instructions": [event]}
            result["meta"]["innerInstructions"] = [group]
            lie(result["meta"]["innerInstructions"][0] | {"meta": result["meta"], "own": own})
            return result

        self.proxy.bend = bend

    def event(self, **changes: Any) -> bytes:
        """The event's bytes."""
        fields: dict[str, Any] = {
            "given": bytes_of(USDC), "taken": OUTPUT, "paid": PAID, "promised": GIVEN.to_bytes(32),
            "destination": 8453, "id": ID.to_bytes(32), "quoted": NOW, "deadline": DEADLINE, "exclusivity": 0,
            "depositor": bytes(self.payer.pubkey()), "recipient": RECIPIENT, "relayer": bytes(32),
            "message": 0,
        }  # fmt: skip
        return EVENT_TAG + DEPOSITED + struct.pack(FORM, *(fields | changes).values())


def keys_of(answer: dict[str, Any]) -> list[str]:
    """The accounts of a transaction that a node showed."""
    return [str(key) for key in read_transaction(answer["transaction"][0]).message.account_keys]


def bytes_of(address: str) -> bytes:
    """An address of Solana as 32 bytes."""
    return bytes(Pubkey.from_string(address))


@pytest.fixture
def make_sender(
    solana_node: DevSolana, nodes: Callable[..., None], impatient: None, db: None
) -> Iterator[Callable[..., Sender]]:
    """Makes payers with 1,000 USDC before a node that a proxy stands in front of."""
    place(solana_node)
    with proxied(solana_node.url) as proxy:
        nodes("solana", proxy.url)

        def make(kind: DepositKind = DepositKind.DEPOSIT) -> Sender:
            payer = Keypair()
            solana_node.fund(str(payer.pubkey()), ONE_SOL)
            solana_node.mint(USDC, str(payer.pubkey()), 1_000_000_000)
            return Sender(node=solana_node, proxy=proxy, kind=kind, payer=payer, tag=str(uuid4()))

        yield make


@pytest.mark.parametrize("kind", [DepositKind.DEPOSIT, DepositKind.DEPOSIT_NOW])
def test_the_programs_event_names_the_order(make_sender: Callable[..., Sender], kind: DepositKind) -> None:
    found = make_sender(kind).looked()
    assert found.seen is not None
    assert (found.seen.status, found.seen.tag != "") == (SeenStatus.INCLUDED, True)
    assert Order.parse(found.order_id) == Order(
        origin_chain_id=34268394551451,
        deposit_id=ID,
        fill_deadline=DEADLINE,
        input_base_units=PAID,  # type: ignore[arg-type]  # plain numbers are what is compared
        output_base_units=GIVEN,  # type: ignore[arg-type]  # as above
    )


def test_an_unsafe_deposit_names_it_itself(make_sender: Callable[..., Sender]) -> None:
    sender = make_sender(DepositKind.UNSAFE_DEPOSIT)
    found = sender.looked(lambda group: group["meta"].pop("innerInstructions"))
    assert Order.parse(found.order_id).deposit_id > 2**200


def _event_is(**fields: Any) -> Callable[[Group], Any]:
    def lie(group: Group) -> None:
        group["instructions"][0].update(fields)

    return lie


def _data_is(made: Callable[[Sender], bytes]) -> Callable[[Sender], Callable[[Group], Any]]:
    return lambda sender: _event_is(data=base58(made(sender)))


def _in_meta(change: Callable[[dict[str, Any]], Any]) -> Callable[[Sender], Callable[[Group], Any]]:
    return lambda _: lambda group: change(group["meta"])


def _twice(meta: dict[str, Any]) -> None:
    meta["innerInstructions"][0]["instructions"] *= 2


def _by_another(group: Group) -> None:
    group["instructions"][0]["programIdIndex"] = group["own"].index(USDC)


def _without_seal(group: Group) -> None:
    group["instructions"][0]["accounts"] = [0]


def _with_more(group: Group) -> None:
    group["instructions"][0]["accounts"] = [*group["instructions"][0]["accounts"], 0]


FORGED: dict[str, Callable[[Sender], Callable[[Group], Any]]] = {
    "no event": _in_meta(lambda meta: meta.update(innerInstructions=[])),
    "two events": _in_meta(_twice),
    "under another instruction": _in_meta(lambda meta: meta["innerInstructions"][0].update(index=1)),
    "made by what it called": lambda _: _event_is(stackHeight=3),
    "another program's": lambda _: _by_another,
    "without the program's seal": lambda _: _without_seal,
    "with another account": lambda _: _with_more,
    "behind a harmless call": _data_is(lambda sender: UNSAFE_ID_CALL + sender.event()[8:]),
    "behind a whole harmless call": _data_is(lambda sender: UNSAFE_ID_CALL + bytes(72) + sender.event()),
    "another event": _data_is(lambda sender: EVENT_TAG + bytes(8) + sender.event()[16:]),
    "cut short": _data_is(lambda sender: sender.event()[:-1]),
    "with a tail": _data_is(lambda sender: sender.event() + b"\0"),
    "other input token": _data_is(lambda sender: sender.event(given=bytes_of(USDT))),
    "other output token": _data_is(lambda sender: sender.event(taken=RECIPIENT)),
    "other input": _data_is(lambda sender: sender.event(paid=PAID + 1)),
    "other output": _data_is(lambda sender: sender.event(promised=(GIVEN - 1).to_bytes(32))),
    "other destination": _data_is(lambda sender: sender.event(destination=10)),
    "other quote": _data_is(lambda sender: sender.event(quoted=NOW + 1)),
    "other deadline": _data_is(lambda sender: sender.event(deadline=DEADLINE + 1)),
    "other depositor": _data_is(lambda sender: sender.event(depositor=RECIPIENT)),
    "other recipient": _data_is(lambda sender: sender.event(recipient=OUTPUT)),
    "other relayer": _data_is(lambda sender: sender.event(relayer=OUTPUT)),
}


def test_no_other_event_names_an_order(make_sender: Callable[..., Sender]) -> None:
    sender = make_sender()
    leg = sender.leg()
    sender.node.send(sender.payer, leg.issued_transaction)
    for name, made in FORGED.items():
        sender.tell(made(sender))
        found = SOLANA.departure(leg)
        assert found.seen is not None
        assert (name, found.seen.tag, found.order_id) == (name, sender.tag, "")
    sender.tell(lambda _: None)
    assert SOLANA.departure(leg).order_id != ""


def test_a_node_that_keeps_no_events_is_not_asked(make_sender: Callable[..., Sender]) -> None:
    with pytest.raises(ChainUnavailable):
        make_sender().looked(lambda group: group["meta"].update(innerInstructions=None))


def test_a_failed_deposit_opens_nothing(make_sender: Callable[..., Sender]) -> None:
    sender = make_sender()
    leg = sender.leg()

    def fails(calls: list[Instruction]) -> list[Instruction]:
        return [*calls, Instruction(calls[1].program_id, b"\xff", [])]

    sender.node.send(sender.payer, rewritten(leg.issued_transaction, fails), preflight=False)
    sender.tell(lambda _: None)
    found = SOLANA.departure(leg)
    assert found.seen is not None
    assert (found.seen.status, found.seen.tag, found.order_id) == (SeenStatus.REVERTED, sender.tag, "")


def test_what_is_older_than_the_leg_is_not_its_own(make_sender: Callable[..., Sender]) -> None:
    sender = make_sender()
    leg = sender.leg()
    signature = sender.node.send(sender.payer, leg.issued_transaction)
    sender.tell(lambda _: None)
    later = sender.node.head()
    sender.node.advance(2)
    found = SOLANA.departure(replace(leg, tx_hash=signature, start_block=later))
    assert found.seen is not None
    assert (found.seen.tag, found.order_id) == ("", "")


def test_without_a_bridge_nothing_is_looked_for(make_sender: Callable[..., Sender]) -> None:
    sender = make_sender()
    for changes in ({"bridge": ""}, {"bridge": "mayan"}, {"issued_transaction": ""}, {"issued_transaction": "AAAA"}):
        with pytest.raises(ChainUnavailable):
            SOLANA.departure(sender.leg(**changes))


def test_the_bytes_are_those_of_a_real_node() -> None:
    """The tag that begins every event of Anchor's, as the incident of July 2026 has it."""
    assert hashlib.sha256(b"anchor:event").digest()[:8][::-1] == EVENT_TAG
    assert base64.b64encode(EVENT_TAG) == b"5EWlLlHLmh0="
