"""A collector of traces that a test can script: a real HTTP server that reads what OpenTelemetry's library posts."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest


@dataclass(frozen=True, kw_only=True)
class Seen:
    """One span as it came; numbers as hexadecimal digits, ``above`` empty for the first of a trace."""

    program: str
    name: str
    trace: str
    span: str
    above: str
    links: tuple[str, ...]
    moments: tuple[str, ...]
    facts: dict[str, str]
    seconds: float


@dataclass
class Collector:
    """What came, and how it is answered: ``status``, or not at all while ``hangs``."""

    status: int = 200
    hangs: threading.Event = field(default_factory=threading.Event)
    closing: threading.Event = field(default_factory=threading.Event)
    asked: int = 0
    spans: list[Seen] = field(default_factory=list)
    port: int = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def take(self, body: bytes) -> None:
        for group in ExportTraceServiceRequest.FromString(body).resource_spans:
            about = {one.key: one.value.string_value for one in group.resource.attributes}
            for scope in group.scope_spans:
                self.spans += [_seen(about["causeway.program"], span) for span in scope.spans]

    def of(self, trace: str) -> list[Seen]:
        return [span for span in list(self.spans) if span.trace == trace]

    def named(self, name: str) -> list[Seen]:
        return [span for span in list(self.spans) if span.name == name]


def _seen(program: str, span: object) -> Seen:
    known: Any = span
    return Seen(
        program=program,
        name=known.name,
        trace=known.trace_id.hex(),
        span=known.span_id.hex(),
        above=known.parent_span_id.hex(),
        links=tuple(f"{link.trace_id.hex()}-{link.span_id.hex()}" for link in known.links),
        moments=tuple(event.name for event in known.events),
        facts={one.key: one.value.string_value or str(one.value.int_value) for one in known.attributes},
        seconds=(known.end_time_unix_nano - known.start_time_unix_nano) / 1e9,
    )


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    collector: Collector


class _Request(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def do_POST(self) -> None:
        collector, body = self.server.collector, self.rfile.read(int(self.headers["Content-Length"]))
        collector.asked += 1
        if collector.hangs.is_set():
            collector.closing.wait()
            return
        if collector.status == 200:  # noqa: PLR2004 - OK
            assert self.path == "/v1/traces"
            collector.take(body)
        self.send_response(collector.status)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, format: str, *arguments: object) -> None:
        """Quiet."""


@contextmanager
def collecting() -> Iterator[Collector]:
    """A collector on this machine that runs while the block does."""
    server = _Server(("127.0.0.1", 0), _Request)
    server.collector = Collector(port=server.server_port)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield server.collector
    finally:
        server.collector.closing.set()
        server.shutdown()
        thread.join()
        server.server_close()
