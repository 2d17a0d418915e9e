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
from chains.errors import ChainUnavailable
from chains.instructions.bridge_transaction import BridgePayer, bridge_instructions
from chains.instructions.svm_spoke import DepositKind, SvmDeposit
from chains.instructions.transactions import read_transaction, reference_of, unsigned_transaction
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
        is_now = self.kind is DepositKind.DEPOSIT_NOW
        return SvmDeposit(
            kind=self.kind, depositor=str(self.payer.pubkey()), recipient=RECIPIENT, input_token=USDC,
            output_token=OUTPUT, input_amount=PAID, output_amount=GIVEN, destination_chain_id=8453,
            exclusive_relayer=bytes(32), quote_timestamp=0 if is_now else NOW,
            fill_deadline=10_800 if is_now else DEADLINE, exclusivity=0, message=b"",
        )  # fmt: skip

    def issued(self) -> str:
        who = BridgePayer(address=str(self.payer.pubkey()), token_address=USDC, decimals=6, network_profile="localnet")
        latest = self.node.rpc("getLatestBlockhash", {"commitment": "confirmed"})["value"]["blockhash"]
        return unsigned_transaction(who.address, bridge_instructions(self.deposit, self.tag, who), latest)

    def leg(self, **changes: Any) -> IssuedLeg:
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
            own = [str(key) for key in read_transaction(result["transaction"][0]).message.account_keys]
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
        fields: dict[str, Any] = {
            "given": bytes(Pubkey.from_string(USDC)), "taken": OUTPUT, "paid": PAID, "promised": GIVEN.to_bytes(32),
            "destination": 8453, "id": ID.to_bytes(32), "quoted": NOW, "deadline": DEADLINE, "exclusivity": 0,
            "depositor": bytes(self.payer.pubkey()), "recipient": RECIPIENT, "relayer": bytes(32),
            "message": 0,
        }  # fmt: skip
        return EVENT_TAG + DEPOSITED + struct.pack(FORM, *(fields | changes).values())


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
    return lambda group: group["instructions"][0].update(fields)


def _group_is(**fields: Any) -> Callable[[Group], Any]:
    return lambda group: group["meta"]["innerInstructions"][0].update(fields)


FORGED: dict[str, Callable[[Group], Any]] = {
    "no event": lambda group: group["meta"].update(innerInstructions=[]),
    "two events": lambda group: _group_is(instructions=group["instructions"] * 2)(group),
    "under another instruction": _group_is(index=1),
    "made by what it called": _event_is(stackHeight=3),
    "another program's": lambda group: _event_is(programIdIndex=group["own"].index(USDC))(group),
    "without the program's seal": _event_is(accounts=[0]),
    "with another account": lambda group: group["instructions"][0]["accounts"].append(0),
}
CONTENTS: dict[str, Callable[[bytes], bytes]] = {
    "behind a harmless call": lambda event: UNSAFE_ID_CALL + event[8:],
    "behind a whole harmless call": lambda event: UNSAFE_ID_CALL + bytes(72) + event,
    "another event": lambda event: EVENT_TAG + bytes(8) + event[16:],
    "cut short": lambda event: event[:-1],
    "with a tail": lambda event: event + b"\0",
}
OTHER: dict[str, Any] = {
    "given": bytes(Pubkey.from_string(USDT)), "taken": RECIPIENT, "paid": PAID + 1,
    "promised": (GIVEN - 1).to_bytes(32), "destination": 10, "quoted": NOW + 1, "deadline": DEADLINE + 1,
    "depositor": RECIPIENT, "recipient": OUTPUT, "relayer": OUTPUT,
}  # fmt: skip
"""Each field of the event but the order's id, as another deposit has it."""


def test_no_other_event_names_an_order(make_sender: Callable[..., Sender]) -> None:
    sender = make_sender()
    leg = sender.leg()
    sender.node.send(sender.payer, leg.issued_transaction)
    contents = {name: made(sender.event()) for name, made in CONTENTS.items()}
    contents |= {f"other {name}": sender.event(**{name: value}) for name, value in OTHER.items()}
    for name, lie in {**FORGED, **{name: _event_is(data=base58(data)) for name, data in contents.items()}}.items():
        sender.tell(lie)
        found = SOLANA.departure(leg)
        assert found.seen is not None
        assert (name, found.seen.tag, found.order_id) == (name, sender.tag, "")
    sender.tell(lambda _: None)
    assert SOLANA.departure(leg).order_id != ""


def test_a_node_that_keeps_no_events_is_not_asked(make_sender: Callable[..., Sender]) -> None:
    found = make_sender().looked(lambda group: group["meta"].update(innerInstructions=None))
    assert (found.order_id, list(found.unsaid.values())) == ("", ["a node that keeps no inner instructions"])


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
