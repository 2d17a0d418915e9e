"""What is shown of a token. Exactly the six fields of the specification, Resources, Token."""

from typing import Annotated, TypedDict

from core.shapes import Address, Chain
from tokens.models import Token


class ListedTokenShape(TypedDict):
    """One token on one chain."""

    chain: Annotated[Chain, "Lower-case chain name, such as base."]
    address: Annotated[
        Address, "Contract or mint; the zero address (EVM) or the system program (Solana) is the native coin."
    ]
    symbol: Annotated[str, "For people. Copied by fakes: identify tokens by chain and address."]
    name: str
    decimals: Annotated[int, "Differs by chain: USDC has 6 on Base and 18 on BNB Chain."]
    verified: Annotated[bool, "False: on the list, but nobody vouches for it; not offered by default."]


class ListedTokenListShape(TypedDict):
    """The whole list."""

    data: list[ListedTokenShape]
    has_more: bool
    next_cursor: str | None


def token_body(token: Token) -> ListedTokenShape:
    """One token on the wire."""
    return {
        "chain": token.chain,
        "address": token.address,
        "symbol": token.symbol,
        "name": token.name,
        "decimals": token.decimals,
        "verified": token.verified,
    }
