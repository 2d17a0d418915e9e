"""Ethereum: every fact of it."""

from decimal import Decimal

from chains.chain import GWEI, Chain, Family

CHAIN = Chain(
    rank=10,
    name="ethereum",
    display_name="Ethereum",
    short_name="Ethereum",
    family=Family.EVM,
    chain_id=1,
    native_symbol="ETH",
    native_decimals=18,
    block_seconds=Decimal("12"),
    confirmations_required=12,
    explorer_tx_template="https://etherscan.io/tx/{}",
    explorer_address_template="https://etherscan.io/address/{}",
    aliases=frozenset({"eth", "ethereum-mainnet"}),
    finalized_seconds=780,
    usual_gas_usd=Decimal("0.45"),
    native_spellings=frozenset({"0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee"}),
    fee_cap=200 * GWEI,
    least_tip=GWEI // 20,
    wrapped_coin="0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2",
    lifi_contract="0x1231DEB6f5749EF6cE6943a275A1D3E7486F4EaE",
    across_pool="0x5c7BCd6E7De5423a257D81B442095A1a6ced35C5",
    circle_usdc="0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48",
    resetting_tokens=frozenset({"0xdAC17F958D2ee523a2206206994597C13D831ec7"}),
    wallet_name="Ethereum",
    public_node="https://ethereum-rpc.publicnode.com",
)
