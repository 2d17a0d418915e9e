"""Which client reads the chains of which mode: one table. Test mode never reaches a real chain."""

from chains.clients.base import ChainClient
from chains.clients.evm import EvmChains
from chains.clients.live import LiveChains
from chains.clients.simulated import SimulatedChain
from chains.clients.solana import SolanaChains
from chains.registry import Family
from core.modes import Mode

EVM = EvmChains()
"""The EVM chains that the settings name nodes for."""
SOLANA = SolanaChains()
"""Solana, if the settings name a node for it."""
WALLETS: dict[Family, EvmChains | SolanaChains] = {Family.EVM: EVM, Family.SOLANA: SOLANA}
"""Whom to ask about the wallets of a family."""
CLIENTS: dict[Mode, ChainClient] = {
    Mode.TEST: SimulatedChain(),
    Mode.LIVE: LiveChains({Family.EVM: EVM, Family.SOLANA: SOLANA}),
}


def client_for(mode: str) -> ChainClient:
    """The client of a mode. One without nodes raises ChainUnavailable when it is asked."""
    return CLIENTS[Mode(mode)]
