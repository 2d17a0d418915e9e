"""Which client reads the chains of which mode: one table. Test mode never reaches a real chain."""

from chains.clients.base import ChainClient
from chains.clients.evm import EvmChains
from chains.clients.live import LiveChains
from chains.clients.simulated import SimulatedChain
from chains.registry import Family
from core.modes import Mode

EVM = EvmChains()
"""The EVM chains that the settings name nodes for."""
CLIENTS: dict[Mode, ChainClient] = {Mode.TEST: SimulatedChain(), Mode.LIVE: LiveChains({Family.EVM: EVM})}


def client_for(mode: str) -> ChainClient:
    """The client of a mode. One without nodes raises ChainUnavailable when it is asked."""
    return CLIENTS[Mode(mode)]
