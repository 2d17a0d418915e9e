"""A deep body is refused however far a library has raised the limit of this process."""

import sys
from collections.abc import Iterator

import pytest

from core.errors import InvalidJson
from core.parsers import MAX_DEPTH, parse_exactly

RAISED = 100_000


@pytest.fixture(autouse=True)
def _raised() -> Iterator[None]:
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(RAISED)
    yield
    sys.setrecursionlimit(limit)


@pytest.mark.parametrize("body", [b"[" * RAISED, b'{"a":' * RAISED, b'{"a":[' * RAISED + b"]}" * RAISED])
def test_deep_bodies_are_refused_before_they_are_read(body: bytes) -> None:
    with pytest.raises(InvalidJson) as refused:
        parse_exactly(body)
    assert refused.value.details == {"reason": "too_deep"}


@pytest.mark.parametrize("text", ["[" * RAISED, '\\"' + "[" * RAISED, "\\\\\\\\" + "{" * RAISED])
def test_brackets_inside_strings_do_not_count(text: str) -> None:
    assert len(parse_exactly(b'{"a": "' + text.encode() + b'"}')["a"]) >= RAISED


def test_what_is_deep_enough_is_read() -> None:
    body = b'{"a":' * MAX_DEPTH + b"1" + b"}" * MAX_DEPTH
    assert list(parse_exactly(body)) == ["a"]
