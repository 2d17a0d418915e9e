"""The one address that the service posts to."""

from __future__ import annotations

from causeway_sdk.webhooks import WebhookVerificationError, unwrap
from django.http import HttpRequest, HttpResponse
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

from causeway_django import conf
from causeway_django.intake import receive

WRONG_MODE = "wrong_mode"


@csrf_exempt
@require_POST
def webhook(request: HttpRequest) -> HttpResponse:
    """Take a signed event: 204, also for one that came before; 401 where it does not verify.

    An event of the other mode than the key's is 403: play money must not pay a real order. What a receiver of a signal
    raises is 500, and the service sends the event again.
    """
    try:
        event = unwrap(request.body, request.headers, conf.webhook_secrets())
    except WebhookVerificationError as error:
        return HttpResponse(error.reason, status=401, content_type="text/plain")
    if conf.mode_of() not in ("", event.mode):
        return HttpResponse(WRONG_MODE, status=403, content_type="text/plain")
    receive(event)
    return HttpResponse(status=204)
