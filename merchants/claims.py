"""A key's one effect and its kept answer, whoever asks. REST comes through ``idempotency``, agents' tools directly.

The answer is stored in the same transaction as the effect. A second sender of the same key waits on the
unique index until the first commits. A crash rolls both back, so no claim is ever left behind.
"""

import hashlib
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass
from datetime import timedelta
from functools import cached_property
from typing import Any, Protocol

from django.db import IntegrityError, OperationalError, connection, models, transaction

from core.clock import now
from core.ids import is_idempotency_key
from core.renderers import to_canonical_json, to_json
from core.secrets import decrypt, encrypt
from core.transitions import Draft
from merchants.errors import IdempotencyKeyInProgress, IdempotencyKeyInvalid, IdempotencyKeyReused
from merchants.models import IdempotencyRecord

REPLAY_WINDOW = timedelta(hours=24)
"""Source: specification, Limits (idempotency replay window)."""
_LOCK_NOT_AVAILABLE = "55P03"
"""PostgreSQL's answer when a lock was waited for longer than the settings allow."""
_CLAIMS = "idempotency"
"""Part of the table's and the constraint's name, by which a database says that the key is taken."""


@dataclass(frozen=True, kw_only=True)
class Sent:
    """An answer as it goes out. ``is_repeat``: an earlier request had the effect."""

    http_status: int
    raw: bytes
    is_repeat: bool


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

    @property
    def sent(self) -> Sent:
        """The same, as it goes out."""
        return Sent(http_status=self.http_status, raw=self.raw, is_repeat=self.is_repeat)


@dataclass(frozen=True, kw_only=True)
class Creation:
    """A new row that is written out and not stored yet, and what is answered once it is."""

    draft: Draft[Any]
    answer: Answer

    def store(self, *kept: models.Model) -> Answer:
        """Store it, with the rows that remember its answer."""
        self.draft.insert(*kept)
        return self.answer


class Stored(Protocol):
    """An answer as it is kept."""

    @property
    def fingerprint(self) -> str:
        """Which wish it answered."""

    @property
    def http_status(self) -> int:
        """How it was answered."""

    @property
    def answer(self) -> bytes | memoryview:
        """The sealed body."""


@dataclass(frozen=True, kw_only=True)
class Claim:
    """A key in a scope, and the wish that it stands for."""

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

    def replay(self) -> Sent | None:
        """The stored answer, if any. Raises: IdempotencyKeyReused when it answered another wish."""
        record = IdempotencyRecord.objects.filter(scope=self.scope, key=self.key, expires_at__gt=now()).first()
        return None if record is None else self.repeat(record)

    def repeat(self, stored: Stored) -> Sent:
        """A stored answer, sent again. Raises: IdempotencyKeyReused when it answered another wish."""
        if stored.fingerprint != self.fingerprint:
            raise IdempotencyKeyReused
        return Sent(http_status=stored.http_status, raw=decrypt(stored.answer), is_repeat=True)

    def forget_expired(self) -> None:
        """Free the key when its time is over."""
        IdempotencyRecord.objects.filter(scope=self.scope, key=self.key, expires_at__lte=now()).delete()


def checked_key(key: str) -> str:
    """The key, as it was sent. Raises: IdempotencyKeyInvalid."""
    if not is_idempotency_key(key):
        raise IdempotencyKeyInvalid
    return key


def fingerprint(method: str, path: str, body: Any) -> str:
    """A digest of method, path and canonical body, so that white space and key order do not matter."""
    return hashlib.sha256(f"{method} {path}\n".encode() + to_canonical_json(body)).hexdigest()


def act_under(claim: Claim, effect: Callable[[], Answer]) -> Sent:
    """Run an effect once per key, for effects whose outcome depends on the state they meet.

    Raises: IdempotencyKeyReused, IdempotencyKeyInProgress, and what the effect raises.
    Why the key is occupied before the effect: a second sender must wait for the first one's answer. If it ran
    the effect instead, it would meet the changed state and be refused.
    """

    def run() -> Answer:
        with transaction.atomic():
            record = claim.record()
            record.save(force_insert=True)
            answer = effect()
            _fill(record, answer).save(update_fields=["http_status", "answer"])
        return answer

    return _run_or_replay(claim, run)


def create_under(claim: Claim, effect: Callable[[], Creation]) -> Sent:
    """Store a creation once per key, and its answer in the same statement.

    Raises: as ``act_under``.
    Why apart from it: a creation meets no earlier state, so the claim rides in the same statement.
    That saves four round trips on the busiest endpoint.
    """

    def run() -> Answer:
        creation = effect()
        return creation.store(claim.answered(creation.answer))

    return _run_or_replay(claim, run)


def _run_or_replay(claim: Claim, run: Callable[[], Answer]) -> Sent:
    for _ in range(2):  # the second round is for an answer whose time is over
        try:
            # The caller's transaction stays usable after a refusal; without one there is nothing to keep.
            with transaction.atomic() if connection.in_atomic_block else nullcontext():
                return run().sent
        except IntegrityError as error:
            if (stored := claim.replay()) is not None:
                return stored
            if _CLAIMS not in str(error):
                raise
            claim.forget_expired()
        except OperationalError as error:
            if not _waited_for_a_key(error):
                raise
            raise IdempotencyKeyInProgress from error
    raise IdempotencyKeyInProgress


def _waited_for_a_key(error: OperationalError) -> bool:
    """Whether a wait for somebody else's row of keys ran out: any other lock says nothing about the key."""
    cause: Any = error.__cause__
    return getattr(cause, "sqlstate", None) == _LOCK_NOT_AVAILABLE and _CLAIMS in (cause.diag.context or "")


def _fill(record: IdempotencyRecord, answer: Answer) -> IdempotencyRecord:
    record.http_status = answer.http_status
    record.answer = encrypt(answer.raw)
    return record
