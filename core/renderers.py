"""Writes answers exactly: decimals and stored fragments keep their digits."""

from collections.abc import Mapping
from datetime import datetime
from decimal import Decimal
from typing import Any

import orjson
from rest_framework.renderers import BaseRenderer

from core.clock import wire_time


def _exact(value: object) -> object:
    if isinstance(value, Decimal):
        return orjson.Fragment(str(value))
    if isinstance(value, datetime):
        return wire_time(value)
    raise TypeError(type(value).__name__)


def to_json(value: object) -> bytes:
    """Serialise for the wire: times with ``Z`` and milliseconds, decimals as exact numbers."""
    return orjson.dumps(value, default=_exact, option=orjson.OPT_PASSTHROUGH_DATETIME)


def to_canonical_json(value: object) -> bytes:
    """Serialise so that equal values are equal bytes: keys in order, numbers as they were written."""
    return orjson.dumps(value, default=_exact, option=orjson.OPT_SORT_KEYS | orjson.OPT_PASSTHROUGH_DATETIME)


class ExactJSONRenderer(BaseRenderer):
    """The API's only renderer."""

    media_type = "application/json"
    format = "json"
    charset = None

    def render(
        self,
        data: Any,
        accepted_media_type: str | None = None,
        renderer_context: Mapping[str, Any] | None = None,
    ) -> bytes:
        """The body's bytes. A value that is already bytes, such as a replayed answer, passes unchanged."""
        if data is None:
            return b""
        return data if isinstance(data, bytes) else to_json(data)
