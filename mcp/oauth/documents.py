"""Clients that are known by the address of a document about them: wanted here, read by a worker, believed when stored.

Why in two steps: no web request of this service waits for somebody else's server. Only people who signed in can make
the service read an address, and only so many at a time. Source: rulings, No network; agents, Native support (CIMD).
"""

import asyncio
import json
from datetime import timedelta
from enum import StrEnum
from typing import Any, Final

from django.db import transaction
from oauth2_provider.cimd import CIMDError, _effective_max_age, _validate_client_id_url

from core.clock import now
from core.dispatch import nudge
from core.exact_json import is_deeper_than
from core.leases import take_due
from core.outbound.addresses import Reach
from core.outbound.destinations import UrlRefused, read_destination
from mcp.models import ClientDocument
from mcp.oauth.redirects import RedirectRefused, check_redirect_uris

MAX_DOCUMENT_BYTES: Final = 16 * 1024
MOST_DEPTH: Final = 8
MOST_WAITING: Final = 100
PATIENCE, TRY_AGAIN_AFTER, LEASE = timedelta(seconds=30), timedelta(seconds=60), timedelta(seconds=60)
_MAX_URL_LENGTH: Final = 255
_FOUND: Final = 200


class Standing(StrEnum):
    """Whether a document can be believed now."""

    KNOWN = "known"
    AWAITED = "awaited"
    REFUSED = "refused"


class DocumentRefused(Exception):
    """What was read is no such document; ``reason`` is one stable word."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class StoredDocuments:
    """The library's source of documents: it believes what is stored and fresh, and never reaches out."""

    def fetch(self, client_id: str) -> tuple[dict[str, Any], int]:
        """The document and how many seconds it stays fresh. Raises: CIMDError."""
        moment = now()
        found = ClientDocument.objects.filter(url=client_id, fresh_until__gt=moment).exclude(body="").first()
        if found is None or found.fresh_until is None:
            raise CIMDError("not read yet")
        return _described(found.body), max(1, int((found.fresh_until - moment).total_seconds()))


def names_a_document(client_id: str) -> bool:
    """Whether this is an address that may be read for a client."""
    if not client_id.startswith("https://") or len(client_id) > _MAX_URL_LENGTH:
        return False
    try:
        _validate_client_id_url(client_id)
        read_destination(client_id, Reach.PUBLIC)
    except (CIMDError, UrlRefused, ValueError):
        return False
    return True


def want(url: str) -> Standing:
    """Ask for a document to be read soon, unless it was; a stale one is believed until then."""
    moment = now()
    with transaction.atomic():
        if _is_full(url):
            return Standing.REFUSED
        ClientDocument.objects.get_or_create(url=url)
        known = ClientDocument.objects.select_for_update().get(url=url)
        if _is_settled(known):
            return Standing.REFUSED if known.problem and not known.body else Standing.KNOWN
        if known.next_attempt_at is None:
            known.wanted_at, known.next_attempt_at = moment, moment
            known.save(update_fields=["wanted_at", "next_attempt_at"])
        nudge("mcp.read_client_documents")
    if known.body:
        return Standing.KNOWN
    return Standing.AWAITED if known.wanted_at > moment - PATIENCE else Standing.REFUSED


def read_due(most: int = 10) -> int:
    """Read what is wanted; returns how many. Called by a worker, outside any transaction."""
    with transaction.atomic():
        mine = take_due(ClientDocument.objects.all(), most=most, until=now() + LEASE)
    for wanted in ClientDocument.objects.filter(pk__in=[str(pk) for pk in mine]):
        _read_one(wanted)
    return len(mine)


def read_document(url: str, reach: Reach = Reach.PUBLIC) -> tuple[str, int]:
    """The text at an address and how many seconds it stays fresh. Raises: DocumentRefused."""
    from core.outbound.client import GuardedClient, Undelivered  # noqa: PLC0415  (slow import)

    async def ask() -> Any:
        client = await GuardedClient.open(reach)
        try:
            return await client.get(url, {"Accept": "application/json"})
        finally:
            await client.close()

    try:
        answer = asyncio.run(ask())
    except Undelivered as error:
        raise DocumentRefused(error.reason) from error
    if answer.status != _FOUND:
        raise DocumentRefused(f"http_{answer.status}")
    kind = (answer.header("Content-Type") or "").partition(";")[0].strip().lower()
    if kind != "application/json" and not (kind.startswith("application/") and kind.endswith("+json")):
        raise DocumentRefused("not_json")
    return _text(answer.body), _effective_max_age(answer.header("Cache-Control"))


def _text(body: bytes) -> str:
    if len(body) > MAX_DOCUMENT_BYTES:
        raise DocumentRefused("too_long")
    try:
        text = body.decode()
        described = None if is_deeper_than(text, MOST_DEPTH) else json.loads(text)
    except (ValueError, RecursionError) as error:
        raise DocumentRefused("not_json") from error
    if not isinstance(described, dict) or "\x00" in text:
        raise DocumentRefused("not_json")
    return text


def _described(body: str) -> dict[str, Any]:
    described: dict[str, Any] = json.loads(body)
    uris = described.get("redirect_uris")
    try:
        check_redirect_uris([str(uri) for uri in uris] if isinstance(uris, list) else [])
    except RedirectRefused as error:
        raise CIMDError(str(error)) from error
    return described


def _read_one(wanted: ClientDocument) -> None:
    """Write down what was read; what cannot be read leaves the last good text in place."""
    try:
        body, seconds = read_document(wanted.url)
        found = {"body": body, "problem": "", "fresh_until": now() + timedelta(seconds=seconds)}
    except DocumentRefused as refusal:
        found = {"problem": refusal.reason[:40]}
    ClientDocument.objects.filter(pk=wanted.pk).update(**found, read_at=now(), next_attempt_at=None)


def _is_settled(known: ClientDocument) -> bool:
    """Whether nothing has to be read now: it is fresh, or failed a moment ago."""
    moment = now()
    if known.fresh_until is not None and known.fresh_until > moment:
        return True
    return bool(known.problem) and known.read_at is not None and known.read_at > moment - TRY_AGAIN_AFTER


def _is_full(url: str) -> bool:
    waiting = ClientDocument.objects.filter(next_attempt_at__isnull=False).exclude(url=url)
    return bool(waiting.count() >= MOST_WAITING)
