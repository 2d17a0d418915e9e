"""Solana: every fact of it."""

from decimal import Decimal

from chains.chain import Chain, Family

CHAIN = Chain(
    rank=70,
    name="solana",
    display_name="Solana",
    short_name="Solana",
    family=Family.SOLANA,
    chain_id=None,
    native_symbol="SOL",
    native_decimals=9,
    block_seconds=Decimal("0.4"),
    confirmations_required=32,
    explorer_tx_template="https://solscan.io/tx/{}",
    explorer_address_template="https://solscan.io/account/{}",
    aliases=frozenset({"sol", "solana-mainnet"}),
    settles_at_finalized=True,
    usual_gas_usd=Decimal("0.002"),
)
