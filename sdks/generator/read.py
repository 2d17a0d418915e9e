"""Reads docs/openapi.yaml into sdks.generator.ir.Api. Nothing is configured: names follow from the file alone.

A method's name is its operationId without the words of its tag: ``createPaymentIntent`` under *Payment intents* is
``payment_intents.create``. Extensions are read where they stand (``x-pagination``, ``x-idempotent``, ``x-effects``,
``x-codes``, ``x-open-enum``), and concluded from parameters and headers where they do not.
"""

import keyword
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

from sdks.generator.ir import ERROR_CODE, Api, Body, Effects, Event, Method, Page, Parameter, Service, Type, Verb
from sdks.generator.shapes import Shapes, about, merged

ROOT = Path(__file__).resolve().parent.parent.parent
DESCRIPTION = ROOT / "docs" / "openapi.yaml"
BASE_PATH = "/api/public/v1"
Document = Mapping[str, Any]
COMMAND_ONLY = "command"
"""The word of ``x-sdk`` on what the command calls by its path, and the classes leave out. Source: docs/adr/0118."""
_CURSORS = ("starting_after", "after")
_ENVELOPE = frozenset({"data", "has_more", "next_cursor", "cursor"})
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z0-9]+")
_VERBS: dict[str, Verb] = {"get": "GET", "post": "POST", "patch": "PATCH", "put": "PUT", "delete": "DELETE"}


def read_api(path: Path = DESCRIPTION) -> Api:
    """The description in this file. Raises: ValueError where two methods would have one name."""
    return api_of(read_document(path))


def read_document(path: Path = DESCRIPTION) -> Document:
    """The description in this file, parsed."""
    document: Document = yaml.load(path.read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)
    return document


def api_of(document: Document) -> Api:
    """A parsed description. Raises: ValueError where two methods would have one name."""
    shapes = Shapes(document["components"]["schemas"])
    methods: dict[str, list[Method]] = {}
    left_out = []
    for path, verb, operation in _operations(document):
        if _is_for_payers(path, operation) or operation.get("x-sdk") == COMMAND_ONLY:
            left_out.append(operation["operationId"])
        else:
            method = _method(path, verb, operation, shapes, document)
            methods.setdefault(operation["tags"][0], []).append(method)
    events = tuple(_event(name, item, shapes) for name, item in document.get("webhooks", {}).items())
    tags = {tag["name"]: about(tag) for tag in document.get("tags", [])}
    services = tuple(_service(tag, methods[tag], tags.get(tag, "")) for tag in sorted(methods))
    return Api(
        version=document["info"]["version"],
        base_path=BASE_PATH,
        services=services,
        models=dict(sorted(shapes.models.items())),
        enums={name: enum for name, enum in sorted(shapes.enums.items()) if name != ERROR_CODE},
        events=events,
        codes=tuple(sorted({code for service in services for method in service.methods for code in method.codes})),
        left_out=tuple(sorted(left_out)),
    )


def method_name(operation_id: str, tag: str) -> str:
    """The operation's name without the words of its tag. Raises: ValueError if nothing that can be called is left."""
    dropped = {_singular(word) for word in words(tag)}
    kept = [word for word in words(operation_id) if _singular(word) not in dropped]
    name = "_".join(kept)
    if not name or keyword.iskeyword(name):
        raise ValueError(f"{operation_id} under {tag} leaves no name")
    return name


def words(text: str) -> list[str]:
    """The words of a name or a tag, in small letters."""
    return [word.lower() for word in _WORD.findall(text)]


def _singular(word: str) -> str:
    return word.removesuffix("s")


def _operations(document: Document) -> Iterator[tuple[str, Verb, dict[str, Any]]]:
    for path, item in sorted(document["paths"].items()):
        for key, verb in _VERBS.items():
            if key in item:
                shared = item.get("parameters", [])
                yield path, verb, {**item[key], "parameters": [*shared, *item[key].get("parameters", [])]}


def _is_for_payers(path: str, operation: Document) -> bool:
    """Why the last rule: what needs no key but names one thing is what a payer's browser may look at."""
    is_public = "bearerAuth" not in {name for way in operation.get("security", []) for name in way}
    return "/checkout/" in path or operation["tags"][0] == "Checkout" or (is_public and "{" in path)


def _service(tag: str, methods: list[Method], said: str) -> Service:
    names = [method.name for method in methods]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ValueError(f"{tag} has two methods called {', '.join(twice)}")
    return Service(name="_".join(words(tag)), tag=tag, methods=tuple(sorted(methods, key=_in_order)), about=said)


def _in_order(method: Method) -> tuple[int, str]:
    usual = ("create", "get", "list", "update", "delete")
    return (usual.index(method.name) if method.name in usual else len(usual), method.name)


def _method(path: str, verb: Verb, operation: Document, shapes: Shapes, document: Document) -> Method:
    operation_id, tag = operation["operationId"], operation["tags"][0]
    name = method_name(operation_id, tag)
    parameters = [_resolved(parameter, document) for parameter in operation["parameters"]]
    headers = {parameter["name"] for parameter in parameters if parameter["in"] == "header"}
    answer = _answer(operation, shapes, operation_id)
    chosen = tuple(_parameter(part, operation_id, shapes) for part in parameters if part["in"] in {"path", "query"})
    is_get = verb == "GET"
    effects: Effects = operation.get("x-effects", "none" if is_get else "state")
    return Method(
        name=name,
        operation_id=operation_id,
        verb=verb,
        path=path,
        summary=str(operation.get("summary", "")).strip(),
        about=about(operation),
        parameters=chosen,
        body=_body(operation, shapes, operation_id),
        answer=answer,
        page=_page(operation, answer, chosen, shapes) if is_get and operation_id.startswith("list") else None,
        is_idempotent=bool(operation.get("x-idempotent", "Idempotency-Key" in headers)),
        needs_key=any("bearerAuth" in way for way in operation.get("security", [])),
        effects=effects,
        codes=tuple(operation.get("x-codes", ())),
        is_deprecated=bool(operation.get("deprecated", False)),
    )


def _resolved(part: Document, document: Document) -> Document:
    while "$ref" in part:
        found: Any = document
        for key in part["$ref"].removeprefix("#/").split("/"):
            found = found[key]
        part = found
    return part


def _parameter(part: Document, operation_id: str, shapes: Shapes) -> Parameter:
    name = part["name"]
    place = operation_id[:1].upper() + operation_id[1:] + "".join(word.capitalize() for word in words(name))
    return Parameter(
        name=name,
        place=part["in"],
        type=shapes.read(part.get("schema", {}), place, name),
        is_required=part["in"] == "path" or bool(part.get("required", False)),
        about=about(part),
        is_several=part.get("in") == "query" and _is_several(part),
    )


def _is_several(part: Document) -> bool:
    said = part.get("schema", {}).get("pattern", ""), about(part)
    return ",(" in said[0] or "separated by comma" in said[1] or "comma list" in said[1]


def _answer(operation: Document, shapes: Shapes, operation_id: str) -> Type | None:
    for status, answer in sorted(operation["responses"].items()):
        content = answer.get("content", {}).get("application/json")
        if status.startswith("2") and content:
            return shapes.read(content["schema"], operation_id[:1].upper() + operation_id[1:] + "Answer")
    return None


def _body(operation: Document, shapes: Shapes, operation_id: str) -> Body | None:
    asked = operation.get("requestBody")
    if not asked:
        return None
    place = operation_id[:1].upper() + operation_id[1:]
    schema = shapes.resolve(asked["content"]["application/json"]["schema"])
    choices = [shapes.resolve(choice) for choice in schema.get("oneOf") or schema.get("anyOf") or []]
    if not choices:
        parts = [shapes.resolve(part) for part in schema.get("allOf", [schema])]
        return Body(fields=shapes.fields(merged(parts), place), is_required=bool(asked.get("required", False)))
    needed = [choice.get("required", []) for choice in choices]
    always = [name for name in needed[0] if all(name in names for names in needed)]
    fields = shapes.fields({**merged(choices), "required": always}, place)
    return Body(fields=fields, is_required=True, variants=tuple(tuple(sorted(names)) for names in needed))


def _page(operation: Document, answer: Type | None, parameters: tuple[Parameter, ...], shapes: Shapes) -> Page | None:
    model = shapes.models.get(answer.name) if answer and answer.kind == "model" else None
    if model is None:
        return None
    said = operation.get("x-pagination", {})
    found = {field.name: field.type for field in model.fields}
    rows = found.get(said.get("items", "data"))
    if rows is None or rows.items is None or (not said and set(found) - _ENVELOPE):
        return None
    asked = {parameter.name for parameter in parameters}
    cursor = said.get("cursor") or next((name for name in _CURSORS if name in asked), None)
    return Page(
        cursor=cursor,
        items=said.get("items", "data"),
        next=said.get("next", "next_cursor"),
        more=said.get("more", "has_more"),
        item=rows.items,
    )


def _event(name: str, item: Document, shapes: Shapes) -> Event:
    operation = item["post"]
    place = "".join(word.capitalize() for word in words(name)) + "Event"
    found = shapes.read(operation["requestBody"]["content"]["application/json"]["schema"], place)
    fields = shapes.models[found.name].fields if found.kind == "model" else ()
    data = next((field.type for field in fields if field.name == "data"), None)
    said = str(operation.get("summary", "")) or about(operation)
    return Event(type=name, model=found.name, data=data.name if data and data.kind == "model" else None, about=said)
