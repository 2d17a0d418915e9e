"""Arbitrum One: every fact of it."""

from decimal import Decimal

from chains.chain import Chain, DataFee, Family

CHAIN = Chain(
    rank=30,
    name="arbitrum",
    display_name="Arbitrum One",
    short_name="Arbitrum",
    family=Family.EVM,
    chain_id=42161,
    native_symbol="ETH",
    native_decimals=18,
    block_seconds=Decimal("0.25"),
    confirmations_required=40,
    explorer_tx_template="https://arbiscan.io/tx/{}",
    explorer_address_template="https://arbiscan.io/address/{}",
    aliases=frozenset({"arb", "arbitrum-one"}),
    safe_seconds=300,
    finalized_seconds=1200,
    data_fee=DataFee.ARBITRUM,
    usual_gas_usd=Decimal("0.02"),
    native_spellings=frozenset({"0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee"}),
    least_tip=0,
    wrapped_coin="0x82aF49447D8a07e3bd95BD0d56f35241523fBab1",
    lifi_contract="0x1231DEB6f5749EF6cE6943a275A1D3E7486F4EaE",
    across_pool="0xe35e9842fceaCA96570B734083f4a58e8F7C5f2A",
    circle_usdc="0xaf88d065e77c8cC2239327C5EDb3A432268e5831",
    wallet_name="Arbitrum One",
    public_node="https://arb1.arbitrum.io/rpc",
)
