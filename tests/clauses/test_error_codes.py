"""Every code that can be answered is explained in docs/errors.md, with its status, and nothing else is."""

import re
from collections.abc import Iterator

import pytest
from django.urls import get_resolver

from core.errors import ServiceError
from tests.clauses.report import DOCS

PAGE = DOCS / "errors.md"
ROW = re.compile(r"^\| (\d{3}) \| `(\w+)` \|", re.MULTILINE)
NEVER_ANSWERED = frozenset({"conflict"})
"""Roots of other refusals, which carry codes of their own."""


def refusals(of: type[ServiceError] = ServiceError) -> Iterator[type[ServiceError]]:
    """Every kind of refusal there is, once all doors have been read."""
    yield of
    for kind in of.__subclasses__():
        yield from refusals(kind)


def answered() -> set[tuple[str, str]]:
    """Status and code of each refusal."""
    assert get_resolver().url_patterns
    ours = (kind for kind in refusals() if not kind.__module__.startswith("tests."))
    return {(str(kind.http_status), kind.code) for kind in ours if kind.code not in NEVER_ANSWERED}


@pytest.mark.spec("Contract 21.13")
@pytest.mark.spec("Errors: codes (not shown)")
def test_every_code_is_explained() -> None:
    explained = set(ROW.findall(PAGE.read_text(encoding="utf-8")))
    assert answered() - explained == set()
    assert explained - answered() == set()
