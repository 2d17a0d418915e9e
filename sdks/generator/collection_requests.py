"""The requests of a collection, as its writers need them: collection_order.py filled in from the description.

Bodies are the description's own examples, with the ids that earlier requests of the same run were answered.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from sdks.generator.collection_order import FOLDERS, Folder, Step
from sdks.generator.ir import Api, Field, Method, Parameter, Type
from sdks.generator.read import Document, api_of
from sdks.generator.text import sentence

BASE_URL, KEY = "CAUSEWAY_BASE_URL", "CAUSEWAY_API_KEY"
LOCAL = "http://localhost:8000"
TRIES = 12
"""How often a status is waited for, up to 25 seconds each."""


@dataclass(frozen=True, kw_only=True)
class Request:
    """One request of a collection, as both writers need it. ``url`` begins with the variable of the address."""

    name: str
    step: Step
    method: Method
    url: str
    body: str
    status: int
    about: str

    @property
    def query(self) -> list[tuple[Parameter, str | None]]:
        """Every parameter that the query takes, with its value where one is sent."""
        return [(part, self.step.query.get(part.name)) for part in self.method.in_query]


@dataclass(frozen=True, kw_only=True)
class Group:
    """A folder of requests."""

    folder: Folder
    requests: tuple[Request, ...]


def groups_of(document: Document, folders: tuple[Folder, ...] = FOLDERS) -> tuple[Group, ...]:
    """The collection of a description. Raises: ValueError where an operation, an example or a name is amiss."""
    api = api_of(document)
    methods = {method.operation_id: method for service in api.services for method in service.methods}
    steps = [step for folder in folders for step in folder.steps]
    asked, kept = {step.operation for step in steps}, {name for step in steps for name in step.keeps}
    if asked != set(methods):
        raise ValueError(f"not in exactly the folders' operations: {', '.join(sorted(asked ^ set(methods)))}")
    raw = {
        operation["operationId"]: operation
        for item in document["paths"].values()
        for operation in item.values()
        if isinstance(operation, dict)
    }
    groups = tuple(
        Group(
            folder=folder,
            requests=tuple(
                _request(step, methods[step.operation], raw[step.operation], api, kept) for step in folder.steps
            ),
        )
        for folder in folders
    )
    names = [request.name for group in groups for request in group.requests]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise ValueError(f"two requests are called {', '.join(twice)}")
    return groups


def _request(step: Step, method: Method, raw: Mapping[str, Any], api: Api, kept: set[str]) -> Request:
    if unknown := set(step.query) - {part.name for part in method.in_query}:
        raise ValueError(f"{step.operation} takes no {', '.join(sorted(unknown))}")
    path = method.path.replace("{", "{{").replace("}", "}}")
    return Request(
        name=step.name or method.summary,
        step=step,
        method=method,
        url=f"{{{{{BASE_URL}}}}}{path}",
        body=_body(step, raw, kept),
        status=min(int(status) for status in raw["responses"] if status.startswith("2")),
        about="\n".join(_about(method, api)),
    )


def _body(step: Step, raw: Mapping[str, Any], kept: set[str]) -> str:
    """The example's JSON, with the ids of the run. Raises: ValueError where the description has no such example."""
    if "requestBody" not in raw:
        return ""
    examples = raw["requestBody"]["content"]["application/json"].get("examples", {})
    name = step.example or next(iter(examples), "")
    if name not in examples:
        raise ValueError(f"{step.operation} has no example {name}")
    shown = {**examples[name]["value"], **step.also}
    return json.dumps({key: f"{{{{{key}}}}}" if key in kept else value for key, value in shown.items()}, indent=2)


def _about(method: Method, api: Api) -> Iterator[str]:
    """What a reader sees beside the request: what it does, takes and answers."""
    yield sentence(method.about or method.summary)
    taken: list[Field | Parameter] = [*(method.body.fields if method.body else ()), *method.in_query]
    if taken:
        yield "\nTakes:\n"
        for part in taken:
            needed = ", required" if part.is_required else ""
            yield f"- `{part.name}` ({_said(part.type, api)}{needed}): {sentence(part.about)}"
    answer = api.models.get(method.answer.name) if method.answer else None
    if answer:
        yield f"\nAnswers: {', '.join(f'`{part.name}`' for part in answer.fields)}."


def _said(type_: Type, api: Api) -> str:
    """A type in words."""
    match type_.kind:
        case "enum":
            return "one of " + ", ".join(f"`{value}`" for value in api.enums[type_.name].values)
        case "list" if type_.items:
            return f"list: {_said(type_.items, api)}"
        case "moment":
            return "RFC 3339 time"
        case kind:
            return kind
