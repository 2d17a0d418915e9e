"""Whose a transfer is and who paid it: what a claim may take, what is nobody's payment, what is read once more.

The same over nodes is in tests/live/test_one_owner.py.
"""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from django.db import transaction

from chains.clients.base import Mark, ObservedTransfer
from chains.clients.registry import CLIENTS
from chains.clients.simulated import SimulatedChain
from chains.errors import ChainUnavailable
from chains.models import OwnerKind, TransferAttempt
from chains.owners import take_event, take_free
from chains.transfers import RailName, TransferOrder, request_transfer
from core.clock import now
from core.modes import Mode
from payments.models import CountedElsewhere, Credit, Leg, PaymentIntent
from payments.services.credits import Known, event_of, record_transfers, what_is_known
from payments.services.payers import sweep_unknown_payers
from payments.services.transition import locked_intent
from tests.conftest import ApiClient
from tests.payments.payer import Payer
from tests.payments.world import World, create, pay

Paid = tuple[Leg, ObservedTransfer]
Recorder = Callable[[ObservedTransfer], None]


@pytest.fixture
def paid(world: World, api: ApiClient) -> Paid:
    """The leg of a settled intent, and the transfer that settled it."""
    pay(api, create(api))
    world.run(4)
    leg = Leg.objects.get()
    [seen] = SimulatedChain().transfers(str(leg.pk))
    return leg, seen


@pytest.fixture
def another(paid: Paid, world: World, api: ApiClient) -> Recorder:
    """A later intent, for whose leg a transfer is recorded."""
    intent = create(api)
    Payer.of(intent, address="0x7e57000000000000000000000000000000000002").start(world)

    def record(transfer: ObservedTransfer) -> None:
        with transaction.atomic():
            row = locked_intent(UUID(intent["id"]))
            known = what_is_known(row, [transfer])
            record_transfers(row, Leg.objects.get(intent=row), [transfer], Known(owners=known.owners))

    return record


CONTESTS = [
    *((Mark.CLAIM, True, Mark.CLAIM, False), (Mark.TAG, True, Mark.CLAIM, False), (Mark.TAG, True, Mark.ORDER, False)),
    *((Mark.TAG, False, Mark.ORDER, False), (Mark.CLAIM, True, Mark.ORDER, True)),
]


@pytest.mark.parametrize(("held_by", "is_final", "brought", "is_taken"), CONTESTS)
def test_who_holds_a_transfer_loses_it_to_a_better_title_alone(
    held_by: Mark, is_final: bool, brought: Mark, is_taken: bool, paid: Paid, another: Recorder
) -> None:
    leg, seen = paid
    Credit.objects.update(mark=held_by, final_at=now() if is_final else None)
    another(replace(seen, mark=brought))
    credit = Credit.objects.get()
    assert (credit.leg_id == leg.pk, credit.intent_id == leg.intent_id) == (not is_taken, not is_taken)
    assert CountedElsewhere.objects.filter(leg=leg).exists() is is_taken


def test_what_was_delivered_is_not_taken_back_by_a_mark_whose_amount_fits_better(paid: Paid, another: Recorder) -> None:
    leg, seen = paid
    Leg.objects.filter(pk=leg.pk).update(min_output_base_units=leg.min_output_base_units + 1)
    another(replace(seen, mark=Mark.ORDER))
    assert Credit.objects.get().leg_id == leg.pk
    Credit.objects.update(final_at=None)
    another(replace(seen, mark=Mark.ORDER))
    assert Credit.objects.get().leg_id != leg.pk


def test_one_event_is_a_payment_or_a_proof_and_never_both(paid: Paid, another: Recorder) -> None:
    leg, seen = paid
    held = event_of("test", Credit.objects.get())
    assert (take_event(held, OwnerKind.CREDIT), take_event(held, OwnerKind.PROOF)) == (True, False)
    assert take_free(held, OwnerKind.PROOF) is False, "two may have found it free at one moment"
    sent = replace(seen, tx_hash="0x" + "5e" * 32)
    assert take_event(event_of("test", sent), OwnerKind.PROOF) is True
    another(sent)
    assert list(Credit.objects.values_list("tx_hash", flat=True)) == [seen.tx_hash]
    assert PaymentIntent.objects.exclude(pk=leg.intent_id).get().received_usd == 0


def test_what_our_own_signer_sent_is_nobodys_payment(paid: Paid, another: Recorder) -> None:
    """From the moment its bytes are stored, whatever it moves and whoever has a mark on it."""
    leg, seen = paid
    sent = replace(seen, tx_hash="0x" + "5e" * 32)
    place = {"network": "simulated", "rail": RailName.SIMULATED, "chain": seen.chain, "token_decimals": 6}
    whose = {"merchant_id": leg.intent.merchant_id, "mode": "test", "purpose": "payout", "purpose_id": leg.pk}
    facts: dict[str, Any] = {"token_address": seen.token_address, "recipient": seen.recipient, **place, **whose}
    order = TransferOrder(base_units=seen.base_units, value_usd=leg.intent.amount, **facts)
    transfer = request_transfer(order)
    TransferAttempt.objects.create(transfer=transfer, sequence=1, raw="", tx_hash=sent.tx_hash)
    another(sent)
    assert list(Credit.objects.values_list("tx_hash", flat=True)) == [seen.tx_hash]


SIMULATED_PAYER = "0x7e57000000000000000000000000000000000a11"


@pytest.fixture
def credit(world: World, api: ApiClient) -> Credit:
    """A credit as it was before: nobody wrote down who paid."""
    pay(api, create(api), "settle")
    world.run(4)
    made = Credit.objects.get()
    assert (made.payer.lower(), made.payer_proof, made.payer_due_at) == (SIMULATED_PAYER, "sender", None)
    assert sweep_unknown_payers() == 0
    Credit.objects.update(payer="", payer_proof="", payer_nonce=None, payer_due_at=now())
    return made


def test_who_paid_is_known_at_once_or_read_again_once(credit: Credit) -> None:
    assert sweep_unknown_payers() == 1
    credit.refresh_from_db()
    assert (credit.payer.lower(), credit.payer_proof, credit.payer_due_at) == (SIMULATED_PAYER, "sender", None)
    assert sweep_unknown_payers() == 0


@pytest.mark.parametrize("change", [{"tx_hash": "0x" + "77" * 32}, {"leg": None}, {"intent": None, "leg": None}])
def test_what_nothing_shows_is_nobodys(change: dict[str, Any], credit: Credit) -> None:
    Credit.objects.update(**change)
    assert sweep_unknown_payers() == 1
    credit.refresh_from_db()
    assert (credit.payer, credit.payer_due_at) == ("", None)


def test_a_chain_that_is_silent_is_asked_later(credit: Credit, monkeypatch: pytest.MonkeyPatch, world: World) -> None:
    class Silent:
        def look(self, _leg: object) -> None:
            raise ChainUnavailable("base")

    monkeypatch.setitem(CLIENTS, Mode.TEST, Silent())
    assert (sweep_unknown_payers(), sweep_unknown_payers()) == (1, 0)
    monkeypatch.undo()
    world.clock.shift(timedelta(hours=1))
    assert sweep_unknown_payers() == 1
    credit.refresh_from_db()
    assert credit.payer.lower() == SIMULATED_PAYER
