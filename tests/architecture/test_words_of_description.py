"""The description says every thing by a name of the field, and in sentences."""

from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest
import yaml

from tests.architecture.source import ROOT

GLOBALS = frozenset({"Error", "Event", "Session", "Token", "Health", "Request", "Response", "Date", "Map", "Set"})
"""What a program of a merchant has already by this name, in JavaScript or in its framework."""


@cache
def description() -> dict[str, Any]:
    """The committed one, which test_drift holds to the code."""
    parsed: dict[str, Any] = yaml.load(
        (ROOT / "docs" / "openapi.yaml").read_text(encoding="utf-8"), Loader=yaml.CSafeLoader
    )
    return parsed


def operations() -> Iterator[tuple[str, dict[str, Any]]]:
    """Every operation and every event, by its id."""
    for section in ("paths", "webhooks"):
        for item in description()[section].values():
            yield from ((operation["operationId"], operation) for operation in item.values())


@pytest.mark.parametrize("name", sorted(description()["components"]["schemas"]))
def test_a_schema_has_a_name_of_the_field(name: str) -> None:
    """Neither one that shadows what every program has, nor one that only the generating library gives."""
    assert name not in GLOBALS
    assert not name.startswith("Patched")
    assert not name.endswith("Enum")


def test_what_takes_no_credential_says_so() -> None:
    """``security: []`` on what is open to all and on what is sent to merchants; others name a known scheme."""
    schemes = set(description()["components"]["securitySchemes"])
    for name, operation in operations():
        assert {scheme for way in operation["security"] for scheme in way} <= schemes, name
    open_to_all = {name for name, operation in operations() if not operation["security"]}
    assert {"getHealth", "listTokens", "on_ping"} <= open_to_all
    assert "createPaymentIntent" not in open_to_all
