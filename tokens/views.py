"""The public door to the token list."""

import hashlib

from django.db.models import QuerySet
from django.http.response import HttpResponseBase
from django.utils.cache import get_conditional_response
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from chains.registry import CHAINS, chain
from core.cross_origin import CrossOriginView
from core.misnamed import refuse_paging
from core.openapi import component
from core.pagination import whole_body
from core.refusals import errors
from core.renderers import to_json
from merchants.throttling import PublicThrottle
from tokens import selectors
from tokens.errors import UnknownChain
from tokens.models import Token
from tokens.shapes import ListedTokenListShape, token_body

_CACHE_CONTROL = "public, max-age=300"


class TokenListView(CrossOriginView):
    """Which tokens exist on which chain, for every page to read. Source: specification, Tokens. No key is asked for."""

    open_to_every_origin = True

    authentication_classes = ()
    permission_classes = ()
    throttle_classes = (PublicThrottle,)

    @extend_schema(
        operation_id="listTokens",
        tags=["Tokens"],
        summary="List tokens",
        description="Every token the service knows, ordered by chain, symbol and address. Complete, not paged.",
        auth=[],
        parameters=[
            OpenApiParameter(
                "chain",
                {"type": "string", "enum": [word for entry in CHAINS for word in (entry.name, *sorted(entry.aliases))]},
                description="Only this chain: a name or an alias (`bsc`, `eth`, `matic`), in any letter case.",
            )
        ],
        responses={
            200: OpenApiResponse(
                component(ListedTokenListShape), description="The tokens, cacheable for five minutes."
            ),
            304: OpenApiResponse(description="Unchanged since the ETag given in If-None-Match."),
            **errors(400),
        },
    )
    def get(self, request: Request) -> HttpResponseBase:
        """List every token, ordered by chain, symbol and address. Raises: UnknownChain, InvalidParameter."""
        refuse_paging(request.query_params)
        body = whole_body([token_body(token) for token in _asked_for(request.query_params.get("chain"))])
        etag = f'"{hashlib.sha256(to_json(body)).hexdigest()[:32]}"'
        response = Response(body, headers={"ETag": etag, "Cache-Control": _CACHE_CONTROL})
        unchanged = get_conditional_response(request._request, etag=etag, response=response)
        return response if unchanged is None else unchanged


def _asked_for(chain_name: str | None) -> QuerySet[Token]:
    if chain_name is None:
        return selectors.all_tokens()
    known = chain(chain_name)
    if known is None:
        raise UnknownChain([entry.name for entry in CHAINS])
    return selectors.tokens_on(known.name)
