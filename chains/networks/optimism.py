"""OP Mainnet: every fact of it."""

from decimal import Decimal

from chains.chain import Chain, DataFee, Family

CHAIN = Chain(
    rank=40,
    name="optimism",
    display_name="OP Mainnet",
    short_name="Optimism",
    family=Family.EVM,
    chain_id=10,
    native_symbol="ETH",
    native_decimals=18,
    block_seconds=Decimal("2"),
    confirmations_required=5,
    explorer_tx_template="https://optimistic.etherscan.io/tx/{}",
    explorer_address_template="https://optimistic.etherscan.io/address/{}",
    aliases=frozenset({"op", "op-mainnet"}),
    safe_seconds=120,
    finalized_seconds=1800,
    data_fee=DataFee.OP_STACK,
    usual_gas_usd=Decimal("0.01"),
    native_spellings=frozenset({"0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee"}),
    wrapped_coin="0x4200000000000000000000000000000000000006",
    lifi_contract="0x1231DEB6f5749EF6cE6943a275A1D3E7486F4EaE",
    across_pool="0x6f26Bf09B1C792e3228e5467807a900A503c0281",
    circle_usdc="0x0b2C639c533813f4Aa9D7837CAf62653d097Ff85",
    wallet_name="OP Mainnet",
    public_node="https://mainnet.optimism.io",
)
