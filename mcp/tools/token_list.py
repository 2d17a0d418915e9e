"""Reading the list of supported tokens, whose names are their makers' words."""

from collections.abc import Mapping
from typing import Any

from chains.registry import CHAINS, chain
from core.json_schema import Schema, properties_of
from core.shapes import Kind, fields_of
from mcp.caller import Caller
from mcp.scopes import Scope
from mcp.tool import Arguments, Tool
from mcp.tools import schemas
from mcp.tools.shape_schemas import INCLUDE_UNTRUSTED, untrusted
from mcp.tools.untrusted import cleaned, narrowed
from tokens.errors import UnknownChain
from tokens.models import Token
from tokens.selectors import all_tokens, named_by_us, search_tokens, tokens_on
from tokens.shapes import ListedTokenShape, token_body

DEFAULT_LIMIT, MAX_LIMIT = 50, 200
MAX_QUERY = 64


def _list_tokens(caller: Caller, arguments: Arguments) -> dict[str, Any]:
    limit = arguments.get("limit", DEFAULT_LIMIT)
    rows = list(_asked_for(arguments.get("chain", ""), arguments.get("query", ""))[: limit + 1])
    include_untrusted = arguments.get("include_untrusted", False) is True
    return {
        "mode": caller.principal.mode.value,
        "data": [_shown(token, include_untrusted=include_untrusted) for token in rows[:limit]],
        "has_more": len(rows) > limit,
    }


def _asked_for(chain_name: str, text: str) -> Any:
    known = chain(chain_name) if chain_name else None
    if chain_name and known is None:
        raise UnknownChain([entry.name for entry in CHAINS])
    if text:
        return search_tokens(text, chain_name)
    return tokens_on(chain_name) if chain_name else all_tokens()


def _shown(token: Token, *, include_untrusted: bool) -> dict[str, Any]:
    body: dict[str, Any] = {**token_body(token)}
    if named_by_us(token):
        return body
    texts = {name: cleaned(body[name]) for name in _NAMES}
    hidden = {**body, **dict.fromkeys(_NAMES)}
    return {**hidden, "untrusted": texts} if include_untrusted else hidden


_NAMES = narrowed(ListedTokenShape).others_wrote
_KINDS: Mapping[Any, Schema] = {
    Kind.CHAIN: {"type": "string"},
    Kind.ADDRESS: {"type": "string"},
    str: {"type": ["string", "null"], "description": "Null where its maker chose it: see untrusted."},
    int: {"type": "integer"},
    bool: {"type": "boolean"},
}
LIST_TOKENS = Tool(
    name="list_tokens",
    title="List tokens",
    description=(
        "Read the tokens that the service knows, by chain, symbol and address; the same in both modes. Changes "
        f"nothing. At most {MAX_LIMIT} a call, {DEFAULT_LIMIT} unless asked: narrow with chain or query. "
        "Tell tokens apart by chain and address, never by symbol: fakes copy symbols."
    ),
    scope=Scope.READ_TOKENS,
    input_schema=schemas.some_object(
        {
            "chain": {
                "type": "string",
                "minLength": 1,
                "maxLength": 32,
                "description": "Only this chain: a name or an alias.",
            },
            "query": {
                "type": "string",
                "minLength": 1,
                "maxLength": MAX_QUERY,
                "description": "A part of a symbol or name, or a whole address.",
            },
            "limit": {"type": "integer", "minimum": 1, "maximum": MAX_LIMIT, "default": DEFAULT_LIMIT},
            "include_untrusted": INCLUDE_UNTRUSTED,
        },
        optional=("chain", "query", "limit", "include_untrusted"),
    ),
    output_schema=schemas.some_object(
        {
            "mode": schemas.MODE,
            "data": {
                "type": "array",
                "items": schemas.some_object(
                    {**properties_of(fields_of(ListedTokenShape), _KINDS), "untrusted": untrusted(*_NAMES)},
                    optional=("untrusted",),
                ),
            },
            "has_more": {"type": "boolean"},
        }
    ),
    read_only=True,
    destructive=False,
    idempotent=True,
    open_world=False,
    run=_list_tokens,
)
