"""Where spans stand: numbers that follow from the ids of rows, and what a span may say of one."""

from hashlib import blake2b
from typing import NamedTuple, TypedDict
from uuid import UUID

_TRACE_BYTES, _SPAN_BYTES = 16, 8
"""Source: https://www.w3.org/TR/trace-context/#traceparent-header-field-values."""


class Attributes(TypedDict, total=False):
    """What a span may say beside whose it is: no address, no amount, nothing anybody typed. Source: docs/adr/0097."""

    event: str
    chain: str
    status: str
    error: str
    method: str
    route: str
    request: str
    number: int


class Facts(Attributes, total=False):
    """All that a span may say. ``subject``: the row whose trace it is of."""

    subject: UUID


class Place(NamedTuple):
    """Where a span stands: in which trace, and under which number. Both never zero."""

    trace: int
    span: int


def root_of(subject: UUID) -> Place:
    """The first span of a row's trace, such as the request that made a payment.

    Why hashed: receivers pass the number on to whom they ask, and an intent's id opens its page.
    """
    return Place(_number(subject.bytes, _TRACE_BYTES), _number(subject.bytes, _SPAN_BYTES))


def place_of_event(subject: UUID, event_id: str) -> Place:
    """The span of an event in the trace of the row that it tells of."""
    return Place(root_of(subject).trace, _number(event_id.encode(), _SPAN_BYTES))


def _number(known: bytes, size: int) -> int:
    return int.from_bytes(blake2b(known, digest_size=size, person=b"causeway-trace").digest()) or 1
