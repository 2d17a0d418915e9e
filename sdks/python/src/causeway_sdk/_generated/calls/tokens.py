# Written by `make sdks` from docs/openapi.yaml: change that, or sdks/generator.
"""Tokens: blocking methods."""

from __future__ import annotations

from typing import TYPE_CHECKING

from causeway_sdk._generated import operations as op
from causeway_sdk._generated.models.tokens import ListedToken
from causeway_sdk._resource import Resource

if TYPE_CHECKING:
    from causeway_sdk._generated.words import (
        ListTokensChain,
    )
    from causeway_sdk._pages import Pages


class TokensService(Resource):
    """Tokens that payers can use."""

    def list(self, *, chain: ListTokensChain | None = None) -> Pages[ListedToken]:
        """List tokens.

        Every token the service knows, ordered by chain, symbol and address. Complete, not paged.
        ``chain``: Only this chain: a name or an alias (`bsc`, `eth`, `matic`), in any letter case.
        Refusals: internal_error, invalid_parameter, malformed_request, rate_limited, temporarily_unavailable.
        """
        return self._list(op.TOKENS_LIST, ListedToken, None, {"chain": chain})
