"""A view for Django: ``path("webhook", receiver(fulfil))``."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from causeway_sdk.webhooks import WebhookVerificationError, known_secrets, unwrap
from django.http import HttpRequest, HttpResponse
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

if TYPE_CHECKING:
    from causeway_sdk.webhooks import Event


def receiver(
    take: Callable[[Event], object], secrets: str | Iterable[str] | None = None
) -> Callable[[HttpRequest], HttpResponse]:
    """A view that verifies a webhook and gives its event to ``take``: 204, or 401 where it does not verify.

    What ``take`` raises becomes 500, and the service sends the event again.
    """
    given = None if secrets is None else known_secrets(secrets)

    def view(request: HttpRequest) -> HttpResponse:
        try:
            event = unwrap(request.body, request.headers, known_secrets(given))
        except WebhookVerificationError as error:
            return HttpResponse(error.reason, status=401, content_type="text/plain")
        take(event)
        return HttpResponse(status=204)

    return csrf_exempt(require_POST(view))
