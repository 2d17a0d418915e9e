"""Writes the models, the words and the events of the Python SDK."""

import textwrap
from collections.abc import Iterable, Iterator

from sdks.generator.ir import Api, Event, Field, Model, Type
from sdks.generator.text import WIDTH, cap, docstring, quoted, sentence

SHARED = "shared"
_PLAIN = {"text": "str", "integer": "int", "boolean": "bool", "any": "Any", "null": "None"}
_TAKEN = frozenset({"raw", "to_dict", "to_json", "with_raw"})


class Homes:
    """In which module each model stands: with the one service that answers with it, or among the shared ones."""

    def __init__(self, api: Api) -> None:
        self._api = api
        self._events = event_classes(api)
        reached: dict[str, set[str]] = {}
        for home, found in _roots(api):
            for name in self._below(found):
                reached.setdefault(name, set()).add(home)
        self.of = {name: next(iter(homes)) if len(homes) == 1 else SHARED for name, homes in sorted(reached.items())}

    def in_module(self, home: str) -> list[Model]:
        """Its models, each after those that it holds."""
        named = [name for name, place in self.of.items() if place == home]
        order = dict.fromkeys(one for name in named for one in _inner_first(self._api, name))
        return [self._api.models[name] for name in order if self.of[name] == home]

    def _below(self, found: Type) -> Iterator[str]:
        for name in _named_in(found):
            yield from _inner_first(self._api, name)


def _roots(api: Api) -> Iterator[tuple[str, Type]]:
    envelopes = {event.model for event in api.events}
    for service in api.services:
        for method in service.methods:
            found = method.page.item if method.page else method.answer
            if found is not None and found.name not in envelopes and not is_event(api, found):
                yield service.name, found
    for event in api.events:
        for field in api.models[event.model].fields:
            yield f"{event.type.split('.')[0]}_events", field.type


def is_event(api: Api, found: Type) -> bool:
    """Whether a type is any event as it is sent."""
    envelopes = {event.model for event in api.events}
    return found.name in envelopes or bool(found.options and set(found.options) <= envelopes)


def _named_in(found: Type | None) -> Iterator[str]:
    if found is not None:
        yield from [found.name] if found.kind == "model" else found.options
        yield from _named_in(found.items)


def _inner_first(api: Api, name: str, above: tuple[str, ...] = ()) -> Iterator[str]:
    if name in above:
        raise ValueError(f"{name} holds itself")
    for field in api.models[name].fields:
        for inner in _named_in(field.type):
            yield from _inner_first(api, inner, (*above, name))
    yield name


def event_classes(api: Api) -> dict[str, list[Event]]:
    """The class of each event: one for all types of a resource that have one form, else one for each type."""
    groups: dict[tuple[str, str], list[Event]] = {}
    for event in api.events:
        groups.setdefault((event.type.split(".")[0], event.model), []).append(event)
    alone = {prefix for prefix, _ in groups if sum(other == prefix for other, _ in groups) == 1}
    classes: dict[str, list[Event]] = {}
    for (prefix, _), events in groups.items():
        if prefix in alone and len(events) > 1:
            classes[f"{cap(prefix)}Event"] = events
        else:
            classes.update({f"{cap(event.type.replace('.', '_'))}Event": [event] for event in events})
    return dict(sorted(classes.items()))


def answer_type(found: Type) -> str:
    """How a value of an answer is annotated."""
    if found.kind == "list":
        said = f"list[{answer_type(found.items) if found.items else 'Any'}]"
    elif found.kind == "map":
        said = f"dict[str, {answer_type(found.items) if found.items else 'Any'}]"
    elif found.kind == "union":
        said = " | ".join(found.options)
    else:
        said = {"decimal": "Decimal", "moment": "datetime", **_PLAIN}.get(found.kind, found.name)
    return f"{said} | None" if found.nullable else said


def reader(found: Type | None) -> str | None:
    """What converts a value when it is read, or None: it stays as it came."""
    if found is None:
        return None
    if found.kind in {"list", "map"}:
        inner = reader(found.items)
        return inner and f"{'many' if found.kind == 'list' else 'each'}({inner})"
    return {"decimal": "decimal", "moment": "moment", "model": found.name}.get(found.kind)


def model_lines(model: Model, base: str = "Model") -> list[str]:
    """A class over the object."""
    wrong = sorted(_TAKEN & {field.name for field in model.fields})
    if wrong:
        raise ValueError(f"{model.name} has a key that every model has: {', '.join(wrong)}")
    about = sentence(model.about) or f"{model.name}, as the service sends it."
    lines = [f"class {model.name}({base}):", *docstring([about], 4), ""]
    for field in model.fields:
        lines += _field_lines(field)
    read = {field.name: reader(field.type) for field in model.fields}
    pairs = ", ".join(f"{quoted(name)}: {how}" for name, how in read.items() if how)
    if not pairs:
        return lines
    inherited = "" if base == "Model" else f"**{base}._read, "
    return [*lines, "", f"    _read = {{{inherited}{pairs}}}"]


def _field_lines(field: Field) -> list[str]:
    said = answer_type(field.type) if field.constant is None else f"Literal[{quoted(field.constant)}]"
    if not field.is_required and not said.endswith("| None"):
        said += " | None"
    about = sentence(field.about)
    return [f"    {field.name}: {said}", *(docstring([about], 4) if about else [])]


def models_module(api: Api, homes: Homes, home: str) -> str:
    """The module of one home."""
    models = homes.in_module(home)
    own = {model.name for model in models}
    outside = {name for model in models for field in model.fields for name in _named_in(field.type)} - own
    blocks = [model_lines(model) for model in models]
    return "\n".join(
        [
            *docstring([f"What the service answers: {home.replace('_', ' ')}."], 0),
            "from __future__ import annotations",
            "from datetime import datetime",
            "from decimal import Decimal",
            "from typing import TYPE_CHECKING, Any, Literal",
            "from causeway_sdk._models import Model, each, many",
            "from causeway_sdk._wire import decimal, moment",
            *(f"from causeway_sdk._generated.models.{homes.of[name]} import {name}" for name in sorted(outside)),
            "if TYPE_CHECKING:",
            f"    from causeway_sdk._generated.words import {', '.join(sorted(api.enums))}",
            *(line for block in blocks for line in ["", *block]),
        ]
    )


def words_module(api: Api) -> str:
    """The words of the interface."""
    lines = [
        *docstring(["The words of the interface. Each may grow: any other text is taken, too."], 0),
        "# fmt: off",
        "from typing import Literal, TypeAlias",
    ]
    for enum in api.enums.values():
        lines += alias(enum.name, enum.values, sentence(enum.about))
    said = "What a refusal's `code` can be."
    return "\n".join([*lines, *alias("ErrorCode", api.codes, said)])


def alias(name: str, values: Iterable[str], about: str) -> list[str]:
    """An open set of words."""
    listed = ", ".join(quoted(value) for value in values)
    lines = textwrap.wrap(listed, WIDTH - 4, break_long_words=False, break_on_hyphens=False)
    said = ["Literal[", *(f"    {line}" for line in lines), "] | str"] if lines else ["str"]
    return ["", f"{name}: TypeAlias = {said[0]}", *said[1:], *(docstring([about], 0) if about else [])]


def events_module(api: Api, homes: Homes) -> str:
    """The classes of the events."""
    classes = event_classes(api)
    envelopes = [api.models[name] for name in sorted({event.model for event in api.events})]
    needed = {name for model in envelopes for field in model.fields for name in _named_in(field.type)}
    blocks = [_event_lines(api, name, events) for name, events in classes.items()]
    return "\n".join(
        [
            *docstring(["The events as they are posted, a class for each type."], 0),
            "from __future__ import annotations",
            "from datetime import datetime",
            "from decimal import Decimal",
            "from typing import TYPE_CHECKING, Any, Literal",
            "from causeway_sdk._models import Model, each, many",
            "from causeway_sdk._wire import decimal, moment",
            *(f"from causeway_sdk._generated.models.{homes.of[name]} import {name}" for name in sorted(needed)),
            "if TYPE_CHECKING:",
            f"    from causeway_sdk._generated.words import {', '.join(sorted(api.enums))}",
            "",
            *model_lines(Model(name="EventBase", fields=tuple(_in_every_event(api)), about="What every event has.")),
            *(line for block in blocks for line in ["", *block]),
            *_unknown_lines(),
        ]
    )


def event_union(api: Api) -> str:
    """All events as one type, and what reads one."""
    classes = event_classes(api)
    named = ", ".join([*classes, "UnknownEvent"])
    table = [f"{quoted(event.type)}: {name}" for name, events in classes.items() for event in events]
    return "\n".join(
        [
            *docstring(["Any event. Compare `event.type`, and `event.data` has its own type."], 0),
            "from __future__ import annotations",
            "from collections.abc import Mapping",
            "from typing import Any, TypeAlias",
            f"from causeway_sdk._generated.event_classes import {named}",
            "",
            f"Event: TypeAlias = {' | '.join([*classes, 'UnknownEvent'])}",
            f"EVENTS: dict[str, type[Any]] = {{{', '.join(table)}}}",
            f"__all__ = {sorted(['Event', 'EVENTS', 'event_of', 'UnknownEvent', *classes])!r}",
            "",
            "def event_of(values: Mapping[str, Any]) -> Event:",
            '    """The event in these values; of a type that this version does not know, a plain one."""',
            '    found: Event = EVENTS.get(str(values.get("type")), UnknownEvent)(values)',
            "    return found",
        ]
    )


def _event_lines(api: Api, name: str, events: list[Event]) -> list[str]:
    envelope = api.models[events[0].model]
    types = ", ".join(quoted(event.type) for event in events)
    shared = _in_every_event(api)
    fields = [field for field in envelope.fields if field.name != "type" and field not in shared]
    about = sentence(events[0].about) if len(events) == 1 else f"An event of a {events[0].type.split('.')[0]}."
    lines = model_lines(Model(name=name, fields=tuple(fields), about=about), "EventBase")
    place = next(number for number, line in enumerate(lines) if line == "")
    return [*lines[: place + 1], f"    type: Literal[{types}]", *lines[place + 1 :]]


def _in_every_event(api: Api) -> list[Field]:
    first, *others = [api.models[event.model].fields for event in api.events]
    return [field for field in first if field.name != "type" and all(field in fields for fields in others)]


def _unknown_lines() -> list[str]:
    about = [
        "An event of a type that this version does not know.",
        "At run time `type` is the type that came. A type checker reads another word, so that comparing the `type` of",
        "an event with a known one leaves no unknown event over.",
    ]
    return [
        "",
        "class UnknownEvent(EventBase):",
        *docstring([about[0], " ".join(about[1:])], 4),
        '    type: Literal["unknown"]',
        "    data: dict[str, Any]",
    ]
