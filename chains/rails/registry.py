"""Which rail sends what: one table. A rail is loaded when it is first used: few processes send on real chains."""

from functools import cache
from importlib import import_module

from chains.rails.base import Rail, RailName

RAILS = {
    RailName.EVM: ("chains.rails.evm.rail", "EvmRail"),
    RailName.SOLANA: ("chains.rails.solana.rail", "SolanaRail"),
    RailName.MERCHANT_WALLET: ("chains.rails.merchant_wallet.rail", "MerchantWalletRail"),
    RailName.SIMULATED: ("chains.rails.simulated", "SimulatedRail"),
}
"""By name: the module that holds it, and its class."""


@cache
def rail_named(name: str) -> Rail:
    """The rail of this name. Raises: KeyError for one that sends nothing by itself."""
    module, rail = RAILS[RailName(name)]
    made: Rail = getattr(import_module(module), rail)()
    return made
