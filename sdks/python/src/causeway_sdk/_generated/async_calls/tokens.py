# Written by `make sdks` from docs/openapi.yaml: change that, or sdks/generator.
"""Tokens: awaited methods."""

from __future__ import annotations

from typing import TYPE_CHECKING

from causeway_sdk._generated import operations as op
from causeway_sdk._generated.models.tokens import ListedToken
from causeway_sdk._resource import AsyncResource

if TYPE_CHECKING:
    from causeway_sdk._generated.words import (
        ListTokensChain,
    )
    from causeway_sdk._pages import AsyncPages


class AsyncTokensService(AsyncResource):
    """Tokens that payers can use."""

    def list(self, *, chain: ListTokensChain | None = None) -> AsyncPages[ListedToken]:
        """List tokens."""
        return self._list(op.TOKENS_LIST, ListedToken, None, {"chain": chain})
