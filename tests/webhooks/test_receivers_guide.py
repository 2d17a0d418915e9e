"""The receiver's guide keeps its word: its table is the catalogue, and its Python recipe verifies what is sent."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from merchants.principal import Principal
from tests.webhooks.actors import Subscriber, happen
from tests.webhooks.receivers import Receiver
from tests.webhooks.test_signatures import BODY, SECRET, VECTOR, T
from webhooks.catalog import EVENT_TYPES
from webhooks.delivery import drain

GUIDE = (Path(__file__).resolve().parents[2] / "docs" / "webhooks.md").read_text(encoding="utf-8")


@pytest.fixture
def is_genuine() -> Callable[[str, bytes, str], bool]:
    """The recipe, run exactly as it is printed."""
    [recipe] = re.findall(r"```python\n(.*?)```", GUIDE, re.DOTALL)
    printed: dict[str, Any] = {}
    exec(recipe, printed)  # noqa: S102 - our own page
    found: Callable[[str, bytes, str], bool] = printed["is_genuine"]
    return found


@pytest.mark.spec("Contract 10.2")
def test_the_table_is_the_catalogue() -> None:
    rows = re.findall(r"^\| `([a-z_]+(?:\.[a-z_]+)?)` \| ([\d.]+) \| (.+) \|$", GUIDE, re.MULTILINE)
    assert rows == [(entry.name, entry.since, entry.when) for entry in EVENT_TYPES]


@pytest.mark.spec("Events 1 to 5: how a receiver verifies")
def test_the_recipe_verifies_what_is_sent_and_nothing_else(
    principal: Principal, subscriber: Subscriber, receiver: Receiver, is_genuine: Callable[[str, bytes, str], bool]
) -> None:
    happen(principal)
    drain()
    [request] = receiver.received
    header = request.headers["Svc-Signature"]
    assert is_genuine(header, request.body, subscriber.secret)
    assert not is_genuine(header, request.body + b" ", subscriber.secret)
    assert not is_genuine(header, request.body, subscriber.secret[:-1])
    assert not is_genuine(header, request.body, "")
    signed_at = header.partition(",")[0]
    assert not is_genuine(f"{header},{signed_at}", request.body, subscriber.secret)
    stale = header.replace(signed_at, f"t={int(signed_at.removeprefix('t=')) - 301}")
    assert not is_genuine(stale, request.body, subscriber.secret)


def test_the_printed_vector_is_right() -> None:

    assert all(f"`{value}`" in GUIDE for value in (SECRET, str(T), BODY.decode(), VECTOR))
