"""``causeway trigger``: makes an event happen in test mode, by doing what leads to it."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, TypeVar

import click

from causeway_sdk import _http
from causeway_sdk.cli.desk import MISUSED, REFUSED, UNANSWERED, Client, Desk, Stop, say
from causeway_sdk.cli.resources import methods

PATIENCE = 60.0
"""Seconds in which it must have happened."""
_SOMEBODY = {"solana": "J9tn74B4BA78YEUYLzyNp3mrXGXioseW77haZeXpmCg"}
_ANYBODY = "0x52908400098527886E0F7030069857D2E4169EE7"
_MADE = "create a payment"
_PAID = f"{_MADE}, pay it"
_SETTLED = f"{_PAID}, wait until it is settled"
_REFUND = f"{_SETTLED}, refund it"
_OPEN = f"{_REFUND} without an address"
_PAYOUT = f"{_SETTLED}, wait for its payout"
_GONE = "create an endpoint that is fetched, answer a ping with 410"
STORIES: dict[str, tuple[str, str]] = {
    "payment_intent.created": (_MADE, "settle"),
    "payment_intent.quoted": (_PAID, "settle"),
    "payment_intent.executing": (_PAID, "settle"),
    "payment_intent.partially_filled": (_PAID, "partial"),
    "payment_intent.settled": (_PAID, "settle"),
    "payment_intent.failed": (_PAID, "fail"),
    "payment_intent.expired": (_PAID, "late"),
    "payment_intent.cancelled": (f"{_MADE}, cancel it", "settle"),
    "payment_intent.refunded": (_REFUND, "settle"),
    "payment_intent.late_payment": (_PAID, "late"),
    "payment_intent.overpaid": (_PAID, "overpay"),
    "refund.created": (_REFUND, "settle"),
    "refund.missing_destination": (_OPEN, "settle"),
    "refund.processing": (_REFUND, "settle"),
    "refund.paid": (_REFUND, "settle"),
    "refund.failed": (_REFUND, "refund_fail"),
    "refund.cancelled": (f"{_OPEN}, cancel that", "settle"),
    "payout.created": (_PAYOUT, "settle"),
    "payout.processing": (_PAYOUT, "settle"),
    "payout.retry_scheduled": (_PAYOUT, "payout_retry"),
    "payout.paused": (_PAYOUT, "settle"),
    "payout.paid": (_PAYOUT, "settle"),
    "payout.failed": (_PAYOUT, "payout_fail"),
    "webhook_endpoint.disabled": (_GONE, ""),
    "ping": ("ask for it", ""),
}
"""How each event is made to happen, and the scenario of the payment."""
_EARLY = "a simulated payment settles only when its chain takes nothing away any more"
IMPOSSIBLE = {
    "payment_intent.settlement_reversed": _EARLY,
    "payment_intent.settlement_restored": _EARLY,
    "payment_intent.funds_owed": "refunds and payouts leave only what is final, and the simulated chains keep that",
    "payment_intent.stray_arrived": "the simulated payer sends only the token that was asked for",
    "payment_intent.payment_counted_elsewhere": "a transaction of a simulated chain belongs to one payment",
}
"""Why the others cannot happen in test mode. Source: docs/sdks.md, Events that test mode cannot make."""
_HINTS = {
    "payout.paused": "Press Pause on the dashboard's page Payouts, in test mode",
    "payout": "Turn on paying out at settle on the dashboard's page Payouts, in test mode",
}
_Found = TypeVar("_Found")


def _until(look: Callable[[], _Found | None], patience: float = PATIENCE) -> _Found | None:
    """What ``look`` finds in time, or None. Units: seconds."""
    ends = _http.now() + patience
    while True:
        asked = _http.now()
        found = look()
        if found or _http.now() >= ends:
            return found
        _http.pause(_http.rest_since(asked))


def play(client: Client, event_type: str, story: str, given: dict[str, Any]) -> str:
    """Do what leads to an event, and give the id of what it is about. Raises: CausewayError, Stop."""
    if story == _GONE:
        return _disabled(client)
    intent = client.payment_intents.create(**given)
    say(f"Created payment {intent.id}.")
    if "cancel it" in story:
        client.payment_intents.cancel(intent.id)
    if story.startswith(_PAID):
        client.test_helpers.pay_payment_intent(intent.id)
        say(f"Paid it: {given['metadata']['simulate']}.")
    if not story.startswith(_SETTLED):
        return intent.id
    settled = client.payment_intents.wait(intent.id, until="settled", timeout=PATIENCE)
    if story == _PAYOUT:
        payout = _until(client.payouts.list(payment_intent_id=intent.id).first, PATIENCE / 4)
        if payout is None:
            raise Stop(f"No payout was made. {_HINTS['payout']}, and run this again.", REFUSED)
        return payout.id
    somebody = None if story.startswith(_OPEN) else _SOMEBODY.get(settled.settlement_chain, _ANYBODY)
    refund = client.refunds.create(
        intent_id=intent.id, amount_usd=settled.amount_received, destination=somebody, from_other_funds=True
    )
    say(f"Created refund {refund.id}.")
    if "cancel that" in story:
        client.refunds.cancel(refund.id)
    return refund.id if event_type.startswith("refund.") else intent.id


def _disabled(client: Client) -> str:
    """Have an endpoint of its own switched off, and take it away."""
    endpoint = client.webhook_endpoints.create(kind="pull", events=["ping"])
    try:
        client.test_helpers.trigger_event(type="ping")
        given = _until(lambda: client.webhook_endpoints.pull_deliveries(endpoint.id, limit=1, wait=25).data)
        for one in given or []:
            client.webhook_endpoints.answer_delivery(
                endpoint.id, delivery_id=one.delivery_id, attempt=one.attempt, status=410
            )
    finally:
        client.webhook_endpoints.delete(endpoint.id)
    return endpoint.id


def given_of(pairs: tuple[str, ...], scenario: str) -> dict[str, Any]:
    """What the payment is created with. Raises: BadParameter for what a payment has not."""
    given: dict[str, Any] = {"amount": "25", "metadata": {"simulate": scenario}}
    known = inspect.signature(methods("payment-intents")["create"]).parameters
    for pair in pairs:
        name, separator, value = pair.partition("=")
        if not separator:
            raise click.BadParameter(f"{pair!r} is not NAME=VALUE")
        if name.startswith("metadata."):
            given["metadata"][name.removeprefix("metadata.")] = value
        elif name not in known or name == "metadata":
            raise click.BadParameter(f"A payment has no {name}.")
        else:
            given[name] = int(value) if name == "expires_in_seconds" and value.isdigit() else value
    return given


def happened(client: Client, event_type: str, pairs: tuple[str, ...], scenario: str | None) -> dict[str, Any]:
    """The event, after what leads to it was done. Raises: CausewayError, Stop."""
    story, usual = STORIES[event_type]
    about = play(client, event_type, story, given_of(pairs, scenario or usual))
    event = _until(client.events.list(type=event_type, resource_id=about, limit=1, wait=25).first)
    if event is None:
        hint = _HINTS.get(event_type, "See whether the service's workers run")
        raise Stop(f"{event_type} did not come within {PATIENCE:.0f} seconds. {hint}, and run this again.", UNANSWERED)
    return event.to_dict()


def _rows() -> list[dict[str, Any]]:
    done = {name: f"{how} ({scenario})" if scenario else how for name, (how, scenario) in STORIES.items()}
    rows: list[dict[str, Any]] = [{"type": name, "happens": True, "by": how} for name, how in done.items()]
    return rows + [{"type": name, "happens": False, "by": f"--sample: {why}"} for name, why in IMPOSSIBLE.items()]


@click.command
@click.argument("event_type", metavar="TYPE", required=False)
@click.option("--list", "only_list", is_flag=True, help="Show every type and how it is made to happen.")
@click.option(
    "--set", "pairs", metavar="NAME=VALUE", multiple=True, help="Of the payment: reference=7, metadata.size=L."
)
@click.option("--scenario", help="Another scenario than the usual one. See `causeway test-helpers list-scenarios`.")
@click.option("--sample", is_flag=True, help="Send a sample instead, about nothing that exists.")
@click.pass_obj
def trigger(
    desk: Desk, /, event_type: str | None, pairs: tuple[str, ...], scenario: str | None, **chosen: bool
) -> None:
    """Make an event happen in test mode, and show it.

    By doing: a payment is created, paid, refunded and so on. So what the event is about can be read.
    """
    if chosen["only_list"]:
        desk.write_rows(_rows())
        return
    if event_type not in STORIES and event_type not in IMPOSSIBLE:
        raise click.UsageError(f"{event_type} is no event. See --list." if event_type else "Which TYPE? See --list.")
    client = desk.client
    if client.is_live:
        raise Stop("Test keys only (sk_test_…): with this one money would be real.", MISUSED)
    why = IMPOSSIBLE.get(event_type)
    if chosen["sample"] or event_type == "ping":
        event = client.events.get(client.test_helpers.trigger_event(type=event_type).id).to_dict()
    elif why:
        raise Stop(f"{event_type} cannot happen in test mode: {why}. --sample sends one about nothing.", REFUSED)
    else:
        event = happened(client, event_type, pairs, scenario)
    desk.write(event)
