"""Answers every POST with 200 as fast as it can, but never one whose path begins with ``/hang``.

Usage: python -m scripts.bench.webhooks.receiver PORT [CERTIFICATE KEY]    With these it speaks TLS.
"""

import asyncio
import re
import ssl
import sys

from scripts.service_process import HOST

ANSWER = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
HEAD_END = b"\r\n\r\n"
LENGTH = re.compile(rb"\r\ncontent-length: *(\d+)", re.IGNORECASE)


class Receiver(asyncio.Protocol):
    """One connection. Reads no more of HTTP than it needs, so that it does not become the limit."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin with nothing received."""
        assert isinstance(transport, asyncio.Transport)  # noqa: S101 - a stream server has no other
        self._transport, self._received = transport, b""

    def data_received(self, data: bytes) -> None:
        """Answer every request that is complete."""
        self._received += data
        while (head := self._received.find(HEAD_END)) >= 0:
            length = LENGTH.search(self._received, 0, head)
            end = head + len(HEAD_END) + (int(length[1]) if length else 0)
            if len(self._received) < end:
                return
            if not self._received.startswith((b"POST /hang", b"GET /hang")):
                self._transport.write(ANSWER)
            self._received = self._received[end:]


async def main() -> None:
    """Serve until told to stop."""
    tls = None
    if sys.argv[2:]:
        tls = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        tls.load_cert_chain(*sys.argv[2:4])
    server = await asyncio.get_running_loop().create_server(Receiver, HOST, int(sys.argv[1]), backlog=1024, ssl=tls)
    await server.serve_forever()


if __name__ == "__main__":
    try:
        asyncio.run(main())
    except KeyboardInterrupt:
        sys.exit(0)
