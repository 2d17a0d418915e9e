"""Base: every fact of it."""

from decimal import Decimal

from chains.chain import Chain, DataFee, Family

CHAIN = Chain(
    rank=20,
    name="base",
    display_name="Base",
    short_name="Base",
    family=Family.EVM,
    chain_id=8453,
    native_symbol="ETH",
    native_decimals=18,
    block_seconds=Decimal("2"),
    confirmations_required=5,
    explorer_tx_template="https://basescan.org/tx/{}",
    explorer_address_template="https://basescan.org/address/{}",
    aliases=frozenset({"base-mainnet"}),
    safe_seconds=120,
    finalized_seconds=1200,
    data_fee=DataFee.OP_STACK,
    usual_gas_usd=Decimal("0.01"),
    native_spellings=frozenset({"0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee"}),
    wrapped_coin="0x4200000000000000000000000000000000000006",
    lifi_contract="0x1231DEB6f5749EF6cE6943a275A1D3E7486F4EaE",
    across_pool="0x09aea4b2242abC8bb4BB78D537A67a245A7bEC64",
    circle_usdc="0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
    wallet_name="Base",
    public_node="https://mainnet.base.org",
)
