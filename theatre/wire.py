"""Reads dataclasses from JSON that anybody may have written, and writes them back. Pure; knows no payments.

Each field says by its annotation what it takes. Everything is asked for, nothing else is taken, and no number has a
point. Why our own: the file is nested four deep, and a hostile one must cost no more than its size.
"""

import re
import types
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, is_dataclass
from decimal import Decimal, InvalidOperation
from functools import cache
from typing import Annotated, Any, Final, NamedTuple, TypeVar

from core.money import to_decimal_string

Made = TypeVar("Made")
_DIGITS = re.compile(r"[0-9]{1,78}\Z")
_DOLLARS = re.compile(r"[0-9]{1,13}(\.[0-9]{1,6})?\Z")
_SIGNS_OF_MARKUP = frozenset("<>&\"'\\")


class Malformed(Exception):
    """What stands at ``where`` cannot be taken; ``code`` is a word of ``details.fields``."""

    def __init__(self, where: str, code: str, sentence: str) -> None:
        self.where, self.code, self.sentence = where, code, sentence
        super().__init__(f"{where}: {sentence}")


@dataclass(frozen=True, kw_only=True, slots=True)
class Kind:
    """What a field takes: ``read`` raises ``ValueError`` with a sentence, ``write`` gives the JSON value."""

    read: Callable[[Any], Any]
    write: Callable[[Any], Any]


class Most(NamedTuple):
    """So many entries of a list at most."""

    number: int


def whole(least: int, most: int) -> Kind:
    """A JSON integer between two."""

    def read(value: Any) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
            raise ValueError(f"Must be an integer from {least} to {most}.")
        return value

    return Kind(read=read, write=int)


def word(longest: int) -> Kind:
    """A name: printable, and without signs of markup. Why others are written as ``_``: tokens are called whatever."""

    def read(value: Any) -> str:
        if not isinstance(value, str) or len(value) > longest or not all(map(_may_stand, value)):
            raise ValueError(f"Must be at most {longest} printable characters without signs of markup.")
        return value

    def write(value: str) -> str:
        return "".join(one if _may_stand(one) else "_" for one in value[:longest])

    return Kind(read=read, write=write)


def _may_stand(character: str) -> bool:
    return character.isprintable() and character not in _SIGNS_OF_MARKUP


def one_of(*words: str) -> Kind:
    """One of these words."""

    def read(value: Any) -> str:
        if not isinstance(value, str) or value not in words:
            raise ValueError(f"Must be among {', '.join(one or '(empty)' for one in words)}.")
        return value

    return Kind(read=read, write=str)


def _matching(pattern: re.Pattern[str], sentence: str, made: Callable[[str], Any]) -> Callable[[Any], Any]:
    """How a number is read from text of one form."""

    def read(value: Any) -> Any:
        if not isinstance(value, str) or not pattern.match(value):
            raise ValueError(sentence)
        return made(value)

    return read


def _truth(value: Any) -> bool:
    if not isinstance(value, bool):
        raise ValueError("Must be true or false.")
    return value


UNITS: Final = Kind(read=_matching(_DIGITS, "Must be base units as text, at most 78 digits.", int), write=str)
DOLLARS: Final = Kind(
    read=_matching(_DOLLARS, "Must be dollars as text, at most 13 digits and 6 places.", Decimal),
    write=to_decimal_string,
)
TRUTH: Final = Kind(read=_truth, write=bool)


def read(made: type[Made], value: Any, where: str) -> Made:
    """A dataclass from a JSON object. Raises: Malformed."""
    if not isinstance(value, dict):
        raise Malformed(where, "type", "Must be an object.")
    known = _hints(made)  # type: ignore[arg-type]  # a class has a hash, whatever its rows have
    if extra := sorted(str(name)[:64] for name in set(value) - set(known)):
        raise Malformed(f"{where}.{extra[0]}", "unknown_field", "No such field in a scenario file.")
    if missing := sorted(set(known) - set(value)):
        raise Malformed(f"{where}.{missing[0]}", "required", "A scenario file has this field.")
    return made(**{name: _value(hint, value[name], f"{where}.{name}") for name, hint in known.items()})


def write(value: Any) -> dict[str, Any]:
    """The same dataclass as a JSON object."""
    return {name: _written(hint, getattr(value, name)) for name, hint in _hints(type(value)).items()}  # type: ignore[arg-type]  # as above


@cache
def _hints(made: type) -> Mapping[str, Any]:
    hints = typing.get_type_hints(made, include_extras=True)
    return {field.name: hints[field.name] for field in fields(made)}


def _parts(hint: Any) -> tuple[Any, Any, bool]:
    """What a field is: the type, what its annotation says of it, and whether it may be null."""
    if typing.get_origin(hint) in (types.UnionType, typing.Union):
        inner = next(one for one in typing.get_args(hint) if one is not type(None))
        return (*_parts(inner)[:2], True)
    if typing.get_origin(hint) is Annotated:
        made, said = typing.get_args(hint)[:2]
        return made, said, False
    return hint, None, False


def _value(hint: Any, value: Any, where: str) -> Any:
    made, said, may_be_null = _parts(hint)
    if value is None and may_be_null:
        return None
    if isinstance(said, Most):
        return _list(typing.get_args(made)[0], said, value, where)
    if isinstance(made, type) and is_dataclass(made):
        return read(made, value, where)
    try:
        return said.read(value)
    except (ValueError, InvalidOperation) as error:
        raise Malformed(where, "format", str(error)) from None


def _list(made: Any, most: Most, value: Any, where: str) -> tuple[Any, ...]:
    if not isinstance(value, list):
        raise Malformed(where, "type", "Must be a list.")
    if len(value) > most.number:
        raise Malformed(where, "too_long", f"Must have at most {most.number} entries.")
    return tuple(read(made, one, f"{where}.{number}") for number, one in enumerate(value))


def _written(hint: Any, value: Any) -> Any:
    made, said, _ = _parts(hint)
    if value is None:
        return None
    if isinstance(said, Most):
        return [write(one) for one in value]
    return write(value) if is_dataclass(made) else said.write(value)
