"""The description says every thing by a name of the field, and in sentences."""

import re
from collections.abc import Iterator
from typing import Any

from django.conf import settings

from tests.architecture.source import ROOT
from tests.contract.conformity import document

GLOBALS = frozenset({"Error", "Event", "Session", "Token", "Health", "Request", "Response", "Date", "Map", "Set"})
"""What a program of a merchant has already by this name, in JavaScript or in its framework."""


def operations() -> Iterator[tuple[str, dict[str, Any]]]:
    """Every operation and every event, by its id."""
    for section in ("paths", "webhooks"):
        for item in document()[section].values():
            yield from ((operation["operationId"], operation) for operation in item.values())


def test_a_schema_has_a_name_of_the_field() -> None:
    """Neither one that shadows what every program has, nor one that only the generating library gives."""
    names = set(document()["components"]["schemas"])
    assert names & GLOBALS == set()
    assert {name for name in names if name.startswith("Patched") or name.endswith("Enum")} == set()


def test_what_takes_no_credential_says_so() -> None:
    """``security: []`` on what is open to all and on what is sent to merchants; others name a known scheme."""
    schemes = set(document()["components"]["securitySchemes"])
    for name, operation in operations():
        assert {scheme for way in operation["security"] for scheme in way} <= schemes, name
    open_to_all = {name for name, operation in operations() if not operation["security"]}
    assert {"getHealth", "listTokens", "on_ping"} <= open_to_all
    assert "createPaymentIntent" not in open_to_all


def test_every_set_of_words_has_a_sentence_and_repeats_no_value_beside_itself() -> None:
    sets = {name: schema for name, schema in document()["components"]["schemas"].items() if "enum" in schema}
    assert {name for name, schema in sets.items() if not schema.get("description", "").endswith(".")} == set()
    assert re.findall(r"\* `\w+` - .*", str(document())) == []


def test_whose_the_description_is_and_where_to_read_on() -> None:
    about = document()["info"]
    docs = f"{settings.BASE_URL}/docs/"
    assert about["contact"] == {"name": "Who runs this service", "url": docs}
    assert about["license"] == {"name": "All rights reserved", "identifier": "LicenseRef-All-Rights-Reserved"}
    assert document()["externalDocs"]["url"] == docs
    guides = {tag["name"]: tag["externalDocs"]["url"] for tag in document()["tags"] if "externalDocs" in tag}
    assert guides.keys() == {tag["name"] for tag in document()["tags"]} - {"Health"}
    assert [url for url in guides.values() if not any((ROOT / "docs").rglob(f"{url.removeprefix(docs)}.md"))] == []


def test_answers_name_their_headers() -> None:
    """Which header comes on which answer. That the service sends no other: tests/contract/conformity.py."""
    on = {
        (operation["operationId"], status): {one["$ref"].rpartition("/")[2] for one in answer["headers"].values()}
        for operation in (found for methods in document()["paths"].values() for found in methods.values())
        for status, answer in operation["responses"].items()
    }
    always = {"RequestId", "RateLimitLimit", "RateLimitRemaining", "RateLimitReset"}
    assert [place for place, names in on.items() if not always <= names] == []
    assert on["createPaymentIntent", "201"] == always | {"IdempotentReplayed"}
    assert on["createPaymentIntent", "409"] == on["createPaymentIntent", "429"] == always | {"RetryAfter"}
    assert on["listRefunds", "200"] == always | {"Link"}
    assert on["getCheckout", "304"] == on["getCheckout", "200"] == always | {"ETag"}
    assert on["getRefund", "200"] == always


def untold() -> Iterator[str]:
    """Every operation, parameter, good answer and field without a sentence."""
    for name, operation in operations():
        yield from (f"{name}: {what}" for what in _untold_of(operation))
    for name, schema in document()["components"]["schemas"].items():
        for key, field in schema.get("properties", {}).items():
            if not is_sentence(field.get("description", "")):
                yield f"{name}.{key}: {field.get('description')}"


def _untold_of(operation: dict[str, Any]) -> Iterator[str]:
    if not is_sentence(operation.get("description", "")) or not operation.get("summary"):
        yield "operation"
    for parameter in operation.get("parameters", ()):
        if not is_sentence(parameter.get("description", "")):
            yield parameter["name"]
    for status, answer in operation["responses"].items():
        if not is_sentence(answer["description"]):
            yield status


def is_sentence(text: str) -> bool:
    """Whether it begins like one and ends like one."""
    return bool(re.fullmatch(r"[A-Z0-9`…].*\.", text, re.DOTALL))


def test_everything_has_a_sentence() -> None:
    assert not is_sentence("")
    assert not is_sentence("amount in dollars")
    assert list(untold()) == []
