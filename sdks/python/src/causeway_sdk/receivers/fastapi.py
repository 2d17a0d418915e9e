"""For FastAPI and Starlette.

FastAPI: ``def webhook(event: Annotated[Event, Depends(verified())])``.
Starlette: ``Route("/webhook", receiver(fulfil), methods=["POST"])``.
"""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Iterable
from typing import TYPE_CHECKING

from causeway_sdk.webhooks import WebhookVerificationError, known_secrets, unwrap
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

if TYPE_CHECKING:
    from causeway_sdk.webhooks import Event


def verified(secrets: str | Iterable[str] | None = None) -> Callable[[Request], Awaitable[Event]]:
    """A dependency that gives the event of a webhook that verifies, and answers 401 where it does not."""
    given = None if secrets is None else known_secrets(secrets)

    async def event_of(request: Request) -> Event:
        try:
            return unwrap(await request.body(), request.headers, known_secrets(given))
        except WebhookVerificationError as error:
            reason = error.reason
        raise HTTPException(status_code=401, detail=reason)

    event_of.__annotations__ = {"request": Request}  # Why: FastAPI reads them, and the event's is for type checkers.
    return event_of


def receiver(
    take: Callable[[Event], object], secrets: str | Iterable[str] | None = None
) -> Callable[[Request], Awaitable[Response]]:
    """An endpoint that gives the event to ``take``, awaited where that can be: 204, or 401."""
    read = verified(secrets)

    async def endpoint(request: Request) -> Response:
        done = take(await read(request))
        if inspect.isawaitable(done):
            await done
        return Response(status_code=204)

    return endpoint
