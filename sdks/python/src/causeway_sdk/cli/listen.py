"""``causeway listen``: shows events from a cursor on, or hands those of an endpoint of its own on as they were signed.

The cursor is kept after an event was shown, and an event is answered after it was handed on. So whatever ends this
program between the two, it comes again.
"""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from typing import Any

import click

from causeway_sdk import _http, webhooks
from causeway_sdk._core import APIConnectionError, APIError, NotFoundError, as_object, decode
from causeway_sdk.cli.desk import REFUSED, Client, Desk, Stop, keep_in, kept_in, say

KEPT = "listen.json"
"""How far events were shown, and the endpoints of this person's machine, with their secrets."""
HELD = 25
"""Seconds that the service may hold a question open."""
AT_ONCE, FORWARD_SECONDS = 5, 5.0
"""Why so few: together they are handed on within the 30 seconds for which they are given out."""
_PAUSE = 2.0


@dataclass(frozen=True)
class Listener:
    """One endpoint, and where its events go."""

    desk: Desk
    endpoint: str
    secret: str
    forward_to: str | None

    def turn(self, wait: int) -> int:
        """Take what is due, and say how much that was. Raises: APIError, APIConnectionError, Stop."""
        asked = self.desk.client.webhook_endpoints.pull_deliveries(self.endpoint, limit=AT_ONCE, wait=wait or None)
        given: list[dict[str, Any]] = asked.to_dict().get("data") or []
        for one in given:
            self._take(one)
        return len(given)

    def _take(self, given: dict[str, Any]) -> None:
        raw, headers = given["body"].encode(), dict(given["headers"])
        try:
            webhooks.verify(raw, headers, self.secret)
        except webhooks.WebhookVerificationError as error:
            raise Stop(f"{error} Look at this machine's clock, and whether the secret was rotated.", REFUSED) from None
        self.desk.write(as_object(decode(raw)))
        started = time.monotonic()
        outcome: dict[str, Any] = self._forward(raw, headers) if self.forward_to else {"status": 200}
        spent = int((time.monotonic() - started) * 1000)
        said = outcome.get("status") or outcome["error"]
        say(f"{given['event_id']} attempt {given['attempt']}: {said}")
        self.desk.client.webhook_endpoints.answer_delivery(
            self.endpoint, delivery_id=given["delivery_id"], attempt=given["attempt"], latency_ms=spent, **outcome
        )

    def _forward(self, raw: bytes, headers: dict[str, str]) -> dict[str, Any]:
        client = self.desk.http_client or _http.own_client()
        try:
            answer = client.request(
                "POST", self.forward_to or "", content=raw, headers=headers, timeout=FORWARD_SECONDS
            )
        except Exception as error:
            if not _http.is_of_transport(error):
                raise
            return {"error": "timeout" if "Timeout" in type(error).__name__ else "connection_failed"}
        return {"status": answer.status_code, "body": answer.content[:1000].decode(errors="replace")}


def _keep(name: str, value: dict[str, str]) -> None:
    keep_in(KEPT, {**kept_in(KEPT), name: value})


def own_secrets() -> set[str]:
    """The signing secrets of this machine's endpoints."""
    found = (as_object(one).get("secret") for one in kept_in(KEPT).values())
    return {str(one) for one in found if one}


def _own_name(client: Client) -> str:
    """What is kept of a service, a merchant and a mode stands under this name."""
    account = client.account.get().to_dict()
    return f"{client.base_url} {account['merchant']['id']} {account['mode']}"


class KeptCursor:
    """How far ``listen`` has shown events, as the store that catching up is given."""

    def __init__(self, client: Client) -> None:
        self._name = f"cursor {_own_name(client)}"

    def load(self) -> str | None:
        """The cursor that was saved last; None before the first."""
        return as_object(kept_in(KEPT).get(self._name)).get("cursor")

    def save(self, cursor: str) -> None:
        """Keep a cursor."""
        _keep(self._name, {"cursor": cursor})


def show(desk: Desk, events: str, *, once: bool) -> None:
    """Show what came since the last time, and unless it is once, what comes. Begins with what is still to come."""
    store, types = KeptCursor(desk.client), None if "*" in events.split(",") else events
    try:
        if once:
            desk.client.events.catch_up("now", lambda event, _: desk.write(event.to_dict()), store=store, type=types)
            return
        following = desk.client.events.follow(store.load() or "now", type=types)
        for event in following:
            desk.write(event.to_dict())
            store.save(following.cursor or "")
    except APIError as error:
        if error.code == "cursor_expired":
            store.save("now")
        raise


def own_endpoint(client: Client, events: list[str]) -> tuple[str, str]:
    """The id and the secret of this machine's endpoint, which is made the first time.

    Why its idempotency key is kept before it is made: who is ended in between asks with it again, and gets that one.
    """
    name = _own_name(client)
    kept = as_object(kept_in(KEPT).get(name))
    if "id" in kept:
        try:
            client.webhook_endpoints.update(kept["id"], events=events, enabled=True)
        except NotFoundError:
            kept = {}
    if "id" not in kept:
        key = kept.get("key") or os.urandom(16).hex()
        _keep(name, {"key": key})
        made = client.webhook_endpoints.create(kind="pull", events=["*"], idempotency_key=key)
        kept = {"id": made.id, "secret": made.secret}
        _keep(name, kept)
        client.webhook_endpoints.update(made.id, events=events)
    return kept["id"], kept["secret"]


@click.command
@click.option("--forward-to", metavar="URL", help="Post each event there, exactly as it was signed.")
@click.option("--events", default="*", help="Event types or `<resource>.*`, separated by commas.", show_default=True)
@click.option("--since", metavar="TIME", help="First send again what was not delivered since this RFC 3339 time.")
@click.option("--print-secret", is_flag=True, help="Write the signing secret, which stays the same, and end.")
@click.option("--once", is_flag=True, help="End when nothing more is due.")
@click.pass_obj
def listen(desk: Desk, /, forward_to: str | None, events: str, since: str | None, **chosen: bool) -> None:
    """Show events as they happen, and post them to your machine.

    Events wait on the service while this does not run, for 30 days. Each comes at least once: remember its id.
    """
    if not (forward_to or since or chosen["print_secret"]):
        say(f"Listening to {events}.")
        show(desk, events, once=chosen["once"])
        return
    endpoint, secret = own_endpoint(desk.client, events.split(","))
    if chosen["print_secret"]:
        click.echo(secret)
        return
    if since:
        desk.client.webhook_endpoints.recover(endpoint, since=since)
    say(f"Listening to {events} as {endpoint}." + (f" Each goes to {forward_to}." if forward_to else ""))
    listener = Listener(desk, endpoint, secret, forward_to)
    while True:
        asked = _http.now()
        try:
            taken = listener.turn(0 if chosen["once"] else HELD)
        except (APIConnectionError, APIError) as error:
            if not error.retryable:
                raise
            say(f"{error} Trying again.")
            _http.pause(_PAUSE)
            continue
        if chosen["once"] and not taken:
            return
        if not taken:
            _http.pause(_http.rest_since(asked))
