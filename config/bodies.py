"""Bodies as real clients send them: without a length, or far too long. Why: the framework sees neither."""

from collections.abc import Callable, Iterable
from io import BytesIO
from typing import Any

from django.conf import settings

MOST_DISCARDED_BYTES = 32 * 1024 * 1024
"""What is still read of a body that nobody wants."""
_PIECE_BYTES = 64 * 1024

Environment = dict[str, Any]
Application = Callable[[Environment, Any], Iterable[bytes]]


class WholeBodies:
    """Gives a chunked body a length, and reads what the application left unread.

    Why the rest is read: a server that stops listening breaks the connection of a client that is still sending,
    and the client never sees the refusal.
    """

    def __init__(self, application: Application) -> None:
        self._application = application

    def __call__(self, environment: Environment, start_response: Any) -> Iterable[bytes]:
        """Answer one request."""
        body = environment["wsgi.input"]
        if "chunked" in environment.get("HTTP_TRANSFER_ENCODING", "").lower():
            _give_length(environment)
        elif environment.get("CONTENT_LENGTH") in {None, "", "0"}:
            return self._application(environment, start_response)
        answer = self._application(environment, start_response)
        _discard(body)
        return answer


def _give_length(environment: Environment) -> None:
    """Read one byte more than is ever accepted: enough to see that a body is too large."""
    read = environment["wsgi.input"].read(settings.MAX_BODY_BYTES + 1)
    environment["wsgi.input"] = BytesIO(read)
    environment["CONTENT_LENGTH"] = str(len(read))


def _discard(body: Any) -> None:
    left = MOST_DISCARDED_BYTES
    while left > 0 and (piece := body.read(_PIECE_BYTES)):
        left -= len(piece)
