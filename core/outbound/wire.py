"""One connection: a request is written, its answer is read within bounds, and the next one may follow.

Why our own: a client for every purpose takes a third of a delivery's processor time, and of all it can do this is what
is needed. What is an answer and what is none still says aiohttp's parser, which is written in C.
Source: docs/adr/0074-deliveries-go-over-a-wire-of-our-own.md.
"""

import asyncio
import select
from typing import Any, cast

from aiohttp.http import HttpResponseParser, RawResponseMessage
from aiohttp.streams import StreamReader

from core.outbound.answers import DISCONNECTED, INVALID_RESPONSE, TIMEOUT, Answer, Undelivered

MAX_BODY_BYTES = 64 * 1024
BODY_SECONDS = 2
"""Why: once the status is known, a dripping body only holds a place that others could use."""
STOOD_STILL_SECONDS = 0.02
"""Who rested longer is asked whether the other side has hung up: nobody may have listened meanwhile."""
_NO_BODY = frozenset({101, 204, 304})
_SWITCHING_PROTOCOLS = 101
_FIRST_FINAL_STATUS = 200


class Wire(asyncio.Protocol):
    """A connection that is asked one thing at a time. ``keep_alive`` is what its receiver last said about keeping it.

    Whatever is not in order ends it: an answer that is cut off or goes on, bytes that nobody asked for, a broken line.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._parser = HttpResponseParser(
            cast("Any", self), loop, MAX_BODY_BYTES, read_until_eof=True, auto_decompress=False
        )
        self._transport: asyncio.Transport | None = None
        self._waiting: asyncio.Future[Answer] | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._ends_at = 0.0
        self._head: RawResponseMessage | None = None
        self._payload: StreamReader | None = None
        self._body, self._is_hurried = b"", False
        self.made_at = self.rested_at = loop.time()
        self.lost_at: float | None = None
        self.keep_alive = ""

    async def ask(self, request: bytes, ends_at: float) -> Answer:
        """Send a request and wait for the answer until a moment of the loop's clock. Raises: Undelivered."""
        if self._transport is None or self._transport.is_closing():
            raise Undelivered(DISCONNECTED)
        self._head, self._payload, self._body = None, None, b""
        self._ends_at, self._is_hurried = ends_at, False
        self._waiting = self._loop.create_future()
        self._timer = self._loop.call_at(ends_at, self._run_out)
        self._transport.write(request)
        try:
            return await self._waiting
        finally:
            if self._waiting is not None:  # given up by whoever asked
                self._stop_waiting()
                self.cut()

    @property
    def is_open(self) -> bool:
        """Whether the next request may be written."""
        return self._transport is not None and not self._transport.is_closing()

    def is_quiet(self) -> bool:
        """Whether nothing arrived that the loop has not seen, such as the other side's good-bye."""
        if self._transport is None or self._transport.is_closing():
            return False
        if self._loop.time() - self.rested_at < STOOD_STILL_SECONDS:
            return True
        arrivals = select.poll()
        arrivals.register(self._transport.get_extra_info("socket").fileno(), select.POLLIN)
        return not arrivals.poll(0)

    def cut(self) -> None:
        """End the connection at once."""
        if self._transport is not None:
            self._transport.abort()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """The connection stands."""
        self._transport = cast("asyncio.Transport", transport)

    def data_received(self, received: bytes) -> None:
        """Some of an answer came."""
        if self._waiting is None:
            self.cut()
            return
        try:
            messages, upgraded, rest = self._parser.feed_data(received)
        except Exception:  # noqa: BLE001 - whatever the parser says: this is no answer, or the end of one
            self._break_off(INVALID_RESPONSE)
            return
        surplus = bool(upgraded or rest)
        for message, payload in messages:
            if self._head is not None:
                surplus = True
            elif message.code >= _FIRST_FINAL_STATUS or message.code == _SWITCHING_PROTOCOLS:
                self._head, self._payload = message, payload
        if self._head is not None:
            self._read(self._head, surplus=surplus)

    def _read(self, head: RawResponseMessage, *, surplus: bool) -> None:
        """Take what came of the body, and conclude where that is all of it or enough."""
        payload, in_order = self._payload, not surplus and not head.should_close
        if payload is None or head.code in _NO_BODY:
            self._conclude(head, keep=in_order and head.code != _SWITCHING_PROTOCOLS)
        elif payload.exception() is not None:
            self._conclude(head, keep=False)
        else:
            self._body += payload.read_nowait(-1)
            if payload.is_eof() or len(self._body) >= MAX_BODY_BYTES:
                self._conclude(head, keep=in_order and payload.is_eof())
            elif not self._is_hurried:
                self._hurry()

    def _hurry(self) -> None:
        """Wait for the rest of a body no longer than a body is waited for."""
        self._is_hurried = True
        if self._timer is not None:
            self._timer.cancel()
        self._timer = self._loop.call_at(min(self._loop.time() + BODY_SECONDS, self._ends_at), self._run_out)

    def _conclude(self, head: RawResponseMessage, *, keep: bool) -> None:
        """Hand the answer over. Why it counts though its body was cut off: the status line has decided already."""
        waiting = self._stop_waiting()
        if not keep or self._transport is None or self._transport.get_write_buffer_size():
            self.cut()
        self.keep_alive = head.headers.get("Keep-Alive", "")
        if waiting is not None and not waiting.done():
            body = self._body[:MAX_BODY_BYTES]
            waiting.set_result(Answer(status=head.code, headers=tuple(head.headers.items()), body=body))

    def _break_off(self, reason: str) -> None:
        """The answer ends here: what was decided stands, else there is none, for this reason."""
        if self._head is not None:
            self._conclude(self._head, keep=False)
            return
        waiting = self._stop_waiting()
        self.cut()
        if waiting is not None and not waiting.done():
            waiting.set_exception(Undelivered(reason))

    def _run_out(self) -> None:
        self._break_off(TIMEOUT)

    def _stop_waiting(self) -> "asyncio.Future[Answer] | None":
        waiting, self._waiting = self._waiting, None
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        return waiting

    def eof_received(self) -> None:
        """The other side says no more; the connection then ends."""
        self.lost_at = self._loop.time()

    def connection_lost(self, error: Exception | None) -> None:
        """The connection is over, by whichever side."""
        self.lost_at, self._transport = self.lost_at or self._loop.time(), None
        if self._waiting is not None:
            self._break_off(DISCONNECTED)

    # What the parser's bodies ask of their connection.
    _reading_paused = False
    connected = True

    def pause_reading(self) -> None:
        """Nothing: all that came is taken at once, and reading ends with ``MAX_BODY_BYTES``."""

    def resume_reading(self, resume_parser: bool = True) -> None:  # noqa: FBT001, FBT002 - as the parser calls it
        """Nothing, as above."""
