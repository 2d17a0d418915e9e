"""``causeway webhooks``: verifies what came, and has sent again what did not."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import BinaryIO

import click

from causeway_sdk._core import as_object, decode
from causeway_sdk._generated import WebhookDelivery, WebhookEndpoint
from causeway_sdk.cli.certify import certify
from causeway_sdk.cli.desk import MISUSED, REFUSED, Client, Desk, Stop, say
from causeway_sdk.cli.listen import own_secrets
from causeway_sdk.webhooks import SECRET_NAME, WebhookVerificationError, verify

SPANS = {"s": 1, "m": 60, "h": 3600, "d": 86400}
_PAGES = 5
"""Of each endpoint's deliveries, the newest first: an event that is older is sent again by ``recover``."""
_WHY = {
    "signature_mismatch": "Another secret signed it, or the body is not exactly what came.",
    "timestamp_outside_tolerance": "It is older than five minutes, or a clock is wrong. --any-age lets that pass.",
    "secret_empty": f"Give --secret, or set {SECRET_NAME}.",
}


@click.group
def webhooks() -> None:
    """Verify what came, and send again what did not."""


webhooks.add_command(certify)


@webhooks.command("verify")
@click.argument("body", type=click.File("rb"))
@click.option(
    "--header", "-H", "lines", multiple=True, metavar="'NAME: VALUE'", help="As it came; at least the signature."
)
@click.option("--secret", "secrets", multiple=True, help=f"Instead of {SECRET_NAME} and those of `causeway listen`.")
@click.option("--any-age", is_flag=True, help="However long ago it was signed.")
@click.pass_obj
def verify_body(
    desk: Desk, /, body: BinaryIO, lines: tuple[str, ...], secrets: tuple[str, ...], *, any_age: bool
) -> None:
    """Verify a BODY that came, a file or - for stdin, and show its event."""
    raw = body.read()
    headers: dict[str, str] = {}
    for line in lines:
        name, _, value = line.partition(":")
        headers[name.strip()] = value.strip()
    known = list(secrets) or [one for one in (os.environ.get(SECRET_NAME, ""), *own_secrets()) if one]
    try:
        verify(raw, headers, known, tolerance=float("inf") if any_age else 300)
    except WebhookVerificationError as error:
        raise Stop(f"{error.reason}: {_WHY.get(error.reason, 'Give every header that came.')}", REFUSED) from None
    desk.write(as_object(decode(raw)))


@webhooks.command
@click.argument("event_id")
@click.option("--endpoint", help="Only to this one; else to each that it was for.")
@click.pass_obj
def resend(desk: Desk, /, event_id: str, endpoint: str | None) -> None:
    """Send an event again, to every endpoint that it was for."""
    found = list(_deliveries(desk.client, event_id, endpoint))
    if not found:
        raise Stop(f"No delivery of {event_id} is among the newest. causeway webhooks recover --since 1d", REFUSED)
    desk.write_rows(desk.client.webhook_endpoints.resend_delivery(one, two.id).to_dict() for one, two in found)


def _deliveries(client: Client, event_id: str, endpoint: str | None) -> Iterator[tuple[str, WebhookDelivery]]:
    for one in _enabled(client, endpoint):
        for _, page in zip(
            range(_PAGES), client.webhook_endpoints.list_deliveries(one.id, limit=100).pages(), strict=False
        ):
            yield from ((one.id, delivery) for delivery in page if delivery.event_id == event_id)


def _enabled(client: Client, endpoint: str | None) -> list[WebhookEndpoint]:
    return [one for one in client.webhook_endpoints.list() if one.enabled and endpoint in {None, one.id}]


@webhooks.command
@click.option("--since", required=True, metavar="TIME", help="A time of RFC 3339, or how long ago: 30m, 2h, 1d.")
@click.option("--endpoint", help="Only for this one.")
@click.pass_obj
def recover(desk: Desk, /, since: str, endpoint: str | None) -> None:
    """Send again whatever was not delivered since then, to every enabled endpoint."""
    length = span_of(since)
    moment = since if length is None else (datetime.now(UTC) - timedelta(seconds=length)).isoformat()
    found = _enabled(desk.client, endpoint)
    if not found:
        raise Stop("No endpoint is enabled.", REFUSED)
    for one in found:
        done = desk.client.webhook_endpoints.recover(one.id, since=moment)
        while done.has_more:
            say(f"{one.id}: {done.scheduled} more are sent.")
            done = desk.client.webhook_endpoints.recover(one.id, since=moment)
        desk.write(done.to_dict())


def span_of(text: str) -> int | None:
    """Seconds of a span like 90, 30m, 2h or 1d; None for what is none."""
    match = re.fullmatch(r"([0-9]{1,9})([smhd]?)", text)
    return int(match[1]) * SPANS[match[2] or "s"] if match else None


def needed_span(text: str) -> int:
    """The same, where it must be one. Raises: Stop."""
    seconds = span_of(text)
    if seconds is None:
        raise Stop(f"{text!r} is no span of time: 90, 30m, 2h or 1d.", MISUSED)
    return seconds
