"""Every type of an answer by its name, for annotations: ``from causeway_sdk.types import PaymentIntent``."""

from causeway_sdk._generated import types as _types
from causeway_sdk._generated.types import *  # noqa: F403 - what the generated module names

__all__ = _types.__all__  # pyright: ignore[reportUnsupportedDunderAll]
