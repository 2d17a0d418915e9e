"""What the SDKs are written from: services, methods, models, events and codes, as docs/openapi.yaml names them.

Frozen and plain: an emitter reads it and writes text, and never looks at the description itself. Names are in the
wire's own spelling (``snake_case`` services, methods, fields; ``CapWords`` models); an emitter respells them as its
language does. Order is the description's own where a reader sees it (fields, values), by name elsewhere, so that the
same description gives the same text.
"""

from dataclasses import dataclass, field
from typing import Literal

Kind = Literal[
    "text", "integer", "decimal", "boolean", "moment", "map", "any", "list", "enum", "model", "union", "null"
]
"""What a value is.

``decimal``: exact; on the wire a JSON number (``wire`` is ``number``) or a decimal in text (``string``). Never a float.
``moment``: RFC 3339 text. ``map``: an object with free keys, values of ``items`` (None: anything).
``list``: of ``items``. ``enum``, ``model``: called ``name`` in ``Api.enums`` or ``Api.models``.
``union``: an object of one of the models ``options``; where those are ``Api.events``' own, it is an event.
"""
Verb = Literal["GET", "POST", "PATCH", "PUT", "DELETE"]
Effects = Literal["money", "state", "none"]
"""What a call can change: money that moves, only the service's own rows, or nothing."""
ERROR_CODE = "ErrorCode"
"""The words that stand in ``Api.codes`` and not in ``Api.enums``: without those that only payers meet."""


@dataclass(frozen=True, kw_only=True)
class Type:
    """One value's type. ``nullable``: null may stand in its place."""

    kind: Kind
    nullable: bool = False
    name: str = ""
    items: "Type | None" = None
    wire: Literal["", "string", "number"] = ""
    format: str = ""
    options: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Enum:
    """Named words. ``is_open``: more may be added at any time; in a request only the listed ones are taken."""

    name: str
    values: tuple[str, ...]
    about: str = ""
    is_open: bool = True


@dataclass(frozen=True, kw_only=True)
class Field:
    """One key of an object. ``constant``: the only value that it has, such as the type of one event."""

    name: str
    type: Type
    is_required: bool
    about: str = ""
    constant: str | None = None
    decimals: int | None = None
    """Of a decimal in a request: how many digits are taken after the point, where the description says so."""


@dataclass(frozen=True, kw_only=True)
class Model:
    """An object on the wire."""

    name: str
    fields: tuple[Field, ...]
    about: str = ""


@dataclass(frozen=True, kw_only=True)
class Parameter:
    """Of a path or a query. Headers are the core's matter: ``Method.is_idempotent`` says the one there is."""

    name: str
    place: Literal["path", "query"]
    type: Type
    is_required: bool
    about: str = ""
    is_several: bool = False
    """Several values may be given at once, joined by commas."""


@dataclass(frozen=True, kw_only=True)
class Body:
    """A request's JSON object, its fields side by side.

    ``variants``: where the description offers several bodies, the required field names of each; a field that is not
    required in all of them is not ``is_required``.
    """

    fields: tuple[Field, ...]
    is_required: bool
    variants: tuple[tuple[str, ...], ...] = ()


@dataclass(frozen=True, kw_only=True)
class Page:
    """How a list goes on: send the answer's ``next`` as ``cursor``, while it has one.

    ``cursor`` None: everything comes in one answer. ``item``: the model in the answer's list ``items``.
    ``is_endless``: ``next`` is there even where the list ends for now (events); go on only while ``more`` is true.
    """

    cursor: str | None
    items: str
    next: str
    more: str
    item: Type


@dataclass(frozen=True, kw_only=True)
class Method:
    """One operation. ``name`` is the operation's own without the words of its tag: the one rule there is."""

    name: str
    operation_id: str
    verb: Verb
    path: str
    summary: str
    about: str
    parameters: tuple[Parameter, ...]
    body: Body | None
    answer: Type | None
    page: Page | None
    is_idempotent: bool
    """It takes ``Idempotency-Key``: the same call may be sent again under the same key, and takes effect once."""
    needs_key: bool
    effects: Effects
    codes: tuple[str, ...]
    is_deprecated: bool = False

    @property
    def in_path(self) -> tuple[Parameter, ...]:
        """In the order of the path."""
        chosen = [parameter for parameter in self.parameters if parameter.place == "path"]
        return tuple(sorted(chosen, key=lambda parameter: self.path.index(f"{{{parameter.name}}}")))

    @property
    def in_query(self) -> tuple[Parameter, ...]:
        """In the order of the description."""
        return tuple(parameter for parameter in self.parameters if parameter.place == "query")


@dataclass(frozen=True, kw_only=True)
class Service:
    """The methods under one tag. ``name``: the tag in ``snake_case``, such as ``payment_intents``."""

    name: str
    tag: str
    methods: tuple[Method, ...]
    about: str = ""


@dataclass(frozen=True, kw_only=True)
class Event:
    """One type of event: ``model`` is the whole envelope, ``data`` the model (or None: a free map) under ``data``."""

    type: str
    model: str
    data: str | None
    about: str


@dataclass(frozen=True, kw_only=True)
class Api:
    """Everything. ``base_path`` is what every method's ``path`` begins with, health apart."""

    version: str
    base_path: str
    services: tuple[Service, ...]
    models: dict[str, Model]
    enums: dict[str, Enum]
    events: tuple[Event, ...]
    codes: tuple[str, ...] = ()
    """Every error code that some operation names, in order of the alphabet."""
    left_out: tuple[str, ...] = field(default=())
    """Operations of payers' pages, which no merchant's server calls."""
