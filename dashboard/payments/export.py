"""Payments as a file, however many: read and written a thousand at a time."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse

from core.csv_export import csv_answer
from core.exact_json import ExactEncoder
from core.pagination import PageLimits, read_page
from core.shapes import fields_of
from dashboard.payments.listing import list_payments
from dashboard.payments.wanted import CUSTOMERS, wanted_by
from dashboard.visit import Visit
from merchants.acts import Act
from payments.models import Leg, PaymentIntent
from payments.shapes import PaymentIntentShape, intent_body

CHUNK = PageLimits(default=1000, maximum=1000)
COLUMNS = (*fields_of(PaymentIntentShape), "transaction_hashes")
"""Those of the interface, in its order and with its values, and the hashes by which chains know the payment."""


def export_payments(request: HttpRequest, visit: Visit) -> StreamingHttpResponse | HttpResponse:
    """Everything that is asked for as a file. Newest first; payers only for those who may see them."""
    wanted = wanted_by(visit, request.GET)
    found = wanted.narrow(PaymentIntent.objects.visible_to(visit.principal))
    if wanted.faults:
        return list_payments(request, visit)
    columns = [name for name in COLUMNS if name not in CUSTOMERS or visit.may(Act.SEE_CUSTOMERS)]
    return csv_answer(f"payments-{visit.mode}", columns, _rows(found, columns), whose=visit.person.pk)


def _rows(found: QuerySet[PaymentIntent], columns: Sequence[str]) -> Iterator[list[object]]:
    for intents in _chunks(found):
        hashes = _hashes([intent.pk for intent in intents])
        for intent in intents:
            body = _cells(intent_body(intent, settings.BASE_URL)) | {"transaction_hashes": " ".join(hashes[intent.pk])}
            yield [body[name] for name in columns]


def _chunks(found: QuerySet[PaymentIntent]) -> Iterator[Sequence[PaymentIntent]]:
    """Why by key and not by one cursor: a slow reader would hold a transaction open for as long as it reads."""
    place: dict[str, str] = {}
    while True:
        page = read_page(found, place, CHUNK, cursors=PaymentIntent.objects.all())
        yield page.rows
        if page.next_cursor is None:
            return
        place = {"starting_after": page.next_cursor}


def _cells(body: PaymentIntentShape) -> dict[str, Any]:
    error = body["last_error"]
    truths = {name: str(value).lower() for name, value in body.items() if isinstance(value, bool)}
    metadata = ExactEncoder().encode(body["metadata"]) if body["metadata"] else ""
    return body | truths | {"metadata": metadata, "last_error": error["code"] if error else ""}


def _hashes(intents: Sequence[UUID]) -> dict[UUID, list[str]]:
    """Where on chains each payment can be found, in the order of its transactions; one query for a chunk."""
    found: dict[UUID, list[str]] = defaultdict(list)
    sent = Leg.objects.filter(intent__in=intents).exclude(tx_hash="").order_by("sequence", "pk")
    for intent_id, left, arrived in sent.values_list("intent_id", "tx_hash", "destination_tx_hash"):
        found[intent_id] += [one for one in dict.fromkeys((left, arrived)) if one]
    return found
