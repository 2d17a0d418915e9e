"""``causeway logs``: what your keys asked and were answered."""

from __future__ import annotations

from collections.abc import Iterator

import click

from causeway_sdk import _http
from causeway_sdk._generated import LoggedRequest
from causeway_sdk.cli.desk import Client, Desk

EVERY = 2.0
"""Seconds between two looks."""
_OWN = "/api/public/v1/request-log"
"""What this asks itself is left out: else each look would show the one before."""


@click.group
def logs() -> None:
    """What your keys asked, and were answered."""


def newer(client: Client, last: str, status: str | None, path: str | None) -> Iterator[LoggedRequest]:
    """What came after that one, oldest first; with none before it, whatever there is."""
    for page in client.account.list_requests(ending_before=last or None, limit=100, status=status, path=path).pages():
        yield from reversed(page.data)


@logs.command
@click.option("--lines", default=10, show_default=True, help="How many of before are shown first.")
@click.option("--status", metavar="STATUS", help="Only these: 404, or a class like 5xx, separated by commas.")
@click.option("--path", help="Only this whole path.")
@click.option("--once", is_flag=True, help="End instead of following.")
@click.pass_obj
def tail(desk: Desk, /, lines: int, status: str | None, path: str | None, *, once: bool) -> None:
    """Show requests as they come, oldest first."""
    client = desk.client
    newest = next(client.account.list_requests(limit=min(max(lines, 1), 100), status=status, path=path).pages())
    rows = newest.data[::-1]
    before = None if rows else client.account.list_requests(limit=1).first()
    last = before.id if before else ""
    while True:
        for one in rows:
            last = one.id
            if one.path != _OWN:
                write(desk, one)
        if once:
            return
        _http.pause(EVERY)
        rows = list(newer(client, last, status, path))


def write(desk: Desk, one: LoggedRequest) -> None:
    """One request: JSON where a program reads, else a line."""
    if desk.is_piped:
        desk.write(one.to_dict())
    else:
        query = f"?{one.query}" if one.query else ""
        code = f"  {one.code}" if one.code else ""
        click.echo(
            f"{one.created_at:%H:%M:%S}  {one.status}  {one.duration_ms:5} ms  {one.method:6} {one.path}{query}{code}"
        )
