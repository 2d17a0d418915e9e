"""What a change of the description breaks for a client that was made from the last release's.

Judged is the wire: names of schemas, texts, examples and marks (``x-``) may change. What clients send may only be
refused less, and what they are sent may only grow. Sets of words in answers may grow where they are marked as open.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Final

import yaml

from tests.architecture.source import ROOT

LAST_RELEASE: Final = ROOT / "config" / "last_openapi.yaml"
METHODS: Final = frozenset({"get", "post", "put", "patch", "delete"})
AT_LEAST: Final = ("minimum", "minLength", "minItems")
AT_MOST: Final = ("maximum", "maxLength", "maxItems")
DEEPEST: Final = 12
"""How deep bodies are compared. Why a bound: a schema may hold itself."""


@dataclass(frozen=True, kw_only=True)
class Value:
    """What a value may be, with references followed. ``types`` and ``words`` are None where anything may be."""

    types: frozenset[str] | None = None
    words: frozenset[str] | None = None
    is_open: bool = False
    fields: Mapping[str, Any] = field(default_factory=dict)
    required: frozenset[str] = frozenset()
    items: Any = None
    takes_others: bool = True
    rules: Mapping[str, Any] = field(default_factory=dict)


@cache
def last_release() -> dict[str, Any]:
    """The description of the last release."""
    return read(LAST_RELEASE)


def read(path: Path) -> dict[str, Any]:
    """A description from a file."""
    found: dict[str, Any] = yaml.load(path.read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)
    return found


def value_of(schema: Any, document: Mapping[str, Any]) -> Value:
    """What a schema allows."""
    if not isinstance(schema, Mapping):
        return Value(takes_others=schema is not False)
    if "$ref" in schema:
        return value_of(_referred(schema["$ref"], document), document)
    if len(schema.get("allOf", ())) == 1:
        return value_of(schema["allOf"][0], document)
    if "oneOf" in schema or "anyOf" in schema:
        return _either([value_of(one, document) for one in schema.get("oneOf") or schema["anyOf"]])
    types, words = schema.get("type"), schema.get("enum")
    if "const" in schema:
        words = [schema["const"]]
    return Value(
        types=None if types is None else frozenset([types] if isinstance(types, str) else types),
        words=None if words is None else frozenset(str(word) for word in words),
        is_open=bool(schema.get("x-open-enum")),
        fields=schema.get("properties", {}),
        required=frozenset(schema.get("required", ())),
        items=schema.get("items"),
        takes_others=schema.get("additionalProperties", True) is not False,
        rules={name: schema[name] for name in (*AT_LEAST, *AT_MOST, "pattern", "format") if name in schema},
    )


def _referred(reference: str, document: Mapping[str, Any]) -> Any:
    found: Any = document
    for name in reference.removeprefix("#/").split("/"):
        found = found[name]
    return found


def _either(values: list[Value]) -> Value:
    """One that allows what any of them allows: near enough for a null beside a schema, and for bodies of two forms."""
    filled = [one for one in values if one.types != frozenset({"null"})] or values
    known = [one.types for one in values if one.types is not None]
    worded = [one.words for one in filled if one.words is not None]
    return Value(
        types=frozenset().union(*known) if len(known) == len(values) else None,
        words=frozenset().union(*worded) if len(worded) == len(filled) else None,
        is_open=any(one.is_open for one in filled),
        fields={name: schema for one in filled for name, schema in one.fields.items()},
        required=frozenset.intersection(*(one.required for one in filled)),
        items=next((one.items for one in filled if one.items is not None), None),
        takes_others=any(one.takes_others for one in filled),
        rules=filled[0].rules if len(filled) == 1 else {},
    )


def breaks(old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[str]:
    """Everything that a client of the old description meets in the new one as a break."""
    yield from _Comparison(old=old, new=new).all()


@dataclass(frozen=True, kw_only=True)
class _Comparison:
    old: Mapping[str, Any]
    new: Mapping[str, Any]

    def all(self) -> Iterator[str]:
        now = dict(_operations(self.new))
        for place, operation in _operations(self.old):
            if place not in now:
                yield f"{place}: removed"
            else:
                yield from (f"{place}: {what}" for what in self._operation(operation, now[place]))
        for event, described in self.old.get("webhooks", {}).items():
            if event not in self.new.get("webhooks", {}):
                yield f"{event}: removed"
                continue
            was, has = _body(described["post"]), _body(self.new["webhooks"][event]["post"])
            yield from (f"{event}: {what}" for what in self._answered(was, has, "data"))

    def _operation(self, old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[str]:
        if old["operationId"] != new["operationId"]:
            yield f"is called {new['operationId']} and was {old['operationId']}"
        yield from _credentials(old.get("security", []), new.get("security", []))
        yield from self._parameters(old, new)
        yield from self._bodies(old, new)
        for status, answer in old["responses"].items():
            if status.startswith(("2", "3")):
                yield from self._answer(status, answer, new["responses"].get(status))

    def _parameters(self, old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[str]:
        was, has = _parameters(old), _parameters(new)
        for name, parameter in was.items():
            if name not in has:
                yield f"{name}: parameter removed"
            else:
                yield from self._sent(parameter["schema"], has[name]["schema"], name)
        for name, parameter in has.items():
            if parameter.get("required") and not was.get(name, {}).get("required"):
                yield f"{name}: parameter is required"

    def _bodies(self, old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[str]:
        was, has = _body(old), _body(new)
        if has is not None and was is None and new["requestBody"].get("required"):
            yield "body: is required"
        elif was is not None and has is not None:
            yield from self._sent(was, has, "body")

    def _answer(self, status: str, old: Mapping[str, Any], new: Mapping[str, Any] | None) -> Iterator[str]:
        if new is None:
            yield f"{status}: answer removed"
            return
        for header in old.get("headers", {}):
            if header not in new.get("headers", {}):
                yield f"{status}: header {header} removed"
        was, has = old.get("content", {}), new.get("content", {})
        for kind, content in was.items():
            if kind not in has:
                yield f"{status}: no {kind} any more"
            else:
                yield from self._answered(content["schema"], has[kind]["schema"], status)

    def _sent(self, old: Any, new: Any, place: str, depth: int = 0) -> Iterator[str]:
        """What is refused of that which was taken."""
        was, has = value_of(old, self.old), value_of(new, self.new)
        if has.types is not None and not _covers(has.types, was.types):
            yield f"{place}: takes {_listed(has.types)} and took {_listed(was.types)}"
        if has.words is not None and (was.words is None or was.words - has.words):
            yield f"{place}: does not take {_listed(was.words and was.words - has.words)}"
        yield from (f"{place}: {what}" for what in _narrower(was.rules, has.rules))
        if was.takes_others and not has.takes_others and was.fields:
            yield f"{place}: refuses unknown fields"
        for name in sorted(has.required - was.required):
            yield f"{place}.{name}: is required"
        for name in sorted(set(was.fields) - set(has.fields)):
            yield f"{place}.{name}: removed"
        if depth < DEEPEST:
            for name in was.fields.keys() & has.fields.keys():
                yield from self._sent(was.fields[name], has.fields[name], f"{place}.{name}", depth + 1)
            if was.items is not None and has.items is not None:
                yield from self._sent(was.items, has.items, f"{place}[]", depth + 1)

    def _answered(self, old: Any, new: Any, place: str, depth: int = 0) -> Iterator[str]:
        """What is sent that was not, or misses."""
        was, has = value_of(old, self.old), value_of(new, self.new)
        if was.types is not None and not _covers(was.types, has.types):
            yield f"{place}: is {_listed(has.types)} and was {_listed(was.types)}"
        if was.words is not None and not has.is_open and (has.words is None or has.words - was.words):
            yield f"{place}: may be {_listed(has.words and has.words - was.words)}"
        if "format" in was.rules and has.rules.get("format") != was.rules["format"]:
            yield f"{place}: is no {was.rules['format']} any more"
        for name in sorted(set(was.fields) - set(has.fields)):
            yield f"{place}.{name}: removed"
        for name in sorted((was.required & set(has.fields)) - has.required):
            yield f"{place}.{name}: may be missing"
        if depth < DEEPEST:
            for name in was.fields.keys() & has.fields.keys():
                yield from self._answered(was.fields[name], has.fields[name], f"{place}.{name}", depth + 1)
            if was.items is not None and has.items is not None:
                yield from self._answered(was.items, has.items, f"{place}[]", depth + 1)


def _operations(document: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for path, methods in document["paths"].items():
        yield from ((f"{method.upper()} {path}", found) for method, found in methods.items() if method in METHODS)


def _parameters(operation: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    return {one["name"]: one for one in operation.get("parameters", ())}


def _body(operation: Mapping[str, Any]) -> Any:
    content = operation.get("requestBody", {}).get("content", {})
    return content["application/json"]["schema"] if content else None


def _credentials(old: list[Any], new: list[Any]) -> Iterator[str]:
    if not old and new:
        yield "needs a credential"
    for way in old:
        if new and way not in new:
            yield f"no longer takes {' and '.join(way) or 'no credential'}"


def _covers(wide: frozenset[str], narrow: frozenset[str] | None) -> bool:
    if narrow is None:
        return False
    return narrow <= (wide | {"integer"} if "number" in wide else wide)


def _narrower(old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[str]:
    for name in AT_LEAST:
        if name in new and (name not in old or new[name] > old[name]):
            yield f"{name} is {new[name]} and was {old.get(name)}"
    for name in AT_MOST:
        if name in new and (name not in old or new[name] < old[name]):
            yield f"{name} is {new[name]} and was {old.get(name)}"
    for name in ("pattern", "format"):
        if name in new and new[name] != old.get(name):
            yield f"{name} is {new[name]} and was {old.get(name)}"


def _listed(words: frozenset[str] | None) -> str:
    return "anything" if words is None else ", ".join(sorted(words))
