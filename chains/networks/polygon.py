"""Polygon PoS: every fact of it."""

from decimal import Decimal

from chains.chain import GWEI, Chain, Family

CHAIN = Chain(
    rank=50,
    name="polygon",
    display_name="Polygon PoS",
    short_name="Polygon",
    family=Family.EVM,
    chain_id=137,
    native_symbol="POL",
    native_decimals=18,
    block_seconds=Decimal("2"),
    confirmations_required=3,
    explorer_tx_template="https://polygonscan.com/tx/{}",
    explorer_address_template="https://polygonscan.com/address/{}",
    aliases=frozenset({"matic", "polygon-pos"}),
    settles_at_finalized=True,
    usual_gas_usd=Decimal("0.008"),
    native_spellings=frozenset(
        {"0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "0x0000000000000000000000000000000000001010"}
    ),
    fee_cap=3_000 * GWEI,
    least_tip=30 * GWEI,
    wrapped_coin="0x0d500B1d8E8eF31E21C99d1Db9A6444d3ADf1270",
    lifi_contract="0x1231DEB6f5749EF6cE6943a275A1D3E7486F4EaE",
    across_pool="0x9295ee1d8C5b022Be115A2AD3c30C72E34e7F096",
    circle_usdc="0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359",
    wallet_name="Polygon",
    public_node="https://polygon-rpc.com",
)
