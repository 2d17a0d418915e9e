"""What every rail can do, take one step for a transfer, safe to repeat at any point; and which rail sends what.

A rail writes through ``chains.ledger`` only, holds no transaction while it asks outside, and never calls a transfer
over unless the chain proves it.
"""

from datetime import timedelta
from enum import StrEnum
from functools import cache
from importlib import import_module
from typing import Protocol

from chains.models import Transfer


class RailName(StrEnum):
    """Source: docs/design/sending.md, Rails. ``DIRECT`` sends nothing, so it has no rail here."""

    DIRECT = "direct"
    EVM = "evm"
    SOLANA = "solana"
    MERCHANT_WALLET = "merchant_wallet"
    SIMULATED = "simulated"


class Rail(Protocol):
    """One way of sending money."""

    poll: timedelta
    """How long to wait before looking again at what is under way."""

    def step(self, transfer: Transfer) -> bool:
        """Take the next step of a transfer that is not over; says whether another one can follow at once.

        Called outside any transaction; two workers may call it at the same time.
        Raises: Blocked or Rejected, only while the transfer is ``new`` or ``reserved``; ChainUnavailable anywhere.
        """


RAILS = {
    RailName.EVM: ("chains.rails.evm.rail", "EvmRail"),
    RailName.SOLANA: ("chains.rails.solana.rail", "SolanaRail"),
    RailName.MERCHANT_WALLET: ("chains.rails.merchant_wallet.rail", "MerchantWalletRail"),
    RailName.SIMULATED: ("chains.rails.simulated", "SimulatedRail"),
}
"""By name: the module that holds it, and its class. It is loaded when it is first used: few send on real chains."""


@cache
def rail_named(name: str) -> Rail:
    """The rail of this name. Raises: KeyError for one that sends nothing by itself."""
    module, rail = RAILS[RailName(name)]
    made: Rail = getattr(import_module(module), rail)()
    return made
