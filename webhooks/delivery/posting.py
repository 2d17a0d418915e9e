"""Makes one attempt: signs the stored bytes afresh and posts them. Touches no table."""

import logging
import time
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING
from uuid import UUID

import orjson
from django.conf import settings

from core.clock import now
from core.outbound.answers import Answer, Undelivered
from core.trace_places import place_of_event
from core.traces import traces
from webhooks.delivery.claims import Claim
from webhooks.signatures import SIGNATURE_HEADER, signature_header, standard_headers
from webhooks.states import BROKE

if TYPE_CHECKING:
    from core.outbound.client import GuardedClient
    from core.trace_sender import OpenSpan

logger = logging.getLogger("causeway.webhooks")


@dataclass(frozen=True, kw_only=True, slots=True)
class Result:
    """What came of an attempt: an answer, or the word for why there is none."""

    claim: Claim
    at: datetime
    seconds: float
    answer: Answer | None = None
    error: str = ""

    @property
    def succeeded(self) -> bool:
        """Whether the receiver accepted. Source: docs/guides/webhooks.md, Delivery."""
        return self.answer is not None and 200 <= self.answer.status < 300  # noqa: PLR2004 - the 2xx range


def headers_of(claim: Claim, at: datetime) -> dict[str, str]:
    """The headers of an attempt. Source: specification, Events; docs/guides/webhooks.md, What arrives."""
    timestamp, secrets = int(at.timestamp()), claim.receiver.secrets
    return {
        "Content-Type": "application/json",
        "User-Agent": f"Causeway/{settings.API_VERSION}",
        SIGNATURE_HEADER: signature_header(secrets, timestamp, claim.body),
        "Svc-Event-Id": claim.event_id,
        "Svc-Event-Type": claim.event_type,
        "Svc-Delivery-Id": str(claim.delivery_id),
        "Svc-Attempt": str(claim.number),
        **standard_headers(secrets, claim.event_id, timestamp, claim.body),
    }


async def attempt(client: "GuardedClient", claim: Claim) -> Result:
    """Post once. Never raises: whatever goes wrong is a result."""
    at, started = now(), time.perf_counter()
    answer, error, headers = None, "", headers_of(claim, at)
    span = _span_of(claim) if traces.is_on else None
    if span is not None:
        headers["traceparent"] = span.traceparent
    try:
        answer = await client.post(claim.receiver.url, claim.body, headers)
    except Undelivered as failure:
        error = failure.reason
    except Exception:
        logger.exception("attempt %s of delivery %s broke", claim.number, claim.delivery_id)
        error = BROKE
    result = Result(claim=claim, at=at, seconds=time.perf_counter() - started, answer=answer, error=error)
    if span is not None:
        status = "" if answer is None else str(answer.status)
        span.end(status=status, error="" if result.succeeded else error or "refused")
    return result


def _span_of(claim: Claim) -> "OpenSpan | None":
    """Under that of its event, in the trace of what the event tells of. Raises nothing: the attempt is made anyway."""
    with suppress(Exception):
        subject = UUID(orjson.loads(claim.body)["resource"]["id"])
        above = place_of_event(subject, claim.event_id)
        return traces.post("webhook post", above, subject=subject, event=claim.event_id, number=claim.number)
    return None
