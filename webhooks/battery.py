"""The battery of hostile requests that a receiver is tested with, and the verdict on what it answers. Pure.

Nothing in it can be taken for news: each event is a ``ping`` of the mode ``test``, or of a type that no catalogue has,
and its id begins with twelve zeros. So a shop that believed every request would ship nothing. Source: docs/adr/0116.
"""

import secrets as random_source
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Final

from django.conf import settings

from core.modes import Mode
from webhooks.catalog import PING
from webhooks.events import Envelope
from webhooks.signatures import SIGNATURE_HEADER, new_secret, signature_header, standard_headers
from webhooks.states import Check, Expected

ID_PREFIX: Final = "evt_000000000000"
"""No event that happened has such an id: theirs are digests."""
UNKNOWN_TYPE: Final = "causeway.certificate"
MESSAGE: Final = "A test of your receiver. Nothing happened: do nothing, and answer 200."
STALE: Final = timedelta(minutes=10)
IN_TIME_SECONDS: Final = 5.0
"""Half of what a receiver is given, so that one that passes is not at the edge."""
LOST_AFTER_SECONDS: Final = 1.0
"""After how long nobody waits for the answer that is to be lost."""
_METADATA_KEYS, _METADATA_LETTERS = 50, 250
"""As much as a payment may have. Source: docs/guides/payment-intents.md."""


@dataclass(frozen=True, kw_only=True)
class Sending:
    """One request. ``is_lost``: nobody waits for its answer, and nothing is said of it."""

    headers: Mapping[str, str]
    body: bytes
    is_lost: bool = False


@dataclass(frozen=True, kw_only=True)
class Came:
    """What came of a request: an answer, or the word for why there is none."""

    sending: Sending
    seconds: float
    status: int | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    body: str = ""
    error: str = ""

    def is_as(self, expected: Expected) -> bool:
        """Whether the receiver did what it has to. A 5xx is no refusal: something broke."""
        if self.sending.is_lost:
            return True
        first, last = (200, 299) if expected == Expected.ACCEPTED else (400, 499)
        return self.status is not None and first <= self.status <= last


@dataclass(frozen=True, kw_only=True)
class Trial:
    """One check with its requests, which are sent one after the other."""

    check: Check
    expected: Expected
    sendings: Sequence[Sending]


class Forge:
    """Makes requests to one receiver. ``secrets`` are those that may sign for it now, newest first."""

    def __init__(self, secrets: Sequence[str], at: datetime) -> None:
        self._secrets, self._at = list(secrets), at
        self._delivery = str(uuid.uuid4())

    def event(
        self,
        *,
        type: str = PING,
        sequence: int = 1,
        resource_id: uuid.UUID | None = None,
        metadata: Mapping[str, str] | None = None,
    ) -> tuple[str, str, bytes]:
        """An event that cannot be taken for news: its id, its type, the exact bytes."""
        about = resource_id or uuid.uuid4()
        event_id = ID_PREFIX + random_source.token_hex(10)
        envelope = Envelope(event_id, type, self._at, Mode.TEST.value, sequence, PING, about)
        body: dict[str, Any] = {"id": str(about), "message": MESSAGE, **({"metadata": metadata} if metadata else {})}
        return event_id, type, envelope.around(body).encode()

    def signed(
        self,
        event: tuple[str, str, bytes],
        *,
        secrets: Sequence[str] | None = None,
        at: datetime | None = None,
        attempt: int = 1,
        is_lost: bool = False,
    ) -> Sending:
        """The request of a delivery, signed as deliveries are, in both forms."""
        event_id, event_type, body = event
        known, timestamp = secrets or self._secrets, int((at or self._at).timestamp())
        headers = {
            "Content-Type": "application/json",
            "User-Agent": f"Causeway/{settings.API_VERSION}",
            SIGNATURE_HEADER: signature_header(known, timestamp, body),
            "Svc-Event-Id": event_id,
            "Svc-Event-Type": event_type,
            "Svc-Delivery-Id": self._delivery,
            "Svc-Attempt": str(attempt),
            **standard_headers(known, event_id, timestamp, body),
        }
        return Sending(headers=headers, body=body, is_lost=is_lost)

    def battery(self) -> list[Trial]:
        """Every check, in the order in which they are made."""
        once, again, another = self.signed(self.event()), self.event(), new_secret()
        resource, large = uuid.uuid4(), {f"key_{n:02}": "x" * _METADATA_LETTERS for n in range(_METADATA_KEYS)}
        steps = [self.event(sequence=step, resource_id=resource) for step in (2, 1)]
        lost = [self.signed(again, is_lost=True), self.signed(again, attempt=2)]
        genuine = self.signed(self.event())
        altered = genuine.body.replace(b'"sequence":1', b'"sequence":2', 1)
        unsigned = {name: value for name, value in genuine.headers.items() if "signature" not in name.lower()}
        accepted = {
            Check.GENUINE: [self.signed(self.event())],
            Check.DUPLICATE: [once, once],
            Check.LOST_ANSWER: lost,
            Check.REORDERED: [self.signed(step) for step in steps],
            Check.ROTATION: [self.signed(self.event(), secrets=[another, *self._secrets])],
            Check.UNKNOWN_TYPE: [self.signed(self.event(type=UNKNOWN_TYPE))],
            Check.LARGE_METADATA: [self.signed(self.event(metadata=large))],
        }
        refused = {
            Check.STALE: [self.signed(self.event(), at=self._at - STALE)],
            Check.WRONG_SIGNATURE: [self.signed(self.event(), secrets=[another])],
            Check.ALTERED_BODY: [Sending(headers=genuine.headers, body=altered)],
            Check.UNSIGNED: [Sending(headers=unsigned, body=genuine.body)],
        }
        return [
            *(Trial(check=check, expected=Expected.ACCEPTED, sendings=sent) for check, sent in accepted.items()),
            *(Trial(check=check, expected=Expected.REFUSED, sendings=sent) for check, sent in refused.items()),
        ]


def report(came: Mapping[Check, tuple[Expected, Sequence[Came]]]) -> list[dict[str, Any]]:
    """The verdict on each check, in their order, with the requests that were answered wrong and their answers."""
    found = [
        _line(check, expected, [one for one in tries if not one.is_as(expected)])
        for check, (expected, tries) in came.items()
    ]
    accepted = [one for expected, tries in came.values() if expected == Expected.ACCEPTED for one in tries]
    late = [one for one in accepted if one.seconds >= IN_TIME_SECONDS and not one.sending.is_lost]
    slowest = max(late, key=lambda one: one.seconds, default=None)
    found.append(_line(Check.SLOW_ANSWER, Expected.ACCEPTED, [] if slowest is None else [slowest]))
    order = list(Check.values)
    return sorted(found, key=lambda one: order.index(one["name"]))


def _line(check: Check, expected: Expected, wrong: Sequence[Came]) -> dict[str, Any]:
    return {
        "name": check.value,
        "expected": expected.value,
        "passed": not wrong,
        "wrong": [
            {
                "headers": dict(one.sending.headers),
                "body": one.sending.body.decode(),
                "status": one.status,
                "error": one.error,
                "answer_headers": dict(one.headers),
                "answer_body": one.body,
                "latency_ms": round(one.seconds * 1000),
            }
            for one in wrong
        ],
    }
