"""Writes the methods of the Python SDK, those that block and those that are awaited."""

from dataclasses import dataclass

from sdks.generator.ir import Api, Field, Method, Parameter, Service, Type
from sdks.generator.python_models import answer_type, is_event
from sdks.generator.text import cap, docstring, quoted, sentence

_ASKED = {"text": "str", "integer": "int", "boolean": "bool", "decimal": "Amount", "moment": "datetime | str"}
BODIES = frozenset({"POST", "PATCH", "PUT"})
"""Verbs whose arguments are sent as a body; those of the others are sent as a query."""
PAGE = ("data", "next_cursor", "has_more")
"""The keys of every list. Source: sdks/python/src/causeway_sdk/_resource.py."""


@dataclass(frozen=True, kw_only=True)
class Style:
    """Blocking, or awaited."""

    prefix: str
    define: str
    wait: str
    about: str

    def of(self, name: str) -> str:
        """The class of this style."""
        return f"{self.prefix}{name}"


BLOCKING = Style(prefix="", define="def", wait="", about="block")
AWAITED = Style(prefix="Async", define="async def", wait="await ", about="are awaited")


@dataclass(frozen=True)
class Refusals:
    """The codes that every method names, and those that every POST does. A method's text holds only the others."""

    of_all: frozenset[str]
    of_posts: frozenset[str]

    def paragraphs(self) -> list[str]:
        """Both lists, for the one place where they stand."""
        named = (("method", self.of_all), ("POST", self.of_posts))
        return [f"Of every {kind}: {', '.join(sorted(codes))}." for kind, codes in named]

    def of(self, method: Method) -> list[str]:
        """A method's own."""
        shared = [codes for codes in (self.of_all, self.of_posts) if codes <= set(method.codes)]
        own = [code for code in method.codes if not any(code in codes for codes in shared)]
        return [f"Refusals: {', '.join(own)}."] if own else []


def refusals(api: Api) -> Refusals:
    """What all methods that need a key have in common."""
    methods = [method for service in api.services for method in service.methods if method.needs_key]
    every = frozenset.intersection(*(frozenset(method.codes) for method in methods))
    posts = frozenset.intersection(*(frozenset(method.codes) for method in methods if method.verb == "POST"))
    return Refusals(every, posts - every)


def service_lines(api: Api, service: Service, style: Style) -> list[str]:
    """The class of one service, in one style."""
    shared = refusals(api)
    lists_events = any(method.page and is_event(api, method.page.item) for method in service.methods)
    return [
        "",
        f"class {class_of(service, style)}({style.of('EventResource' if lists_events else 'Resource')}):",
        *docstring([sentence(service.about) or f"{service.tag}."], 4),
        *(line for method in service.methods for line in _method_lines(api, method, style, shared)),
        *_wait_lines(api, service, style),
    ]


def class_of(service: Service, style: Style) -> str:
    """Its name."""
    return style.of(f"{cap(service.name)}Service")


def _method_lines(api: Api, method: Method, style: Style, shared: Refusals) -> list[str]:
    _check(method)
    needed, optional = _asked(method)
    keywords = [*needed, *optional]
    if method.is_idempotent:
        keywords.append("idempotency_key: str | None = None")
    places = [f"{parameter.name}: str" for parameter in method.in_path]
    arguments = ", ".join(["self", *places, *(["*", *keywords] if keywords else [])])
    answer, ask = _answer(api, method, style)
    define = "def" if method.page else style.define
    return [
        "",
        f"    {define} {method.name}({arguments}) -> {answer}:",
        *docstring([*_about(method), *shared.of(method)], 8),
        f"        return {ask}",
    ]


def _check(method: Method) -> None:
    """Raises: ValueError for what the core takes for granted and this method does otherwise."""
    page = method.page
    faults = {
        "is a POST without an idempotency key, or another method with one": method.is_idempotent
        != (method.verb == "POST"),
        "has a body and a query, or a body that its verb does not send": method.body is not None
        and (bool(method.in_query) or method.verb not in BODIES),
        "has a query that its verb does not send": bool(method.in_query) and method.verb in BODIES,
        "goes on in another way than other lists": page is not None and (page.items, page.next, page.more) != PAGE,
    }
    for fault, is_so in faults.items():
        if is_so:
            raise ValueError(f"{method.operation_id} {fault}")


def _asked(method: Method) -> tuple[list[str], list[str]]:
    """The keyword arguments that must be given, and those that may be."""
    parts = _parts(method)
    needed = [f"{part.name}: {asked_type(part)}" for part in parts if part.is_required]
    optional = [f"{part.name}: {asked_type(part)} | None = None" for part in parts if not part.is_required]
    return needed, optional


def _parts(method: Method) -> list[Parameter | Field]:
    return [*(method.body.fields if method.body else ()), *method.in_query]


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


def _answer(api: Api, method: Method, style: Style) -> tuple[str, str]:
    """What is answered, and the call of the core that brings it."""
    found = method.page.item if method.page else method.answer
    if found is None:
        raise ValueError(f"{method.operation_id} answers with nothing")
    is_any_event = is_event(api, found)
    shown = "Event" if is_any_event else answer_type(found)
    reader = "event_of" if is_any_event else found.name or "dict"
    amounts = [part.name for part in _parts(method) if part.type.kind == "decimal"]
    given = [reader, "locals()", *([f"amounts={tuple(amounts)!r}"] if amounts else [])]
    if method.page:
        cursor = [f"cursor={quoted(method.page.cursor)}"] if method.page.cursor else []
        return f"{style.of('Pages')}[{shown}]", f"self._list({', '.join([quoted(method.path), *given, *cursor])})"
    return shown, f"{style.wait}self._ask({', '.join([quoted(method.verb), quoted(method.path), *given])})"


def _about(method: Method) -> list[str]:
    known = [f"``{part.name}``: {sentence(part.about)}" for part in _parts(method) if part.about]
    about = sentence(method.about)
    summary = sentence(method.summary)
    return [summary or about, *([about] if summary and about and about != summary else []), *known]


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


def services_lines(api: Api, style: Style) -> list[str]:
    """What a client has an attribute for. What each is for stands at its class."""
    return [
        "",
        f"class {style.of('Services')}({style.of('Sends')}):",
        *docstring([f"Services whose methods {style.about}."], 4),
        "",
        *(f"    {service.name}: {class_of(service, style)}" for service in api.services),
    ]
