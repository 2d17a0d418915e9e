"""``causeway webhooks certify``: has an endpoint's receiver tested, waits for the report, and shows it."""

from __future__ import annotations

import click

from causeway_sdk import _http
from causeway_sdk.cli.desk import REFUSED, Desk, Stop, say

PAUSE, LONGEST = 1.0, 180.0
"""Seconds: between two looks, and until nobody waits any longer. A test takes a minute, and may wait for another."""


@click.command
@click.argument("endpoint_id")
@click.pass_obj
def certify(desk: Desk, /, endpoint_id: str) -> None:
    """Send a battery of hostile requests to an endpoint's receiver, and show what it did.

    Exits with 1 where a check failed. With --json the exact bytes that were answered wrong are shown.
    """
    service, ends = desk.client.webhook_endpoints, _http.now() + LONGEST
    found = service.certify(endpoint_id)
    while found.is_running:
        if _http.now() > ends:
            raise Stop("The test has not ended. Read it later: webhook-endpoints get-certificate", REFUSED)
        _http.pause(PAUSE)
        found = service.get_certificate(endpoint_id)
    checks = [one.to_dict() for one in found.checks]
    if desk.as_json:
        desk.write(found.to_dict())
    else:
        desk.write_rows({"name": one["name"], "passed": one["passed"], "about": one["about"]} for one in checks)
    say(f"{found.score} of {found.out_of}.")
    if found.score < found.out_of:
        raise click.exceptions.Exit(REFUSED)
