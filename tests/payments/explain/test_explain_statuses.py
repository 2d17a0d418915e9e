"""Every status has its diagnosis, at the price of a few reads, and the same rows always have the same one."""

from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from core.clock import now
from payments.explanation import Situation, explain, explanation_body
from payments.explanation.merchant_words import MERCHANT_WORDS
from payments.models import PaymentIntent
from tests.conftest import ApiClient
from tests.payments.explain.reading import explained, said
from tests.payments.payer import Payer
from tests.payments.statuses import STORIES, intent_in
from tests.payments.world import World, create
from tests.refunds.stories import PAYEE, refund

pytestmark = pytest.mark.slow

MOST_QUERIES = 6
TOLD = {
    **dict.fromkeys(("created", "requires_payment", "quoted", "awaiting_signature", "partially_filled"), "payer"),
    **dict.fromkeys(("settled", "failed", "expired", "cancelled", "refunded"), "nobody"),
    "executing": "service",
}
"""Who must act in each status. The sentences are those of the catalogue."""


def test_every_status_is_told_here() -> None:
    assert set(TOLD) == set(STORIES)


@pytest.mark.parametrize("status", list(TOLD))
def test_a_status_has_its_diagnosis(world: World, api: ApiClient, status: str) -> None:
    intent = intent_in(world, api, status)
    if status == "refunded":  # by hand, so no refund row says how much
        PaymentIntent.objects.filter(pk=intent["id"]).update(refunded_usd=25)
    code = "in_doubt" if status == "executing" else status
    actor, _, words = MERCHANT_WORDS[Situation(code)]
    row = PaymentIntent.objects.get(pk=intent["id"])
    with CaptureQueriesContext(connection) as captured:
        first = explanation_body(row, explain(row))
    assert len(captured.captured_queries) <= MOST_QUERIES
    assert (first["code"], first["actor"]) == (code, TOLD[status])
    assert said(first) == (actor.value, words.happened, words.money, words.next)
    assert (first["status"], first["payment_intent_id"]) == (status, intent["id"])
    assert first == explained(api, intent) == explanation_body(row, explain(row, at=now()))
    assert explain(row).payer.happened == Payer.of(intent).state()["message"]["happened"]


def test_a_refund_and_a_payout_cost_no_more(world: World, api: ApiClient) -> None:
    intent = intent_in(world, api, "settled")
    for _ in range(3):
        refund(api, intent, 1, destination=PAYEE)
    row = PaymentIntent.objects.get(pk=intent["id"])
    with CaptureQueriesContext(connection) as captured:
        explain(row)
    assert len(captured.captured_queries) <= MOST_QUERIES


def test_what_was_prefetched_is_not_read_again(world: World, api: ApiClient) -> None:
    intent = intent_in(world, api, "settled")
    rows = PaymentIntent.objects.prefetch_related("legs", "credits", "payment_attempts")
    row = rows.get(pk=intent["id"])
    with CaptureQueriesContext(connection) as captured:
        explain(row)
    assert len(captured.captured_queries) <= 3


def test_another_merchants_intent_is_not_explained(api: ApiClient, live_api: ApiClient) -> None:
    intent = create(api)
    reply = live_api.get(f"/payment-intents/{intent['id']}/explain")
    assert (reply.status, reply.body["code"]) == (404, "not_found")


def _reason(payer: Payer, attempt: dict[str, Any], reason: str) -> None:
    payer.act("rejected", {"attempt_id": attempt["id"], "reason": reason})


def test_a_declined_signature_is_told(world: World, api: ApiClient) -> None:
    intent = create(api)
    payer = Payer.of(intent)
    _reason(payer, payer.start(world), "payer_rejected")
    body = explained(api, intent)
    assert (body["code"], body["happened"], body["because"]) == (
        "signature_declined",
        "The payer declined in the wallet, or left before signing.",
        "The last try was given up before anything was signed.",
    )
    assert payer.state()["message"]["happened"] == "This payment was not approved."


def test_a_quote_and_a_signature_that_ran_out_of_time_are_told(world: World, api: ApiClient) -> None:
    quoted, asked = create(api), create(api)
    Payer.of(quoted).quote(world)
    Payer.of(asked).start(world)
    for seconds in (60, 600):
        world.wait(seconds)
        world.run(1)
    assert explained(api, quoted)["code"] == "quote_lapsed"
    assert explained(api, asked)["code"] == "signature_timed_out"
    world.wait(1800)
    assert {explained(api, one)["code"] for one in (quoted, asked)} == {"time_over"}
    world.run(1)
    assert {explained(api, one)["code"] for one in (quoted, asked)} == {"expired"}


def test_a_top_up_says_that_something_is_there(world: World, api: ApiClient) -> None:
    intent = intent_in(world, api, "partially_filled")
    Payer.of(intent).quote(world)
    body = explained(api, intent)
    assert (body["code"], body["money"], body["because"]) == (
        "quoted",
        "What arrived is at the settlement address.",
        "The payer has a price and has not accepted it.",
    )
