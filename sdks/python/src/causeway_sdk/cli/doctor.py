"""``causeway doctor``: looks for what usually is wrong, and says of each what to do."""

from __future__ import annotations

import base64
import binascii
import os
import sys
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import partial
from typing import Any
from urllib.parse import urlsplit

import click

from causeway_sdk import _generated, _http
from causeway_sdk._client import ADDRESS_NAME, KEY_NAME
from causeway_sdk._core import APIConnectionError, APIError, CausewayError, PermissionDeniedError, as_object, decode
from causeway_sdk.cli.desk import REFUSED, UNANSWERED, UNKNOWN_KEY, Client, Desk, Stop
from causeway_sdk.cli.listen import own_secrets
from causeway_sdk.webhooks import SECRET_NAME

Row = dict[str, Any]
clock = partial(datetime.now, UTC)
"""Named here so that a test can set it."""
LARGEST_SKEW = 60
"""Seconds. A signature is refused after 300: this is seen before it hurts."""
_RECENT = 50
_HERE = ("localhost", "127.0.0.1", "::1")
_ADDRESS = f"Set {ADDRESS_NAME} to the service's address, like http://localhost:8000, and see that it runs."
_KEYS = {
    "invalid_api_key": "Copy the key again: the dashboard's page API keys, in the mode you mean.",
    "revoked_api_key": "Make another key on the dashboard's page API keys.",
    "address_not_allowed": "Ask from an address that the key allows, or change its list on the dashboard.",
    "secret_key_required": "Use a secret key (sk_…): a publishable one only opens payers' pages.",
    "insufficient_scope": "Give the key more scopes, or use a secret one.",
    "merchant_suspended": "Ask the operator of the service.",
}
_RECEIVERS = {
    "dns_error": "Correct the host in its URL.",
    "tls_error": "Renew its certificate, or correct the host in its URL.",
    "connection_failed": "Start your receiver there, or use causeway listen --forward-to.",
    "disconnected": "Look into your receiver's log: it hangs up.",
    "timeout": "Store the event, answer, and work afterwards.",
    "connect_timeout": "Open its port to the service.",
    "address_not_allowed": "Use a public host, or causeway listen.",
    "401": f"Verify the raw body with this endpoint's secret ({SECRET_NAME}), and look at that machine's clock.",
    "404": "Correct the path in its URL.",
    "405": "Take POST at its URL.",
}
_REFUSALS = {
    "settlement_profile_missing": "Enter where money settles on the dashboard's page Settings.",
    "rate_limited": "Ask less often: causeway account get shows the limits.",
}


def row(check: str, found: str, do: str = "") -> Row:
    """One line: all is well where there is nothing to do."""
    return {"check": check, "ok": not do, "found": found, **({"do": do} if do else {})}


def examine(desk: Desk) -> Iterator[Row]:
    """Everything that can be looked at, one after the other. What all else needs comes first."""
    try:
        client = desk.client
        account = client.account.get()
        yield row("address", client.base_url)
    except (CausewayError, Stop) as error:
        yield first_fault(error)
        return
    yield row("key", f"{account.key.kind} key of {account.merchant.name}, {account.mode} mode")
    for look in (_scopes, _version, _clock):
        yield from look(account)
    yield from _readiness(desk, client)
    parts = {"endpoint": _endpoints, "secret": _secret, "requests": _requests}
    for name, part in parts.items():
        try:
            yield from part(client)
        except PermissionDeniedError:
            yield row(name, "not looked at: the key may not")


def first_fault(error: Exception) -> Row:
    """Why nobody could be asked who the key is."""
    if isinstance(error, APIConnectionError):
        return row("address", f"no answer: {error}", _ADDRESS)
    if not isinstance(error, APIError):
        words = error.message if isinstance(error, Stop) else str(error)
        return row(
            "address" if "ddress" in words or "base_url" in words else "key",
            words,
            f"Set {KEY_NAME} and {ADDRESS_NAME}.",
        )
    if error.code in _KEYS or error.status in {401, 403}:
        return row("key", f"{error.code}: {error.message}", _KEYS.get(error.code, "Use another key."))
    if error.status in {429, *range(500, 600)} and error.code != "unexpected_answer":
        return row("service", f"{error.code}: {error.message}", "Wait, then look at the service's log.")
    return row("address", f"something else answers there: {error}", _ADDRESS)


def _scopes(account: Any) -> Iterator[Row]:
    if account.key.kind == "restricted":
        able = ", ".join(account.key.scopes) or "nothing"
        may_create = "payment_intents:write" in account.key.scopes
        yield row("scopes", able, "" if may_create else "To create payments, give the key payment_intents:write.")


def _version(account: Any) -> Iterator[Row]:
    theirs, ours = account.api_version, _generated.API_VERSION
    same = theirs.split(".")[:2] == ours.split(".")[:2]
    newer = "the service" if theirs.split(".") < ours.split(".") else "causeway-sdk"
    yield row("version", f"service {theirs}, SDK {ours}", "" if same else f"Update {newer}.")


def _clock(account: Any) -> Iterator[Row]:
    apart = round((clock() - account.server_time).total_seconds())
    fault = abs(apart) > LARGEST_SKEW
    yield row(
        "clock",
        f"{apart:+d} s from the service's",
        "Set this machine's clock: signatures look old or early." if fault else "",
    )


def _readiness(desk: Desk, client: Client) -> Iterator[Row]:
    """What the service lacks. Why not by the SDK: not ready is an error there, without what is missing."""
    http = desk.http_client or _http.own_client()
    try:
        url = f"{client.base_url}/api/public/health/ready"
        answer = http.request("GET", url, content=None, headers={}, timeout=10.0)
        checks = as_object(as_object(decode(answer.content)).get("checks"))
    except ValueError:
        checks = {}
    faults = {name: one for name, one in checks.items() if as_object(one).get("status") != "ok"}
    for name, one in faults.items():
        yield row(
            "service",
            f"{name}: {as_object(one).get('detail') or 'unavailable'}",
            "Tell its operator; until then payments may wait.",
        )
    if not faults:
        yield row("service", "ready")


def _endpoints(client: Client) -> Iterator[Row]:
    found = list(client.webhook_endpoints.list())
    if not any(one.enabled for one in found):
        yield row(
            "endpoint", "none is enabled", "causeway listen, or create one: causeway webhook-endpoints create --help"
        )
    for one in found:
        name = one.url or f"{one.id} (fetched)"
        if not one.enabled:
            yield row(
                "endpoint",
                f"{name} is off: {one.disabled_reason}",
                f"causeway webhook-endpoints update {one.id} --enabled true",
            )
        elif one.url:
            yield _receiver(client, one, name)
        else:
            yield row("endpoint", name)
    settled = ("*", "payment_intent.*", "payment_intent.settled")
    if any(one.enabled for one in found) and not any(one.enabled and set(settled) & set(one.events) for one in found):
        yield row(
            "endpoint",
            "none gets payment_intent.settled",
            "Add it to the events of one: you learn there that you were paid.",
        )


def _receiver(client: Client, endpoint: Any, name: str) -> Row:
    """What came of the last delivery that was tried; else what its URL shows."""
    page = next(client.webhook_endpoints.list_deliveries(endpoint.id, limit=10).pages())
    attempt = next((one.attempts[-1] for one in page if one.attempts), None)
    status = attempt.response_status if attempt else None
    if attempt and not (status and 200 <= status < 300):
        word = str(attempt.error or status)
        usual = (
            "Name the final URL: redirects are not followed." if word[0] == "3" else "Look into your receiver's log."
        )
        return row("endpoint", f"{name}: {word}", _RECEIVERS.get("401" if word == "403" else word, usual))
    parts = urlsplit(str(endpoint.url))
    if parts.scheme == "http" and parts.hostname not in _HERE:
        return row("endpoint", f"{name} is not https", "Serve it by https: everybody on the way can read it.")
    if parts.hostname in _HERE and urlsplit(client.base_url).hostname not in _HERE:
        return row(
            "endpoint", f"{name} is the service's own machine", "Use a public URL, or causeway listen --forward-to."
        )
    return row("endpoint", name)


def _secret(client: Client) -> Iterator[Row]:
    """Whether the secret in the environment can be right. The service never shows one again, so some stay unknown."""
    secret, again = os.environ.get(SECRET_NAME, ""), f"Set {SECRET_NAME} to the secret of your endpoint (whsec_…)."
    if not secret:
        yield row("secret", f"{SECRET_NAME} is not set")
    elif secret != secret.strip() or not _is_secret(secret):
        yield row("secret", f"{SECRET_NAME} is no signing secret", again)
    elif secret in own_secrets():
        yield row("secret", "that of causeway listen")
    elif any(one.url for one in client.webhook_endpoints.list()):
        yield row("secret", "not that of causeway listen; an endpoint's is never shown again")
    else:
        yield row("secret", f"{SECRET_NAME} is of no endpoint", "causeway listen --print-secret shows the one in use.")


def _is_secret(text: str) -> bool:
    try:
        return text.startswith("whsec_") and len(base64.b64decode(text[6:], validate=True)) >= 24
    except binascii.Error:
        return False


def _requests(client: Client) -> Iterator[Row]:
    """What was refused of late, by its code."""
    page = next(client.account.list_requests(status=["4xx", "5xx"], limit=_RECENT).pages())
    count = Counter(one.code for one in page if one.code)
    for code, times in count.most_common():
        do = f"causeway logs tail shows them. {client.base_url}/docs/errors#{code}"
        yield row("requests", f"{code}: {times} of late", _REFUSALS.get(code, do))
    if not count:
        yield row("requests", "none refused of late")


@click.command
@click.pass_obj
def doctor(desk: Desk, /) -> None:
    """Look for what usually is wrong, and say what to do.

    The key and its scopes, the address, versions and clocks, the service, your endpoints and receivers, the
    signing secret, and what was refused of late. Exit code 1 where something is to be done, 3 or 4 as usual.
    """
    code = 0
    for one in examine(desk):
        if desk.is_piped:
            desk.write(one)
        else:
            click.echo(
                f"{'ok ' if one['ok'] else 'NO '} {one['check']:9} {one['found']}"
                + (f"\n      → {one['do']}" if "do" in one else "")
            )
        code = code or (0 if one["ok"] else {"address": UNANSWERED, "key": UNKNOWN_KEY}.get(one["check"], REFUSED))
    sys.exit(code)
