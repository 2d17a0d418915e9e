"""A view for Flask: ``app.add_url_rule("/webhook", view_func=receiver(fulfil), methods=["POST"])``."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from causeway_sdk.webhooks import WebhookVerificationError, known_secrets, unwrap
from flask import Response, request

if TYPE_CHECKING:
    from causeway_sdk.webhooks import Event


def receiver(
    take: Callable[[Event], object], secrets: str | Iterable[str] | None = None, *, name: str = "causeway_webhook"
) -> Callable[[], Response]:
    """A view that verifies a webhook and gives its event to ``take``: 204, or 401 where it does not verify."""
    given = None if secrets is None else known_secrets(secrets)

    def view() -> Response:
        try:
            event = unwrap(request.get_data(), dict(request.headers), known_secrets(given))
        except WebhookVerificationError as error:
            return Response(error.reason, status=401, mimetype="text/plain")
        take(event)
        return Response(status=204)

    view.__name__ = name
    return view
