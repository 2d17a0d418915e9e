"""One way to write a value as bytes, so that whoever has the value can make the same bytes again.

Source: https://www.rfc-editor.org/rfc/rfc8785, of which no number with a fraction is needed here: money is text.
"""

import json
from typing import Any, Final

MOST: Final = 2**53 - 1
"""The largest number that every reader of JSON keeps exactly."""


def canonical(value: Any) -> bytes:
    """The bytes of a value: keys in their order, nothing between, text as it is.

    Raises: TypeError for what has no one way to be written: a float, another type, a key that is not plain ASCII.
    """
    _refuse_ambiguous(value)
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode()


def _refuse_ambiguous(value: Any) -> None:
    match value:
        case dict():
            for key, inner in value.items():
                # Why ASCII alone: RFC 8785 orders keys by UTF-16, which is the order of code points only there.
                if not isinstance(key, str) or not key.isascii():
                    raise TypeError(f"{key!r} is no plain key")
                _refuse_ambiguous(inner)
        case list():
            for inner in value:
                _refuse_ambiguous(inner)
        case bool() | None | str():
            return
        case int() if -MOST <= value <= MOST:
            return
        case _:
            raise TypeError(f"{type(value).__name__} has no one way to be written")
