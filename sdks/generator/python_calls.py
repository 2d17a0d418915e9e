"""Writes the methods of the Python SDK, those that block and those that are awaited."""

from dataclasses import dataclass

from sdks.generator.ir import Api, Body, Field, Method, Parameter, Service, Type
from sdks.generator.python_models import Homes, answer_type, is_event
from sdks.generator.text import cap, docstring, quoted, sentence

_ASKED = {"text": "str", "integer": "int", "boolean": "bool", "decimal": "Amount", "moment": "datetime | str"}


@dataclass(frozen=True, kw_only=True)
class Style:
    """Blocking, or awaited."""

    prefix: str
    define: str
    wait: str

    def of(self, name: str) -> str:
        """The class of this style."""
        return f"{self.prefix}{name}"


BLOCKING = Style(prefix="", define="def", wait="")
AWAITED = Style(prefix="Async", define="async def", wait="await ")


def constant(service: Service, method: Method) -> str:
    """The operation's name in the module of operations."""
    return f"{service.name}_{method.name}".upper()


def operations_module(api: Api) -> str:
    """What the core has to know of each operation."""
    lines = [
        *docstring(["What the core has to know of each operation."], 0),
        "from causeway_sdk._core import Operation",
        f"API_VERSION = {quoted(api.version)}",
    ]
    for service in api.services:
        lines += [_operation(service, method) for method in service.methods]
    return "\n".join(lines)


def _operation(service: Service, method: Method) -> str:
    parts = [quoted(f"{service.name}.{method.name}"), quoted(method.verb), quoted(method.path)]
    amounts = [field.name for field in (method.body.fields if method.body else ()) if field.type.kind == "decimal"]
    amounts += [parameter.name for parameter in method.in_query if parameter.type.kind == "decimal"]
    if method.is_idempotent:
        parts.append("idempotent=True")
    if amounts:
        parts.append(f"amounts=({', '.join(quoted(name) for name in amounts)},)")
    if method.page:
        page = method.page
        said = {"cursor": page.cursor, "items": page.items, "next": page.next, "more": page.more}
        usual = {"cursor": None, "items": "data", "next": "next_cursor", "more": "has_more"}
        parts += [f"{key}={quoted(value)}" for key, value in said.items() if value != usual[key] and value]
    return f"{constant(service, method)} = Operation({', '.join(parts)})"


def calls_module(api: Api, homes: Homes, service: Service, style: Style) -> str:
    """The class of one service, in one style."""
    answers = {
        name
        for method in service.methods
        for name in _names(method.page.item if method.page else method.answer, api)
        if name in homes.of
    }
    head = sentence(service.about) or f"{service.tag}."
    lists_events = any(method.page and is_event(api, method.page.item) for method in service.methods)
    home, base = ("_catching_up", "EventResource") if lists_events else ("_resource", "Resource")
    return "\n".join(
        [
            *docstring([f"{service.tag}: {'awaited' if style.wait else 'blocking'} methods."], 0),
            "from __future__ import annotations",
            "from collections.abc import Collection, Mapping, Sequence",
            "from datetime import datetime",
            "from decimal import Decimal",
            "from typing import TYPE_CHECKING, Any",
            "from causeway_sdk._generated import operations as op",
            "from causeway_sdk._generated.events import Event, event_of",
            f"from causeway_sdk.{home} import {style.of(base)}",
            *(f"from causeway_sdk._generated.models.{homes.of[name]} import {name}" for name in sorted(answers)),
            "if TYPE_CHECKING:",
            f"    from causeway_sdk._pages import {style.of('Pages')}",
            "    from causeway_sdk._wire import Amount",
            f"    from causeway_sdk._generated.words import {', '.join(sorted(api.enums))}",
            "",
            f"class {style.of(f'{cap(service.name)}Service')}({style.of(base)}):",
            *docstring([head], 4),
            *(line for method in service.methods for line in _method_lines(api, service, method, style)),
            *_wait_lines(api, service, style),
        ]
    )


def _names(found: Type | None, api: Api) -> set[str]:
    if found is None or is_event(api, found):
        return set()
    return ({found.name} if found.kind == "model" else set()) | _names(found.items, api)


def _method_lines(api: Api, service: Service, method: Method, style: Style) -> list[str]:
    needed, optional = _asked(method)
    keywords = [*needed, *optional]
    if method.is_idempotent:
        keywords.append("idempotency_key: str | None = None")
    places = [f"{parameter.name}: str" for parameter in method.in_path]
    arguments = ", ".join(["self", *places, *(["*", *keywords] if keywords else [])])
    answer, ask = _answer(api, service, method, style)
    define = "def" if method.page else style.define
    return [
        "",
        f"    {define} {method.name}({arguments}) -> {answer}:",
        *docstring(_about(method)[: 1 if style.wait else None], 8),
        f"        return {ask}",
    ]


def _asked(method: Method) -> tuple[list[str], list[str]]:
    """The keyword arguments that must be given, and those that may be."""
    parts: list[Parameter | Field] = [*(method.body.fields if method.body else ()), *method.in_query]
    needed = [f"{part.name}: {asked_type(part)}" for part in parts if part.is_required]
    optional = [f"{part.name}: {asked_type(part)} | None = None" for part in parts if not part.is_required]
    return needed, optional


def asked_type(part: Parameter | Field) -> str:
    """How an argument is annotated."""
    said = _asked_type(part.type)
    return f"{said} | Sequence[{said}]" if isinstance(part, Parameter) and part.is_several else said


def _asked_type(found: Type) -> str:
    if found.kind == "list":
        return f"Sequence[{_asked_type(found.items) if found.items else 'Any'}]"
    if found.kind in {"map", "model", "union"}:
        return f"Mapping[str, {_asked_type(found.items) if found.items else 'Any'}]"
    return _ASKED.get(found.kind, found.name or "Any")


def _answer(api: Api, service: Service, method: Method, style: Style) -> tuple[str, str]:
    path = ", ".join(f"{quoted(parameter.name)}: {parameter.name}" for parameter in method.in_path)
    query = ", ".join(f"{quoted(parameter.name)}: {parameter.name}" for parameter in method.in_query)
    operation = f"op.{constant(service, method)}"
    if method.page:
        item = method.page.item
        reader = "event_of" if is_event(api, item) else item.name or "dict"
        shown = "Event" if is_event(api, item) else answer_type(item)
        at = f"{{{path}}}" if path else "None"
        return f"{style.of('Pages')}[{shown}]", f"self._list({operation}, {reader}, {at}, {{{query}}})"
    if method.answer is None:
        raise ValueError(f"{method.operation_id} answers with nothing")
    parts = [operation, "event_of" if is_event(api, method.answer) else method.answer.name]
    parts += [f"path={{{path}}}"] if path else []
    parts += [f"query={{{query}}}"] if query else []
    parts += [f"body={_body(method.body)}"] if method.body else []
    parts += ["key=idempotency_key"] if method.is_idempotent else []
    shown = "Event" if is_event(api, method.answer) else method.answer.name
    return shown, f"{style.wait}self._ask({', '.join(parts)})"


def _body(body: Body) -> str:
    return "{" + ", ".join(f"{quoted(field.name)}: {field.name}" for field in body.fields) + "}"


def _about(method: Method) -> list[str]:
    parts: list[Parameter | Field] = [*(method.body.fields if method.body else ()), *method.in_query]
    known = [f"``{part.name}``: {sentence(part.about)}" for part in parts if part.about]
    refused = [f"Refusals: {', '.join(method.codes)}."] if method.codes else []
    about = sentence(method.about)
    summary = sentence(method.summary)
    return [summary or about, *([about] if summary and about and about != summary else []), *known, *refused]


def _wait_lines(api: Api, service: Service, style: Style) -> list[str]:
    """A wait for each resource that is read by its id and has a status."""
    get = next((method for method in service.methods if method.name == "get"), None)
    model = api.models.get(get.answer.name) if get and get.answer else None
    if get is None or model is None or len(get.in_path) != 1:
        return []
    if not any(field.name == "status" and field.type.kind == "enum" for field in model.fields):
        return []
    name, holds = get.in_path[0].name, any(parameter.name == "wait" for parameter in get.in_query)
    look = f"self.get({name}{', wait=hold' if holds else ''})"
    return [
        "",
        f"    {style.define} wait(self, {name}: str, *, until: str | Collection[str] | None = None, "
        f"timeout: float = 600) -> {model.name}:",
        *docstring(
            [
                "Wait until the status is the one, or one of those, in ``until``; by default until it is over.",
                "Units: timeout in seconds. Raises: UnexpectedStatusError where it ended otherwise, WaitTimeoutError.",
            ],
            8,
        ),
        f"        return {style.wait}self._wait(lambda hold: {look}, until, timeout, holds={holds})",
    ]


def services_module(api: Api) -> str:
    """What a client has an attribute for."""
    lines = [
        *docstring(["The services as attributes of a client. Each is imported when it is first used."], 0),
        "from __future__ import annotations",
        "from functools import cached_property",
        "from typing import TYPE_CHECKING",
        "from causeway_sdk._resource import AsyncSends, Sends",
        "if TYPE_CHECKING:",
    ]
    for folder, style in (("calls", BLOCKING), ("async_calls", AWAITED)):
        for service in api.services:
            name = style.of(cap(service.name) + "Service")
            lines.append(f"    from causeway_sdk._generated.{folder}.{service.name} import {name}")
    for folder, style, base in (("calls", BLOCKING, "Sends"), ("async_calls", AWAITED, "AsyncSends")):
        kind = "block" if style is BLOCKING else "are awaited"
        lines += ["", f"class {style.of('Services')}({base}):", *docstring([f"Services whose methods {kind}."], 4)]
        for service in api.services:
            name = style.of(cap(service.name) + "Service")
            lines += [
                "",
                "    @cached_property",
                f"    def {service.name}(self) -> {name}:",
                *docstring([sentence(service.about) or f"{service.tag}."], 8),
                f"        from causeway_sdk._generated.{folder}.{service.name} import {name}",
                "",
                f"        return {name}(self)",
            ]
    return "\n".join(lines)
