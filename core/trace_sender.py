"""Makes spans by OpenTelemetry's library, which sends them in batches from a thread of its own.

How, where to and how much of it the standard names of the environment say (``OTEL_…``), read by the library itself.
Source: https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/.
"""

import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from multiprocessing.util import Finalize
from typing import Final
from uuid import UUID

from opentelemetry.context import Context
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import SERVICE_NAME, Resource
from opentelemetry.sdk.trace import SpanProcessor, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.sdk.trace.id_generator import RandomIdGenerator
from opentelemetry.sdk.trace.sampling import Decision
from opentelemetry.trace import (
    Link,
    NonRecordingSpan,
    Span,
    SpanContext,
    SpanKind,
    Status,
    StatusCode,
    TraceFlags,
    get_current_span,
    set_span_in_context,
)

from core.trace_places import Facts, Place, root_of

END_SECONDS: Final = 2.0
"""How long a process that ends waits for a collector."""
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND: Final = timedelta(microseconds=1)
_TRACEPARENT: Final = re.compile(r"(?!ff)[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-|$)")
_UNNAMED: Final = "unknown_service"
"""As the library names a service that the environment does not."""

Attributes = dict[str, str | int]


class _ChosenIds(RandomIdGenerator):
    """Numbers that were chosen for the next span of this thread; else random ones."""

    def __init__(self) -> None:
        self._chosen = threading.local()

    @contextmanager
    def being(self, place: Place | None) -> Iterator[None]:
        """The next span stands there."""
        self._chosen.place = place
        try:
            yield
        finally:
            self._chosen.place = None

    def generate_trace_id(self) -> int:
        place: Place | None = getattr(self._chosen, "place", None)
        return super().generate_trace_id() if place is None else place.trace

    def generate_span_id(self) -> int:
        place: Place | None = getattr(self._chosen, "place", None)
        return super().generate_span_id() if place is None else place.span

    def is_trace_id_random(self) -> bool:
        """Why not: the numbers are a hash, and the flag is young."""
        return False


@dataclass(frozen=True, kw_only=True, slots=True)
class OpenSpan:
    """A span under way, of a request to somebody else who may go on with the trace."""

    span: Span

    @property
    def traceparent(self) -> str:
        """The header that says where. Source: https://www.w3.org/TR/trace-context/#traceparent-header."""
        place = self.span.get_span_context()
        return f"00-{place.trace_id:032x}-{place.span_id:016x}-{place.trace_flags & TraceFlags.SAMPLED:02x}"

    def end(self, *, status: str, error: str) -> None:
        """It is over."""
        facts: Facts = {"status": status, "error": error}
        self.span.set_attributes(_attributes(facts))
        if error:
            self.span.set_status(Status(StatusCode.ERROR))
        self.span.end()


class Sender:
    """Of one process: a bounded queue, and a thread that posts what is in it. What does not fit is dropped."""

    def __init__(self, program: str, processor: SpanProcessor | None = None) -> None:
        self._ids = _ChosenIds()
        resource = Resource.create({"causeway.program": program})
        if str(resource.attributes[SERVICE_NAME]).startswith(_UNNAMED):
            resource = resource.merge(Resource({SERVICE_NAME: "causeway"}))
        self._provider = TracerProvider(resource=resource, id_generator=self._ids, shutdown_on_exit=False)
        self._provider.add_span_processor(processor or BatchSpanProcessor(OTLPSpanExporter()))
        self._tracer = self._provider.get_tracer("causeway")
        Finalize(None, self.end, exitpriority=1)

    def end(self) -> None:
        """Send what waits. Why a thread: the library would wait for half a minute, and nobody ends it sooner."""
        sending = threading.Thread(target=self._provider.shutdown, name="last-traces", daemon=True)
        with suppress(RuntimeError):  # the interpreter is going already
            sending.start()
            sending.join(END_SECONDS)

    @contextmanager
    def span(self, name: str, subject: UUID, facts: Facts) -> Iterator[None]:
        """As ``Traces.span``."""
        with self._tracer.start_as_current_span(
            name,
            self._within(subject),
            attributes=_attributes(facts),
            record_exception=False,
            set_status_on_exception=False,
        ) as span:
            try:
                yield
            except BaseException as error:
                span.set_attribute("error.type", type(error).__name__)
                span.set_status(Status(StatusCode.ERROR))
                raise

    def happened(self, what: str, status: str) -> None:
        """As ``Traces.happened``."""
        get_current_span().add_event(what, {"causeway.status": status})

    def current(self) -> str:
        """As ``Traces.current``."""
        place = get_current_span().get_span_context()
        return f"{place.trace_id:032x}" if place.is_valid else ""

    def was(self, name: str, place: Place | None, times: tuple[datetime, datetime], link: str, facts: Facts) -> None:
        """As ``Traces.was``."""
        root = root_of(facts["subject"])
        above = Context() if place == root else self._under(root)
        began, ended = ((moment - _EPOCH) // _MICROSECOND * 1000 for moment in times)  # nanoseconds
        kind = SpanKind.SERVER if facts.get("route") else SpanKind.PRODUCER
        with self._ids.being(place):
            span = self._tracer.start_span(name, above, kind, _attributes(facts), links=_links(link), start_time=began)
        if facts.get("error"):
            span.set_status(Status(StatusCode.ERROR))
        span.end(ended)

    def open(self, name: str, above: Place, facts: Facts) -> OpenSpan:
        """As ``Traces.post``."""
        return OpenSpan(
            span=self._tracer.start_span(name, self._under(above), SpanKind.CLIENT, attributes=_attributes(facts))
        )

    def _within(self, subject: UUID) -> Context | None:
        """None for the context of this thread, where a span of the same trace is open."""
        root = root_of(subject)
        return None if get_current_span().get_span_context().trace_id == root.trace else self._under(root)

    def _under(self, above: Place) -> Context:
        """Whether it is sampled follows from the trace's number, so that all processes decide alike."""
        decided = self._provider.sampler.should_sample(Context(), above.trace, "").decision
        flags = TraceFlags(TraceFlags.SAMPLED if decided is Decision.RECORD_AND_SAMPLE else TraceFlags.DEFAULT)
        return set_span_in_context(
            NonRecordingSpan(SpanContext(above.trace, above.span, is_remote=True, trace_flags=flags)), Context()
        )


def _attributes(facts: Facts) -> Attributes:
    """Those that say something."""
    known: Attributes = {}
    for name, value in facts.items():
        if value not in ("", None):
            known[f"causeway.{name}"] = value if isinstance(value, int) else str(value)
    return known


def _links(traceparent: str) -> list[Link]:
    """The caller's own span. Why a link: a payment is a trace of its own, whoever asked for it."""
    found = _TRACEPARENT.match(traceparent)
    if found is None:
        return []
    trace, span, flags = (int(part, 16) for part in found.groups())
    place = SpanContext(trace, span, is_remote=True, trace_flags=TraceFlags(flags))
    return [Link(place)] if place.is_valid else []
