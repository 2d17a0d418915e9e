"""Traces in one process: what a span says and where it stands, and that nothing is done where there are none."""

import logging
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any, get_type_hints
from uuid import UUID, uuid4

import orjson
import pytest
from django.conf import settings
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind

from config.request_notes import trace_request
from config.whole_requests import Answer, Environment
from core import traces as module
from core.clock import now
from core.logs import LineFormatter
from core.trace_places import Facts, place_of_event, root_of
from core.trace_sender import Sender
from core.traces import traces
from tests.conftest import ApiClient
from tests.payments.world import World, create, pay
from tests.webhooks.receivers import answer, receiver_on
from webhooks.delivery import drain
from webhooks.models import Event

SUBJECT = UUID("00000000-0000-4000-8000-000000000001")
CALLER = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
KNOWN = {f"causeway.{name}" for name in get_type_hints(Facts)} | {"error.type"}
SHAPE = re.compile(r"[A-Za-z0-9_{}/ .-]{0,120}")

Spans = Callable[[], list[ReadableSpan]]


@pytest.fixture
def spans(monkeypatch: pytest.MonkeyPatch) -> Spans:
    """What this process would send."""
    kept = InMemorySpanExporter()
    monkeypatch.setattr(traces, "_sender", Sender("test", SimpleSpanProcessor(kept)))
    monkeypatch.setattr(traces, "is_on", True)
    return lambda: list(kept.get_finished_spans())


def place(span: ReadableSpan) -> tuple[int, int]:
    assert span.context is not None
    return span.context.trace_id, span.context.span_id


def above(span: ReadableSpan) -> int | None:
    return None if span.parent is None else span.parent.span_id


def request(path: str, method: str = "POST", **headers: str) -> Environment:
    return {"REQUEST_METHOD": method, "PATH_INFO": f"/api/public/v1/{path}", **headers}


def answered(status: int, body: object = None, **headers: str) -> Answer:
    named = [(name.replace("_", "-"), value) for name, value in headers.items()]
    return Answer(status=status, headers=named, content=orjson.dumps(body))


def test_the_numbers_follow_from_the_row_alone_and_tell_nothing_of_it() -> None:
    """By hand: another process, another release and another language must come to the same."""
    assert root_of(SUBJECT) == (0xA2C177E921AB4B14D122F52F4AFC1F94, 0x4A38A374E911F37D)
    assert place_of_event(SUBJECT, "evt_1").trace == root_of(SUBJECT).trace
    places = {root_of(uuid4()) for _ in range(100)} | {
        place_of_event(SUBJECT, f"evt_{number}") for number in range(100)
    }
    assert len({one.span for one in places}) == 200
    assert SUBJECT.hex not in f"{root_of(SUBJECT).trace:032x}{root_of(SUBJECT).span:016x}"


@pytest.mark.slow
def test_nothing_is_done_or_loaded_where_no_collector_is_named() -> None:
    """In a process of its own: this one has loaded the library."""
    program = (
        "import django; django.setup(); import sys; from uuid import uuid4; from core.traces import traces\n"
        "import config.request_notes, payments.services.advance, webhooks.delivery\n"
        "with traces.span('payment step', uuid4()): traces.happened('settle', 'settled')\n"
        "traces.was('x', None, None, None); assert traces.post('x', None) is None and traces.current() == ''\n"
        "assert not traces.is_on and not [name for name in sys.modules if name.startswith('opentelemetry')]"
    )
    environment = {name: value for name, value in os.environ.items() if not name.startswith("OTEL_")}
    environment |= {"DJANGO_SETTINGS_MODULE": "config.settings_test"}
    done = subprocess.run(
        [sys.executable, "-c", program],
        check=False,
        env=environment,
        cwd=settings.BASE_DIR,
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_a_collector_without_the_library_is_said_once_and_costs_nothing(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setitem(sys.modules, "core.trace_sender", None)
    own = module.Traces()
    own.begin("web")
    assert (own.is_on, own.sender) == (False, None)
    assert caplog.messages == ["No traces: OpenTelemetry is not installed: pip install -r requirements/traces.txt"]


def test_an_environment_that_the_library_cannot_read_switches_traces_off(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(_program: str) -> Sender:
        assert own.current() == ""  # as a line of the log asks that is written meanwhile
        raise ValueError("planted")

    monkeypatch.setattr("core.trace_sender.Sender", broken)
    own = module.Traces()
    own.begin("web")
    with own.span("payment step", SUBJECT):
        assert not own.is_on
    assert caplog.messages == ["No traces: what the environment says of them cannot be used"]


def test_a_request_that_makes_something_is_the_first_span_and_links_to_the_callers(spans: Spans) -> None:
    header = f"00-{CALLER[0]}-{CALLER[1]}-01"
    body = {"id": str(SUBJECT)}
    trace_request(request("payment-intents", HTTP_TRACEPARENT=header), answered(201, body, Request_Id="req_1"), 0.25)
    trace_request(request("payment-intents"), answered(201, body, Idempotent_Replayed="true"), 0.25)
    trace_request(request(f"payment-intents/pi_{SUBJECT.hex}/cancel"), answered(500), 0.25)
    first, again, failed = spans()
    root = root_of(SUBJECT)
    assert (place(first), above(first), first.kind) == (root, None, SpanKind.SERVER)
    assert [(link.context.trace_id, link.context.span_id) for link in first.links] == [
        (int(CALLER[0], 16), int(CALLER[1], 16))
    ]
    assert first.start_time is not None
    assert first.end_time is not None
    assert first.end_time - first.start_time == 250_000_000
    assert (above(again), above(failed)) == (root.span, root.span)
    assert failed.name == "POST /api/public/v1/payment-intents/{id}/cancel"
    assert (first.status.is_ok, failed.status.is_ok) == (True, False)
    assert dict(first.attributes or {}) == {
        "causeway.subject": str(SUBJECT),
        "causeway.method": "POST",
        "causeway.route": "/api/public/v1/payment-intents",
        "causeway.status": "201",
        "causeway.request": "req_1",
    }


@pytest.mark.parametrize(
    ("asked", "given"),
    [
        (request(f"payment-intents/{SUBJECT}", "GET"), answered(200)),
        (request(f"payment-intents/{SUBJECT}/cancel"), answered(404)),
        (request(f"checkout/{SUBJECT}/quote"), answered(429)),
        (request("payment-intents"), answered(422, {"error": {}})),
        (request("payment-intents"), answered(401, {"error": {}})),
        (request("webhook-endpoints"), answered(201, {"id": str(SUBJECT)})),
        ({"REQUEST_METHOD": "POST", "PATH_INFO": "/dashboard/"}, answered(200)),
    ],
)
def test_what_only_reads_or_is_nobodys_is_no_span(spans: Spans, asked: Environment, given: Answer) -> None:
    trace_request(asked, given, 0.25)
    assert spans() == []


@pytest.mark.parametrize("header", ["", "00-0-0-01", f"ff-{CALLER[0]}-{CALLER[1]}-01", f"00-{'0' * 32}-{CALLER[1]}-01"])
def test_a_header_that_is_no_traceparent_links_nowhere(spans: Spans, header: str) -> None:
    asked = request("payment-intents", HTTP_TRACEPARENT=header)
    trace_request(asked, answered(201, {"id": str(SUBJECT)}), 0.25)
    assert [span.links for span in spans()] == [()]


def test_spans_stand_under_the_open_one_of_their_own_trace_only(spans: Spans) -> None:
    other = uuid4()
    with traces.span("outer", SUBJECT), traces.span("inner", SUBJECT), traces.span("stranger", other):
        traces.was("over", None, now(), now(), subject=SUBJECT)
    over, stranger, inner, outer = spans()
    assert above(outer) == above(over) == root_of(SUBJECT).span
    assert (place(inner)[0], above(inner)) == (root_of(SUBJECT).trace, place(outer)[1])
    assert (place(stranger)[0], above(stranger)) == root_of(other)


def test_an_error_is_named_and_never_quoted(spans: Spans) -> None:
    with pytest.raises(ValueError, match="sk_live_planted"), traces.span("payment plan", SUBJECT):
        raise ValueError("sk_live_planted of 0xPayer")
    [span] = spans()
    assert (span.status.is_ok, span.status.description, span.events) == (False, None, ())
    assert dict(span.attributes or {}) == {"causeway.subject": str(SUBJECT), "error.type": "ValueError"}


def test_a_line_of_the_log_says_in_which_trace_it_was_written(spans: Spans) -> None:
    record = logging.makeLogRecord({"name": "causeway.x", "levelname": "ERROR", "msg": "it broke"})
    line = LineFormatter()
    with traces.span("payment step", SUBJECT):
        inside = line.format(record)
    assert inside.endswith(f"it broke [trace={root_of(SUBJECT).trace:032x}]")
    assert line.format(record).endswith("it broke")


@pytest.fixture
def told(world: World, api: ApiClient, spans: Spans) -> Iterator[tuple[dict[str, Any], list[ReadableSpan]]]:
    """A payment that settled, and a receiver that refused its first event."""
    with receiver_on() as receiver:
        made = api.post("/webhook-endpoints", {"url": receiver.url, "events": ["*"]})
        assert made.status == 201
        receiver.script = answer(500)
        intent = create(api, customer_email="payer@shop.example", reference="order 7", metadata={"who": "0xSecret"})
        drain()
        receiver.script = answer(200)
        assert pay(api, intent).status == 200
        world.run(120)
        drain()
        yield intent, spans()


@pytest.mark.slow
def test_no_span_says_who_paid_how_much_or_what_anybody_typed(
    told: tuple[dict[str, Any], list[ReadableSpan]],
) -> None:
    intent, sent = told
    assert {span.name for span in sent} >= {"payment step", "payment confirm", "webhook post"}
    for span in sent:
        attributes = dict(span.attributes or {})
        assert set(attributes) <= KNOWN
        for value in [span.name, *attributes.values(), *(event.name for event in span.events)]:
            assert SHAPE.fullmatch(str(value)), value
            assert "0x" not in str(value)
    text = " ".join(span.to_json() for span in sent)
    assert "payment_intent.settled" in text
    for secret in ("payer@", "order 7", "0xSecret", "whsec_", "sk_test", "25.00", intent["settlement_address"]):
        assert secret not in text


@pytest.mark.slow
def test_each_event_and_each_attempt_to_deliver_it_is_a_span(
    told: tuple[dict[str, Any], list[ReadableSpan]],
) -> None:
    intent, sent = told
    subject = UUID(intent["id"])
    stored = dict(Event.objects.filter(resource_id=subject).order_by("sequence").values_list("id", "type"))
    events = {str((span.attributes or {})["causeway.event"]): span for span in sent if span.name.startswith("event ")}
    assert {key: span.name for key, span in events.items()} == {key: f"event {kind}" for key, kind in stored.items()}
    assert {place(span) for span in events.values()} == {place_of_event(subject, key) for key in stored}
    posts = [span for span in sent if span.name == "webhook post"]
    assert {above(span) for span in posts} == {place(span)[1] for span in events.values()}
    refused = [dict(span.attributes or {}) for span in posts if not span.status.is_ok]
    assert [(one["causeway.status"], one["causeway.error"]) for one in refused] == [("500", "refused")]
