"""A sample is what a real event of its type would be: as it is described, and in the state that it tells of."""

import uuid
from typing import Any

import jsonschema_rs
import orjson
import pytest

from core.states import Machine
from merchants.principal import Principal
from payments.states import INTENT_MACHINE
from payouts.states import PAYOUT_MACHINE
from refunds.states import RECORD_STATUS, REFUND_MACHINE, R
from tests.contract.conformity import document
from webhooks import services
from webhooks.catalog import NAMES_IN_ORDER
from webhooks.events import draft_event, sample_body

pytestmark = pytest.mark.usefixtures("principal")


def status_announced(machine: Machine) -> dict[str, str]:
    """The status in which a resource is after a change that is announced, by the event."""
    rows = [(row.event, row.target) for row in machine.transitions if row.event]
    return dict([*rows, *([(machine.initial_event, machine.initial)] if machine.initial_event else [])])


def sample(name: str) -> dict[str, Any]:
    return sample_body(name, uuid.uuid4())


@pytest.mark.parametrize("name", NAMES_IN_ORDER)
def test_a_sample_is_as_its_event_is_described(name: str, principal: Principal) -> None:
    event = services.trigger_sample_event(principal, name)
    described = document()["webhooks"][name]["post"]["requestBody"]["content"]["application/json"]["schema"]
    judge = jsonschema_rs.Draft202012Validator(
        {**described, "components": document()["components"]}, validate_formats=True
    )
    payload = orjson.loads(event.payload)
    assert [error.message for error in judge.iter_errors(payload)] == []
    assert payload["data"]["id"] == payload["resource"]["id"] == str(event.resource_id)
    assert [error.message for error in judge.iter_errors({**payload, "type": "made.up"})] != []


def test_a_sample_is_in_the_status_that_it_tells_of() -> None:
    machines = (INTENT_MACHINE, REFUND_MACHINE, PAYOUT_MACHINE)
    announced = {event: status for machine in machines for event, status in status_announced(machine).items()}
    assert len(announced) == 22
    for name, status in announced.items():
        shown = RECORD_STATUS[R(status)] if name.startswith("refund.") else status
        assert sample(name)["status"] == shown, name


def test_a_sample_does_not_contradict_itself() -> None:
    samples = {name: sample(name) for name in NAMES_IN_ORDER}
    sent = {name for name, body in samples.items() if body.get("tx_hash")}
    assert sent == {name for name, body in samples.items() if body.get("paid_at")} == {"refund.paid", "payout.paid"}
    failed = {name for name, body in samples.items() if body.get("status") == "failed"}
    assert failed == {"payment_intent.failed", "refund.failed", "payout.failed"}
    assert [name for name in failed if not samples[name]["failure_reason"]] == []
    settled = {"settled", "refunded", "overpaid", "settlement_restored", "funds_owed"}
    assert {name for name, body in samples.items() if body.get("settled_at")} == {
        f"payment_intent.{step}" for step in settled
    }


def test_what_some_samples_tell_besides() -> None:
    partly, late = sample("payment_intent.partially_filled"), sample("payment_intent.late_payment")
    assert (partly["amount_received"], partly["amount_due"]) == ("10.00", "15.00")
    assert (late["amount_received"], late["amount_due"], late["partially_funded"]) == ("25.00", "0.00", False)
    paid = sample("payment_intent.settled")
    assert (paid["amount"], paid["net_settlement_usd"], paid["platform_fee_usd"]) == ("25.00", "25.00", "0.00")
    assert sample("payment_intent.overpaid")["overpaid_usd"] == "5.00"
    assert sample("payment_intent.funds_owed")["owed_usd"] == "25.00"
    [stray] = sample("payment_intent.stray_arrived")["strays"]
    assert (stray["token"], stray["amount"], stray["payer"][-6:]) == ("USDT", "25", "c0ffee")
    waiting = sample("refund.missing_destination")
    assert (waiting["destination_tail"], waiting["failure_reason"]) == ("", "missing_destination")
    assert sample("refund.paid")["destination_tail"] == "…c0ffee"
    again = sample("payout.retry_scheduled")
    assert (again["next_attempt_at"] is None, again["attempts"], again["metadata"]) == (False, 1, {"sample": "true"})
    assert sample("webhook_endpoint.disabled")["reason"] == "failing"
    assert sample("ping")["message"] == "It works."


def test_every_type_can_be_drafted_with_its_sample(principal: Principal) -> None:
    for name in NAMES_IN_ORDER:
        key = uuid.uuid4()
        draft_event(
            merchant_id=principal.merchant_id,
            mode=principal.mode,
            type=name,
            resource_type=name.partition(".")[0],
            resource_id=key,
            sequence=2,
            body=sample_body(name, key),
        )
