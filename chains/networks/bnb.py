"""BNB Chain: every fact of it."""

from decimal import Decimal

from chains.chain import GWEI, Chain, Family

CHAIN = Chain(
    rank=60,
    name="bnb",
    display_name="BNB Chain",
    short_name="BNB Chain",
    family=Family.EVM,
    chain_id=56,
    native_symbol="BNB",
    native_decimals=18,
    block_seconds=Decimal("0.45"),
    confirmations_required=3,
    explorer_tx_template="https://bscscan.com/tx/{}",
    explorer_address_template="https://bscscan.com/address/{}",
    aliases=frozenset({"bsc", "binance", "bnb-chain", "bnb-smart-chain"}),
    settles_at_finalized=True,
    usual_gas_usd=Decimal("0.03"),
    native_spellings=frozenset({"0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee"}),
    fee_cap=20 * GWEI,
    least_tip=GWEI // 20,
    wrapped_coin="0xbb4CdB9CBd36B01bD1cBaEBF2De08d9173bc095c",
    lifi_contract="0x1231DEB6f5749EF6cE6943a275A1D3E7486F4EaE",
    across_pool="0x4e8E101924eDE233C13e2D8622DC8aED2872d505",
    wallet_name="BNB Smart Chain",
    public_node="https://bsc-dataseed.bnbchain.org",
)
