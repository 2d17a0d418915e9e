"""What a merchant may be paid in with live keys: chain and symbol, fixed to one address each.

Source: docs/design/payments.md, Where a payment settles. Test mode accepts anything and does not ask here.
"""

from dataclasses import dataclass

from chains.registry import EVM_NATIVE_ADDRESS, SOLANA_NATIVE_ADDRESS


@dataclass(frozen=True, kw_only=True, slots=True)
class SettlementPair:
    """A chain and the symbol a merchant writes, and the one token that these two words mean.

    Why the address: on-chain symbols drift, and fakes copy them.
    """

    chain: str
    symbol: str
    address: str


_ADDRESSES = {
    "ethereum": {
        "USDC": "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48",
        "USDT": "0xdAC17F958D2ee523a2206206994597C13D831ec7",
        "PYUSD": "0x6c3ea9036406852006290770BEdFcAbA0e23A0e8",
        "DAI": "0x6B175474E89094C44Da98b954EedeAC495271d0F",
        "ETH": EVM_NATIVE_ADDRESS,
    },
    "base": {
        "USDC": "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
        "ETH": EVM_NATIVE_ADDRESS,
    },
    "arbitrum": {
        "USDC": "0xaf88d065e77c8cC2239327C5EDb3A432268e5831",
        "USDT": "0xFd086bC7CD5C481DCC9C85ebE478A1C0b69FCbb9",
        "ETH": EVM_NATIVE_ADDRESS,
    },
    "optimism": {
        "USDC": "0x0b2C639c533813f4Aa9D7837CAf62653d097Ff85",
        "USDT": "0x94b008aA00579c1307B0EF2c499aD98a8ce58e58",
        "ETH": EVM_NATIVE_ADDRESS,
    },
    "polygon": {
        "USDC": "0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359",
        "USDT": "0xc2132D05D31c914a87C6611C10748AEb04B58e8F",
        "POL": EVM_NATIVE_ADDRESS,
    },
    "bnb": {
        "USDC": "0x8AC76a51cc950d9822D68b83fE1Ad97B32Cd580d",
        "USDT": "0x55d398326f99059fF775485246999027B3197955",
        "BNB": EVM_NATIVE_ADDRESS,
    },
    "solana": {
        "USDC": "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v",
        "USDT": "Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB",
        "SOL": SOLANA_NATIVE_ADDRESS,
    },
}

SETTLEMENT_PAIRS = tuple(
    SettlementPair(chain=chain, symbol=symbol, address=address)
    for chain, addresses in _ADDRESSES.items()
    for symbol, address in addresses.items()
)
