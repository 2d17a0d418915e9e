"""Why did my signature fail? A header and a body are pasted, and the step that fails is named. Nothing is kept."""

import re
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.views.decorators.debug import sensitive_post_parameters, sensitive_variables

from core.clock import now
from core.ids import parse_public_id
from dashboard.page import draw
from dashboard.visit import Visit
from dashboard.webhooks.verdicts import CHANGES, VERDICTS, ago
from webhooks.diagnosis import Diagnosis, Evidence, KnownSecret, diagnose
from webhooks.models import Event
from webhooks.selectors import endpoints_of, every_secret

LONGEST_HEADER, LONGEST_BODY, LONGEST_SECRET = 4096, 65536, 256
PASTED = "the secret you pasted"
_EVENT_ID = re.compile(r'"id"\s*:\s*"(evt_[0-9a-f]{32})"')


@sensitive_post_parameters("secret", "header", "body", "computed")
@sensitive_variables()
def check_signature(request: HttpRequest, visit: Visit) -> HttpResponse:
    """Name the step that fails, in words and with what to do. The pasted secret is not even drawn again."""
    endpoints = list(endpoints_of(visit.principal))
    sent = request.POST if request.method == "POST" else {}
    typed = {name: str(sent.get(name, "")) for name in ("header", "body", "computed", "endpoint")}
    secret = str(sent.get("secret", ""))
    fault = _too_long(typed, secret)
    verdict = None
    if sent and not fault:
        verdict = _verdict(diagnose(_evidence(visit, typed, secret)))
    context: dict[str, Any] = {
        "endpoints": endpoints,
        "typed": {name: "" if fault else text for name, text in typed.items()},
        "fault": fault,
        "verdict": verdict,
    }
    return draw(request, visit, "dashboard/webhooks/signature.html", context, status=400 if fault else 200)


def _too_long(typed: dict[str, str], secret: str) -> str:
    if len(typed["body"]) > LONGEST_BODY:
        return "That body is longer than any that is sent. Paste one event."
    short = len(typed["header"]) <= LONGEST_HEADER and len(typed["computed"]) <= LONGEST_SECRET
    return "" if short and len(secret) <= LONGEST_SECRET else "That is longer than any header or secret."


def _evidence(visit: Visit, typed: dict[str, str], secret: str) -> Evidence:
    """What was pasted, with every secret that may have signed: the chosen ones first.

    Why line breaks are put back: browsers send every one as two characters.
    """
    body = typed["body"].replace("\r\n", "\n")
    chosen = parse_public_id(typed["endpoint"])
    pasted = [KnownSecret(secret=secret, owner=PASTED)] if secret.strip() else []
    known = [
        KnownSecret(secret=text, owner=endpoint.title, is_chosen=not pasted and endpoint.pk == chosen, is_over=is_over)
        for endpoint, text, is_over in every_secret(visit.principal)
    ]
    if not pasted and not any(one.is_chosen for one in known):
        known = [KnownSecret(secret=one.secret, owner=one.owner, is_over=one.is_over) for one in known]
    return Evidence(
        header=typed["header"].strip().removeprefix("Svc-Signature:"),
        body=body.encode("utf-8", "surrogatepass"),
        secrets=[*pasted, *sorted(known, key=lambda one: (not one.is_chosen, one.is_over))],
        now_seconds=int(now().timestamp()),
        computed=typed["computed"],
        stored=_stored(visit, body),
    )


def _stored(visit: Visit, body: str) -> bytes | None:
    """The event that the body says it is, exactly as it was sent, where it is the merchant's and still kept."""
    found = _EVENT_ID.search(body)
    if found is None:
        return None
    payloads = Event.objects.visible_to(visit.principal).filter(pk=found[1]).values_list("payload", flat=True)
    return next((payload.encode() for payload in payloads), None)


def _verdict(found: Diagnosis) -> dict[str, Any]:
    words = VERDICTS[found.fault]
    return {
        "fault": found.fault.value,
        "tone": words.tone,
        "title": words.title,
        "next": words.next,
        "of_code": found.of_code,
        "changes": [CHANGES[change] for change in found.changes],
        "owner": found.owner,
        "detail": found.detail,
        "age": ago(found.seconds) if found.seconds > 0 else "",
    }
