"""What proves a payment without us: its signed receipt, and its flight record to be saved."""

from uuid import UUID

from django.http import HttpRequest, HttpResponse

from core.renderers import to_json
from core.snapshot import one_moment
from dashboard.finding import intent_of
from dashboard.page import draw, json_file
from dashboard.payments.calls import recording
from dashboard.payments.raw import laid_out
from dashboard.visit import Visit
from records.selectors import record_of
from records.statement import RECEIPT


def show_record(request: HttpRequest, visit: Visit, intent_id: UUID) -> HttpResponse:
    """The receipt in words, or what there is of the record before the payment settled."""
    intent = intent_of(visit, intent_id)
    record = record_of(intent)
    receipts = [seal for seal in record["seals"] if seal["statement"]["type"] == RECEIPT]
    seal = receipts[-1] if receipts else None
    context = {
        "intent": intent,
        "seal": seal,
        "receipt": seal["statement"] if seal else None,
        "entries": record["entries"],
        "head": record["head"],
        "raw": laid_out(seal) if seal else "",
        "call": recording(intent),
    }
    return draw(request, visit, "dashboard/payments/record.html", context)


def download_record(_request: HttpRequest, visit: Visit, intent_id: UUID) -> HttpResponse:
    """The record as a file, exactly as the API answers it."""
    intent = intent_of(visit, intent_id)
    with one_moment():
        content = to_json(record_of(intent))
    return json_file(f"flight-record-{intent.pk}.json", content)
