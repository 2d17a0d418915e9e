"""Answers as objects over the JSON that came: unknown keys and values stay, and are converted when they are read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar, cast

from causeway_sdk._wire import encode

if TYPE_CHECKING:
    from typing import Self

    from causeway_sdk._core import Answer

Reader = Callable[[Any], Any]
_SHOWN = ("id", "type", "status")


class Model:
    """One JSON object. A key that is described can be read as an attribute, of the described type.

    A key that the service sent and this version does not know is in ``to_dict()``, and an attribute without a type.
    ``raw`` is the HTTP answer that it came in, for an answer itself; None for what stands inside of one.
    """

    _read: ClassVar[Mapping[str, Reader]] = {}
    raw: Answer | None = None

    def __init__(self, values: Any) -> None:
        if not isinstance(values, Mapping):
            raise TypeError(f"{type(self).__name__} is an object, not {type(values).__name__}")
        self._values = cast("Mapping[str, Any]", values)

    def to_dict(self) -> dict[str, Any]:
        """What came, as it came; numbers with a point are Decimals."""
        return dict(self._values)

    def to_json(self) -> str:
        """What came, as JSON, every number exact."""
        return encode(self._values)

    if not TYPE_CHECKING:  # Why hidden: with it, a type checker would take every misspelt name.

        def __getattr__(self, name: str) -> Any:
            if name.startswith("_"):
                raise AttributeError(name)
            cls = type(self)
            if name not in self._values:
                if any(str(vars(one).get("__annotations__", {}).get(name)).endswith("| None") for one in cls.__mro__):
                    return None
                raise AttributeError(f"the service sent no {name} in this {cls.__name__}")
            value = self._values[name]
            reader = cls._read.get(name)
            return value if reader is None or value is None else reader(value)

    def with_raw(self, raw: Answer) -> Self:
        """The same, with the answer it came in."""
        self.raw = raw
        return self

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and self.to_dict() == other.to_dict()

    def __hash__(self) -> int:
        return hash((type(self), self._values.get("id")))

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={self._values[name]!r}" for name in _SHOWN if name in self._values)
        return f"{type(self).__name__}({shown})"


Item = TypeVar("Item")


def many(reader: Callable[[Any], Item]) -> Callable[[Any], list[Item]]:
    """Reads a list of such values."""
    return lambda values: [reader(value) for value in values]


def each(reader: Callable[[Any], Item]) -> Callable[[Any], dict[str, Item]]:
    """Reads an object whose keys are free and whose values are such."""
    return lambda values: {key: reader(value) for key, value in values.items()}
