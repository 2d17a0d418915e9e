"""Writes the models, the words and the events of the Python SDK."""

import re
import textwrap
from collections.abc import Iterable, Iterator
from dataclasses import replace

from sdks.generator.ir import ERROR_CODE, Api, Event, Field, Model, Type
from sdks.generator.text import WIDTH, cap, docstring, quoted, sentence

SHARED = "shared"
_PLAIN = {"text": "str", "integer": "int", "boolean": "bool", "any": "Any", "null": "None"}
FEWEST_SHARED = 4
"""Keys that two models share before one is a class over the other."""
_WARNING = re.compile(r"\b(never|must|cannot)\b")
_UNIT = re.compile(r"\b(dollars|units|seconds|in the token)\b")
_UNIT_IN_NAME = re.compile(r"_(usd|units|seconds|sec|ms)$")
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


def model_lines(model: Model, base: str = "Model") -> list[str]:
    """A class over the object."""
    wrong = sorted(_TAKEN & {field.name for field in model.fields})
    if wrong:
        raise ValueError(f"{model.name} has a key that every model has: {', '.join(wrong)}")
    about = docstring([sentence(model.about)], 4) if model.about else []
    fields = [line for field in model.fields for line in _field_lines(field)]
    return [f"class {model.name}({base}):", *about, "", *(fields or ([] if about else ["    pass"]))]


def _field_lines(field: Field) -> list[str]:
    said = answer_type(field.type) if field.constant is None else f"Literal[{quoted(field.constant)}]"
    if not field.is_required and not said.endswith("| None"):
        said += " | None"
    about = sentence(field.about.replace(", as a decimal string", ""))
    return [f"    {field.name}: {said}", *(docstring([about], 4) if _says_more(field.name, about) else [])]


def _says_more(name: str, about: str) -> bool:
    """Whether a text says what name and type do not: a unit, or a warning. The others stand in the description."""
    return bool(_WARNING.search(about) or (_UNIT.search(about) and not _UNIT_IN_NAME.search(name)))


def models_lines(homes: Homes, home: str) -> list[str]:
    """The models of one home. One that has all keys of another one there, and more, is a class over that."""
    lines: list[str] = []
    done: list[Model] = []
    for model in homes.in_module(home):
        below = [one for one in done if len(one.fields) >= FEWEST_SHARED and set(one.fields) < set(model.fields)]
        base = max(below, key=lambda one: len(one.fields), default=None)
        own = tuple(field for field in model.fields if base is None or field not in base.fields)
        lines += ["", *model_lines(replace(model, fields=own), base.name if base else "Model")]
        done.append(model)
    return lines


def words_lines(api: Api, refused: list[str]) -> list[str]:
    """The words of the interface. ``refused``: what is said of the codes. The other names say what they stand for."""
    lines = [line for enum in api.enums.values() for line in alias(enum.name, enum.values)]
    return [*lines, *alias(ERROR_CODE, api.codes, "What a refusal's `code` can be.", *refused)]


def alias(name: str, values: Iterable[str], *about: str) -> list[str]:
    """An open set of words."""
    listed = ", ".join(quoted(value) for value in values)
    lines = textwrap.wrap(listed, WIDTH - 4, break_long_words=False, break_on_hyphens=False)
    said = ["Literal[", *(f"    {line}" for line in lines), "] | str"] if lines else ["str"]
    return ["", f"{name}: TypeAlias = {said[0]}", *said[1:], *(docstring([*about], 0) if any(about) else [])]


def events_lines(api: Api) -> list[str]:
    """The classes of the events, all of them as one type, and what reads one."""
    classes = event_classes(api)
    return [
        "",
        *model_lines(Model(name="EventBase", fields=tuple(_in_every_event(api)), about="What every event has.")),
        *(line for name, events in classes.items() for line in ["", *_event_lines(api, name, events)]),
        *_unknown_lines(),
        "",
        f"Event: TypeAlias = {' | '.join([*classes, 'UnknownEvent'])}",
        '"""Any event. Compare `event.type`, and `event.data` has its own type."""',
        "_EVENTS: dict[str, type[Any]] = {",
        "    word: one",
        "    for one in EventBase.__subclasses__()",
        """    for word in one.__annotations__["type"].split("'")[1::2]""",
        "}",
        "",
        "def event_of(values: Mapping[str, Any]) -> Event:",
        '    """The event in these values; of a type that this version does not know, a plain one."""',
        '    found: Event = _EVENTS.get(str(values.get("type")), UnknownEvent)(values)',
        "    return found",
    ]


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
