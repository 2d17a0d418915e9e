"""Every request, answer, error and event of the description has an example that its own schema allows."""

from collections.abc import Iterator
from typing import Any

import jsonschema_rs

from tests.contract.conformity import document


def contents() -> Iterator[tuple[str, dict[str, Any]]]:
    """Everything with a schema and examples, and where it stands."""
    for section in ("paths", "webhooks"):
        for item in document()[section].values():
            for operation in item.values():
                body = operation.get("requestBody", {}).get("content", {})
                yield from ((f"{operation['operationId']} request", content) for content in body.values())
                for status, answer in operation["responses"].items():
                    for content in answer.get("content", {}).values():
                        yield f"{operation['operationId']} {status}", content


def value_of(example: dict[str, Any]) -> Any:
    if "$ref" not in example:
        return example["value"]
    return document()["components"]["examples"][example["$ref"].rpartition("/")[2]]["value"]


def problems(schema: dict[str, Any], value: Any) -> list[str]:
    whole = {**schema, "components": document()["components"]}
    judge = jsonschema_rs.Draft202012Validator(whole, validate_formats=True)
    return [f"{list(error.instance_path)}: {error.message}" for error in judge.iter_errors(value)]


def test_everything_has_an_example_that_its_schema_allows() -> None:
    wrong = {}
    for place, content in contents():
        if not content.get("examples"):
            wrong[place] = ["none"]
        for name, example in content.get("examples", {}).items():
            found = problems(content["schema"], value_of(example))
            if found:
                wrong[f"{place} {name}"] = found
    assert wrong == {}
