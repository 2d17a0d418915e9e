"""Clients that are known by the address of a document about them: wanted here, read by a worker, believed when stored.

Why in two steps: no web request of this service waits for somebody else's server. Only people who signed in can make
the service read an address, and only so many at a time. Source: docs/adr/0021.
"""

import asyncio
import json
from collections.abc import Sequence
from datetime import timedelta
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final

from django.db import transaction

from core.clock import now
from core.dispatch import nudge
from core.exact_json import is_deeper_than
from core.leases import take_due
from core.locks import Turn
from core.outbound.addresses import Reach
from core.outbound.answers import Answer, Undelivered
from core.outbound.destinations import UrlRefused, read_destination
from mcp.models import ClientDocument
from mcp.redirects import RedirectRefused, check_redirect_uris

if TYPE_CHECKING:
    from core.outbound.client import GuardedClient

MAX_DOCUMENT_BYTES: Final = 16 * 1024
MOST_DEPTH: Final = 8
MOST_WAITING: Final = 100
MOST_AT_ONCE: Final = 10
READ_SECONDS: Final = 5
"""For everything about one document, its server's name and TLS included."""
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
        from oauth2_provider.cimd import CIMDError  # noqa: PLC0415  (slow import)

        moment = now()
        found = ClientDocument.objects.filter(url=client_id, fresh_until__gt=moment).exclude(body="").first()
        if found is None or found.fresh_until is None:
            raise CIMDError("not read yet")
        described: dict[str, Any] = json.loads(found.body)
        uris = described.get("redirect_uris")
        try:
            check_redirect_uris([str(uri) for uri in uris] if isinstance(uris, list) else [])
        except RedirectRefused as error:
            raise CIMDError(str(error)) from error
        return described, max(1, int((found.fresh_until - moment).total_seconds()))


def names_a_document(client_id: str) -> bool:
    """Whether this is an address that may be read for a client."""
    if not client_id.startswith("https://") or len(client_id) > _MAX_URL_LENGTH:
        return False
    from oauth2_provider.cimd import CIMDError, _validate_client_id_url  # noqa: PLC0415  (slow import)

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
        waiting = ClientDocument.objects.filter(next_attempt_at__isnull=False).exclude(url=url)
        if waiting.count() >= MOST_WAITING:
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


def read_due(most: int = MOST_AT_ONCE) -> int:
    """Read what is wanted, all at once and within ``READ_SECONDS``; returns how many.

    Called by a worker, outside any transaction. One worker reads at a time: servers that do not answer must not be able
    to hold more than one.
    """
    turn = Turn("mcp.read_client_documents")
    if not turn.take():
        return 0
    try:
        with transaction.atomic():
            mine = take_due(ClientDocument.objects.all(), most=most, until=now() + LEASE)
        urls = list(ClientDocument.objects.filter(pk__in=[str(pk) for pk in mine]).values_list("url", flat=True))
        for url, found in zip(urls, read_documents(urls), strict=True):
            _write_down(url, found)
        return len(mine)
    finally:
        turn.give_up()


def read_documents(urls: Sequence[str], reach: Reach = Reach.PUBLIC) -> list[tuple[str, int] | DocumentRefused]:
    """The text at each address and how many seconds it stays fresh, or why there is none."""
    if not urls:
        return []
    from core.outbound.client import GuardedClient  # noqa: PLC0415  (slow import)

    async def ask() -> list[tuple[str, int] | DocumentRefused]:
        client = await GuardedClient.open(reach)
        try:
            return await asyncio.gather(*(_read(client, url) for url in urls))
        finally:
            await client.close()

    return asyncio.run(ask())


async def _read(client: "GuardedClient", url: str) -> tuple[str, int] | DocumentRefused:
    try:
        async with asyncio.timeout(READ_SECONDS):
            answer = await client.get(url, {"Accept": "application/json", "User-Agent": "Causeway"})
        return _judge(answer)
    except TimeoutError:
        return DocumentRefused("timeout")
    except Undelivered as error:
        return DocumentRefused(error.reason)
    except DocumentRefused as refusal:
        return refusal


def _judge(answer: Answer) -> tuple[str, int]:
    """Raises: DocumentRefused."""
    if answer.status != _FOUND:
        raise DocumentRefused(f"http_{answer.status}")
    kind = (answer.header("Content-Type") or "").partition(";")[0].strip().lower()
    if kind != "application/json" and not (kind.startswith("application/") and kind.endswith("+json")):
        raise DocumentRefused("not_json")
    from oauth2_provider.cimd import _effective_max_age  # noqa: PLC0415  (slow import)

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


def _write_down(url: str, found: tuple[str, int] | DocumentRefused) -> None:
    """What cannot be read leaves the last good text in place."""
    if isinstance(found, DocumentRefused):
        values: dict[str, Any] = {"problem": found.reason[:40]}
    else:
        values = {"body": found[0], "problem": "", "fresh_until": now() + timedelta(seconds=found[1])}
    ClientDocument.objects.filter(url=url).update(**values, read_at=now(), next_attempt_at=None)


def _is_settled(known: ClientDocument) -> bool:
    """Whether nothing has to be read now: it is fresh, or failed a moment ago."""
    moment = now()
    if known.fresh_until is not None and known.fresh_until > moment:
        return True
    return bool(known.problem) and known.read_at is not None and known.read_at > moment - TRY_AGAIN_AFTER
