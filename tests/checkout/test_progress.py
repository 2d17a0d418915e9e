"""What stands after signing: one row for each transaction, where it is, how long it takes, where to see it."""

from itertools import product
from typing import Any
from uuid import UUID

import pytest
from django.utils.translation import override

from checkout.words.legs import NOTES, leg_note, leg_note_code
from payments.models import Leg
from payments.states import LegStatus
from tests.checkout.pages import read_page, visit
from tests.conftest import ApiClient
from tests.payments.payer import Payer
from tests.payments.world import World, create

HASH = "0x" + "ab" * 32


def row(payer: Payer) -> tuple[str, str]:
    """The status and the note of the only transaction, the same for the scripts and for a reader without them."""
    payer.token = Payer.of({"id": payer.intent_id}).token  # time passes, and tokens end
    [leg] = payer.state()["legs"]
    page = read_page(visit(payer.intent_id))
    assert page.text("leg-note") == leg["note"]
    return leg["status"], leg["note"]


@pytest.mark.spec("Hosted checkout: where the money is")
def test_a_bridged_payment_step_by_step(world: World, api: ApiClient) -> None:
    payer = Payer.of(create(api))
    attempt = payer.start(world, "ethereum", "USDC")
    assert row(payer) == ("awaiting_signature", NOTES["unsigned"])
    payer.report(attempt, 1, payer.sign(attempt, 1))
    assert row(payer) == ("awaiting_signature", NOTES["reported"])
    world.run(1)
    assert row(payer) == ("confirming", "It has left Ethereum and is on its way to Base.")
    assert read_page(visit(payer.intent_id)).text("leg-time") == "1 second of about 3 minutes"
    world.run(5)
    assert row(payer) == ("confirmed", NOTES["arrived"])
    assert read_page(visit(payer.intent_id)).text("leg-time").startswith("took ")
    [leg] = payer.state()["legs"]
    assert leg["submitted_at"] < leg["confirmed_at"]


@pytest.mark.parametrize(
    ("behaviour", "seconds", "told"),
    [
        ("stuck", 5, ("submitted", NOTES["sent"])),
        ("stuck", 3000, ("submitted", NOTES["sent_slow"])),
        ("fail_execution", 5, ("failed", NOTES["reverted"])),
        ("bridge_refund", 5, ("refunded", "It is back in your wallet on Ethereum.")),
        ("in_doubt", 5, ("in_doubt", NOTES["in_doubt"])),
    ],
)
def test_slow_and_lost_ones_say_so(
    world: World, api: ApiClient, behaviour: str, seconds: int, told: tuple[str, str]
) -> None:
    payer = Payer.of(create(api, expires_in_seconds=86_400))
    attempt = payer.start(world, "ethereum", "USDC")
    payer.pay(attempt, behaviour)
    world.run(2)
    world.wait(seconds)
    world.run(1)
    assert row(payer) == told


@pytest.mark.parametrize("status", [status for status in LegStatus.values if status != LegStatus.PLANNED])
def test_every_status_has_a_note(status: str) -> None:
    told = set()
    for error, tx_hash, to_chain, is_slow in product(
        ("", "reverted", "unfilled", "x"), ("", HASH), ("base", "bnb"), (True, False)
    ):
        leg = Leg(status=status, error=error, tx_hash=tx_hash, chain="bnb", to_chain=to_chain)
        with override("en"):
            told.add(leg_note(leg_note_code(leg, is_slow), "BNB Chain", "Base"))
    assert all(note.endswith(".") and "%" not in note for note in told)


def test_live_transactions_are_linked_on_both_chains(world: World, api: ApiClient) -> None:
    payer = Payer.of(create(api))
    payer.pay(payer.start(world, "ethereum", "USDC"))
    world.run(6)
    links: dict[str, Any] = payer.state()["legs"][0]
    assert (links["explorer_url"], links["destination_explorer_url"]) == (None, None)
    Leg.objects.filter(intent_id=UUID(payer.intent_id)).update(mode="live", tx_hash=HASH, destination_tx_hash=HASH)
    links = payer.state()["legs"][0]
    assert links["explorer_url"] == f"https://etherscan.io/tx/{HASH}"
    assert links["destination_explorer_url"] == f"https://basescan.org/tx/{HASH}"
    assert {f"https://etherscan.io/tx/{HASH}", f"https://basescan.org/tx/{HASH}"} <= set(
        read_page(visit(payer.intent_id)).links
    )
