"""Which client reads the chains of which mode: one table. Test mode never reaches a real chain."""

from chains.clients.base import ChainClient
from chains.clients.evm import EvmChains
from chains.clients.simulated import SimulatedChain
from core.modes import Mode

EVM = EvmChains()
"""The EVM chains that the settings name nodes for. Live mode reads no other chains yet."""
CLIENTS: dict[Mode, ChainClient] = {Mode.TEST: SimulatedChain(), Mode.LIVE: EVM}


def client_for(mode: str) -> ChainClient:
    """The client of a mode. One without nodes raises ChainUnavailable when it is asked."""
    return CLIENTS[Mode(mode)]
