# Written by `make sdks` from docs/openapi.yaml: change that, or sdks/generator.
"""What the service answers: tokens."""

from __future__ import annotations

from causeway_sdk._models import Model


class ListedToken(Model):
    """ListedToken, as the service sends it."""

    chain: str
    """Lower-case chain name, such as base."""
    address: str
    """Contract or mint; the zero address (EVM) or the system program (Solana) is the native coin."""
    symbol: str
    """For people. Copied by fakes: identify tokens by chain and address."""
    name: str
    """The token's name, for people."""
    decimals: int
    """Differs by chain: USDC has 6 on Base and 18 on BNB Chain."""
    verified: bool
    """False: on the list, but nobody vouches for it; not offered by default."""
