"""One typed shape for each resource: a ``TypedDict`` beside the plain function that writes it.

mypy holds the function to the shape. What is published of it is derived: a component of the description by
``core.openapi``, a JSON schema by ``core.json_schema``, the ``data`` of an event by either. What shows less than the
shape leaves fields out by their names, and lists none again. Source: docs/adr/0085.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from enum import StrEnum
from functools import cache
from types import NoneType, UnionType
from typing import (
    Annotated,
    Any,
    NotRequired,
    Union,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

import orjson

from core.modes import Mode


class Kind(StrEnum):
    """What a value is, beyond its type. A text of no kind, which is no word of a fixed set, was written by others."""

    UUID = "uuid"
    MOMENT = "moment"
    URL = "url"
    LINK = "link"
    EMAIL = "email"
    FIGURE = "figure"
    NUMBER = "number"
    CURRENCY = "currency"
    CODE = "code"
    SENTENCE = "sentence"
    CHAIN = "chain"
    SYMBOL = "symbol"
    ADDRESS = "address"
    TX_HASH = "tx_hash"


ModeName = Annotated[str, tuple(Mode.values)]
Uuid = Annotated[str, Kind.UUID]
Moment = Annotated[str, Kind.MOMENT]
Url = Annotated[str, Kind.URL]
"""A page of the service's own, or of an explorer."""
Link = Annotated[str, Kind.LINK]
"""A page that others named."""
Email = Annotated[str, Kind.EMAIL]
Figure = Annotated[str, Kind.FIGURE]
"""A decimal string."""
Number = Annotated[orjson.Fragment | Decimal, Kind.NUMBER]
"""A JSON number with exact digits."""
Currency = Annotated[str, Kind.CURRENCY]
Code = Annotated[str, Kind.CODE]
"""A stable word of the service's own."""
Sentence = Annotated[str, Kind.SENTENCE]
"""Words of the service's own, for people."""
Chain = Annotated[str, Kind.CHAIN]
Symbol = Annotated[str, Kind.SYMBOL]
Address = Annotated[str, Kind.ADDRESS]
TxHash = Annotated[str, Kind.TX_HASH]


@dataclass(frozen=True, kw_only=True)
class Field:
    """One field of a shape: its plain type, or another shape; with ``many`` a list of them.

    ``words`` are all that it may be, as a class of choices or a tuple; ``options`` are passed on to the description.
    """

    type: Any
    kind: Kind | None = None
    words: Any = ()
    help: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    many: bool = False
    null: bool = False
    required: bool = True

    @property
    def values(self) -> list[str]:
        """All that it may be; empty where it is no word of a fixed set."""
        return [str(getattr(word, "value", word)) for word in self.words]

    @property
    def is_shape(self) -> bool:
        """Whether it is another shape, or a list of another."""
        return is_typeddict(self.type)

    @property
    def is_free(self) -> bool:
        """Whether it is an object with whatever names."""
        return get_origin(self.type) in {dict, Mapping}

    @property
    def by_others(self) -> bool:
        """Whether it may hold what others wrote. Why also of no kind: what nobody thought of must not be believed."""
        is_text = self.type is str and self.kind is None and not self.words
        return is_text or self.is_free or self.kind in {Kind.LINK, Kind.EMAIL}


@cache
def fields_of(shape: Any) -> Mapping[str, Field]:
    """The fields of a shape, in the order in which they are written."""
    hints = get_type_hints(shape, include_extras=True)
    return {name: replace(_field(hint), required=name in shape.__required_keys__) for name, hint in hints.items()}


def _field(hint: Any) -> Field:
    origin, inner = get_origin(hint), get_args(hint)
    if origin is Annotated:
        return replace(_field(inner[0]), **{_place(mark): mark for mark in inner[1:]})
    if origin is NotRequired:
        return _field(inner[0])
    if origin in {Union, UnionType} and NoneType in inner:
        return replace(_field(next(one for one in inner if one is not NoneType)), null=True)
    if origin is list:
        return replace(_field(inner[0]), many=True)
    return Field(type=hint)


def _place(mark: Any) -> str:
    """What a mark beside a type says, by what it is."""
    if isinstance(mark, Kind):
        return "kind"
    if isinstance(mark, str):
        return "help"
    return "options" if isinstance(mark, Mapping) else "words"
