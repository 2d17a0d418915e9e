"""Once per request: a repeated ``Idempotency-Key`` gets the first answer, byte for byte.

The answer is stored in the same transaction as the effect. A second sender of the same key waits on the
unique index until the first commits. A crash rolls both back, so no claim is ever left behind.
"""

import hashlib
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from datetime import timedelta
from functools import cached_property
from typing import Any

from django.db import IntegrityError, OperationalError, connection, models, transaction
from django.db.models import F
from rest_framework.request import Request
from rest_framework.response import Response

from core.clock import now
from core.ids import is_idempotency_key
from core.modes import Mode
from core.renderers import to_canonical_json, to_json
from core.secrets import decrypt, encrypt
from merchants.authentication import EarlierAnswer, KnownKey
from merchants.errors import IdempotencyKeyInProgress, IdempotencyKeyInvalid, IdempotencyKeyReused
from merchants.models import IdempotencyRecord
from merchants.principal import Principal

REPLAY_WINDOW = timedelta(hours=24)
"""Source: specification, Limits (idempotency replay window)."""
_LOCK_NOT_AVAILABLE = "55P03"
"""PostgreSQL's answer when a lock was waited for longer than the settings allow."""
_REPLAYED = {"Idempotent-Replayed": "true"}
_CLAIMS = "idempotency"
"""Part of the table's and the constraint's name, by which a database says that the key is taken."""


@dataclass(frozen=True, kw_only=True)
class Answer:
    """A successful answer: what is sent now, and again for every repeat.

    ``is_repeat``: it tells of what an earlier request did, whose own answer is not kept any more.
    """

    http_status: int
    body: Any
    is_repeat: bool = False

    @cached_property
    def raw(self) -> bytes:
        """The body's bytes, written once: what is stored is what is sent."""
        return to_json(self.body)


Keep = Callable[[Answer], list[models.Model]]
"""Takes the answer that is sent, and gives the rows that remember it (none when the caller sent no key)."""


@dataclass(frozen=True, kw_only=True)
class _Claim:
    scope: str
    key: str
    fingerprint: str

    def record(self) -> IdempotencyRecord:
        """A row that occupies the key; nobody else sees it before its transaction commits, answer included."""
        moment = now()
        return IdempotencyRecord(
            scope=self.scope,
            key=self.key,
            fingerprint=self.fingerprint,
            http_status=0,
            answer=b"",
            created_at=moment,
            expires_at=moment + REPLAY_WINDOW,
        )

    def answered(self, answer: Answer) -> IdempotencyRecord:
        """A row that occupies the key and remembers its answer."""
        return _fill(self.record(), answer)

    def replay(self) -> Response | None:
        """The stored answer, if any. Raises: IdempotencyKeyReused when it answered another request."""
        record = IdempotencyRecord.objects.filter(scope=self.scope, key=self.key, expires_at__gt=now()).first()
        return None if record is None else self.repeat(record)

    def repeat(self, stored: EarlierAnswer | IdempotencyRecord) -> Response:
        """A stored answer, sent again. Raises: IdempotencyKeyReused when it answered another request."""
        if stored.fingerprint != self.fingerprint:
            raise IdempotencyKeyReused
        return Response(decrypt(stored.answer), status=stored.http_status, headers=_REPLAYED)

    def forget_expired(self) -> None:
        """Free the key when its time is over."""
        IdempotencyRecord.objects.filter(scope=self.scope, key=self.key, expires_at__lte=now()).delete()


def act_once(request: Request, scope: str, effect: Callable[[], Answer]) -> Response:
    """Run an effect once per key, for effects whose outcome depends on the state they meet.

    Raises: IdempotencyKeyInvalid, IdempotencyKeyReused, IdempotencyKeyInProgress, and what the effect raises.
    Why the key is occupied before the effect: a second sender must wait for the first one's answer. If it ran
    the effect instead, it would meet the changed state and be refused.
    """
    claim = _read_claim(request, scope)
    if claim is None:
        return _send(effect())
    if (stored := _earlier(request, claim)) is not None:
        return stored

    def run() -> Answer:
        with transaction.atomic():
            record = claim.record()
            record.save(force_insert=True)
            answer = effect()
            _fill(record, answer).save(update_fields=["http_status", "answer"])
        return answer

    return _run_or_replay(claim, run)


def create_once(request: Request, scope: str, effect: Callable[[Keep], None]) -> Response:
    """Run a creation once per key; the effect tells its answer and writes the kept rows with its own, at once.

    Raises: as ``act_once``.
    Why apart from it: a creation meets no earlier state, so the claim rides in the same statement.
    That saves four round trips on the busiest endpoint.
    """
    claim = _read_claim(request, scope)

    def run() -> Answer:
        told: list[Answer] = []

        def keep(answer: Answer) -> list[models.Model]:
            told.append(answer)
            return [] if claim is None else [claim.answered(answer)]

        effect(keep)
        return told[-1]

    if claim is None:
        return _send(run())
    if (stored := _earlier(request, claim)) is not None:
        return stored
    return _run_or_replay(claim, run)


def _earlier(request: Request, claim: _Claim) -> Response | None:
    """The answer stored before this request came. Raises: IdempotencyKeyReused.

    Why mostly no query: the lookup of the caller's own key has brought it along.
    """
    known = request.auth
    if isinstance(known, KnownKey) and claim.scope == known.principal.idempotency_scope:
        return claim.repeat(known.earlier) if known.earlier else None
    return claim.replay()


def _run_or_replay(claim: _Claim, run: Callable[[], Answer]) -> Response:
    for _ in range(2):  # the second round is for an answer whose time is over
        try:
            with _savepoint():
                return _send(run())
        except IntegrityError as error:
            if (stored := claim.replay()) is not None:
                return stored
            if _CLAIMS not in str(error):
                raise
            claim.forget_expired()
        except OperationalError as error:
            if getattr(error.__cause__, "sqlstate", None) != _LOCK_NOT_AVAILABLE:
                raise
            raise IdempotencyKeyInProgress from error
    raise IdempotencyKeyInProgress


def _savepoint() -> AbstractContextManager[object]:
    """Keeps the caller's transaction usable after a refusal; without one there is nothing to keep."""
    return transaction.atomic() if connection.in_atomic_block else nullcontext()


def _fill(record: IdempotencyRecord, answer: Answer) -> IdempotencyRecord:
    record.http_status = answer.http_status
    record.answer = encrypt(answer.raw)
    return record


def _send(answer: Answer) -> Response:
    return Response(answer.raw, status=answer.http_status, headers=_REPLAYED if answer.is_repeat else None)


def _read_claim(request: Request, scope: str) -> _Claim | None:
    key = sent_key(request)
    return None if key is None else _Claim(scope=scope, key=key, fingerprint=fingerprint_of(request))


def sent_key(request: Request) -> str | None:
    """The key that the caller sent, if any. Raises: IdempotencyKeyInvalid."""
    key: str | None = request.META.get("HTTP_IDEMPOTENCY_KEY")
    if key is not None and not is_idempotency_key(key):
        raise IdempotencyKeyInvalid
    return key


def fingerprint_of(request: Request) -> str:
    """A digest of method, path and canonical body, so that white space and key order do not matter."""
    asked = f"{request.method} {request.path}\n".encode()
    return hashlib.sha256(asked + to_canonical_json(request.data)).hexdigest()


def shift_due(merchant_id: int, mode: str, seconds: int) -> None:
    """Let so many seconds of a merchant's replay windows pass: its part of the test clock."""
    scope = Principal(merchant_id=merchant_id, mode=Mode(mode), actor="").idempotency_scope
    IdempotencyRecord.objects.filter(scope=scope).update(expires_at=F("expires_at") - timedelta(seconds=seconds))
