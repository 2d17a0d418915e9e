"""What the generated description gains once its operations are known: names, texts, headers and examples."""

from typing import Any, Final

from config.description.examples import with_examples
from config.description.fields import with_field_texts, with_sentences
from config.description.headers import with_endings, with_headers
from config.description.operations import with_operation_texts
from config.description.walk import Document, operations
from payments.explanation.aftermath import LineCodes, LineReasons
from payments.explanation.lines import Actor
from payments.explanation.situations import Situation

SITUATIONS: Final = [one.value for one in Situation]
LINE_CODES: Final = LineCodes()
LINE_REASONS: Final = LineReasons()
NEED_A_BODY: Final = frozenset({"createRefund"})
"""Whose body has two forms: upstream takes it for one that may be left out."""
ACTORS: Final = [one.value for one in Actor]


def without_null_component(result: Document, generator: Any, **_options: Any) -> Document:
    """A null in place of a component for it. Why: clients would be generated with a class named after nothing."""
    if result["components"].get("schemas", {}).pop("NullEnum", None):
        _null_in_place(result)
    return result


def _null_in_place(node: Any) -> None:
    if isinstance(node, dict):
        if node.get("$ref") == "#/components/schemas/NullEnum":
            del node["$ref"]
            node["type"] = "null"
        for inner in node.values():
            _null_in_place(inner)
    elif isinstance(node, list):
        for inner in node:
            _null_in_place(inner)


def open_to_all(result: Document, generator: Any, **_options: Any) -> Document:
    """Says of operations that take no credential that they take none; an absent list would be read as forgotten."""
    for operation in operations(result):
        operation.setdefault("security", [])
        if operation["operationId"] in NEED_A_BODY:
            operation["requestBody"]["required"] = True
    return result


def with_words(result: Document, generator: Any, **_options: Any) -> Document:
    """The description with its texts and its headers."""
    for step in (with_sentences, with_operation_texts, with_field_texts, with_headers, with_endings, with_examples):
        step(result)
    return result
