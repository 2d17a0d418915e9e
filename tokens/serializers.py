"""The wire shape of a token: declared for the description, written by a plain function.

Exactly the six fields of the specification, Resources, Token.
"""

from typing import Any

from drf_spectacular.utils import inline_serializer
from rest_framework import serializers

from tokens.models import Token


class TokenSerializer(serializers.Serializer[Token]):
    """One token on one chain."""

    chain = serializers.CharField(help_text="Lower-case chain name, such as base.")
    address = serializers.CharField(
        help_text="Contract or mint; the zero address (EVM) or the system program (Solana) is the native coin."
    )
    symbol = serializers.CharField(help_text="For people. Copied by fakes: identify tokens by chain and address.")
    name = serializers.CharField()
    decimals = serializers.IntegerField(help_text="Differs by chain: USDC has 6 on Base and 18 on BNB Chain.")
    verified = serializers.BooleanField(
        help_text="False: on the list, but nobody vouches for it; not offered by default."
    )


TOKEN_LIST = inline_serializer("TokenList", {"data": TokenSerializer(many=True)})


def token_body(token: Token) -> dict[str, Any]:
    """The wire form of one token."""
    return {
        "chain": token.chain,
        "address": token.address,
        "symbol": token.symbol,
        "name": token.name,
        "decimals": token.decimals,
        "verified": token.verified,
    }
