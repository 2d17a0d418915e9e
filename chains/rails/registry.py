"""Which rail sends what: one table."""

from chains.rails.base import Rail, RailName
from chains.rails.evm.rail import EvmRail
from chains.rails.merchant_wallet.rail import MerchantWalletRail
from chains.rails.simulated import SimulatedRail
from chains.rails.solana.rail import SolanaRail

RAILS: dict[RailName, Rail] = {
    RailName.EVM: EvmRail(),
    RailName.MERCHANT_WALLET: MerchantWalletRail(),
    RailName.SIMULATED: SimulatedRail(),
    RailName.SOLANA: SolanaRail(),
}


def rail_named(name: str) -> Rail:
    """The rail of this name. Raises: KeyError for one that sends nothing by itself."""
    return RAILS[RailName(name)]
