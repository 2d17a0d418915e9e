"""Where contracts stand on every chain of the local network: where the real ones do.

Source: chains/networks/__init__.py; github lifinance/contracts, deployments/*.json and config/networks.json (August
2026); npm viem (Multicall3).
"""

from chains.registry import CHAINS, Family

EVM_CHAINS = [known for known in CHAINS if known.family is Family.EVM]

MULTICALL3 = "0xcA11bde05977b3631167028862bE2a173976CA11"
DIAMOND = "0x1231DEB6f5749EF6cE6943a275A1D3E7486F4EaE"
"""LI.FI's, the same on all of them."""
FEE_FORWARDER = "0xCE40449B773a3E6E5e769ADb4e567179d4828cbd"
SPOKE_POOLS = {known.name: known.across_pool for known in EVM_CHAINS}
"""Across's, one for each chain."""
WRAPPED_COINS = {known.name: known.wrapped_coin for known in EVM_CHAINS}
RESETTING = {(known.name, token) for known in EVM_CHAINS for token in known.resetting_tokens}
"""Tokens whose allowance must be taken back before another is given."""
CIRCLES = {(known.name, known.circle_usdc) for known in EVM_CHAINS}
"""Circle's own USDC, which takes signed authorizations; that of another chain is a bridged one."""
NATIVE = "0x0000000000000000000000000000000000000000"
DEX = "0x7E57000000000000000000000000000000000de4"
"""Nobody's: only here."""
ROUTER = "0x7e57000000000000000000000000000000000707"
CHAIN_IDS = {known.name: known.chain_id for known in EVM_CHAINS if known.chain_id is not None}
LIFI_IDS = CHAIN_IDS | {"solana": 1151111081099710}
"""As LI.FI numbers them."""
CHAIN_NAMES = {chain_id: name for name, chain_id in LIFI_IDS.items()}
