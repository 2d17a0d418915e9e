"""Where contracts stand on every chain of the local network: where the real ones do.

Source: github lifinance/contracts, deployments/*.json and config/networks.json (August 2026); github
across-protocol/contracts, broadcast/deployed-addresses.json (June 2026); npm viem (Multicall3).
"""

MULTICALL3 = "0xcA11bde05977b3631167028862bE2a173976CA11"
DIAMOND = "0x1231DEB6f5749EF6cE6943a275A1D3E7486F4EaE"
"""LI.FI's, the same on all six chains."""
FEE_FORWARDER = "0xCE40449B773a3E6E5e769ADb4e567179d4828cbd"
SPOKE_POOLS = {
    "ethereum": "0x5c7BCd6E7De5423a257D81B442095A1a6ced35C5",
    "base": "0x09aea4b2242abC8bb4BB78D537A67a245A7bEC64",
    "arbitrum": "0xe35e9842fceaCA96570B734083f4a58e8F7C5f2A",
    "optimism": "0x6f26Bf09B1C792e3228e5467807a900A503c0281",
    "polygon": "0x9295ee1d8C5b022Be115A2AD3c30C72E34e7F096",
    "bnb": "0x4e8E101924eDE233C13e2D8622DC8aED2872d505",
}
"""Across's, one for each chain."""
WRAPPED_COINS = {
    "ethereum": "0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2",
    "base": "0x4200000000000000000000000000000000000006",
    "arbitrum": "0x82aF49447D8a07e3bd95BD0d56f35241523fBab1",
    "optimism": "0x4200000000000000000000000000000000000006",
    "polygon": "0x0d500B1d8E8eF31E21C99d1Db9A6444d3ADf1270",
    "bnb": "0xbb4CdB9CBd36B01bD1cBaEBF2De08d9173bc095c",
}
NATIVE = "0x0000000000000000000000000000000000000000"
DEX = "0x7E57000000000000000000000000000000000de4"
"""Nobody's: only here."""
ROUTER = "0x7e57000000000000000000000000000000000707"
CHAIN_IDS = {"ethereum": 1, "base": 8453, "arbitrum": 42161, "optimism": 10, "polygon": 137, "bnb": 56}
LIFI_IDS = CHAIN_IDS | {"solana": 1151111081099710}
"""As LI.FI numbers them."""
CHAIN_NAMES = {chain_id: name for name, chain_id in LIFI_IDS.items()}
