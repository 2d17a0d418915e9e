"""Which client reads the chains of which mode: one table. Test mode never reaches a real chain."""

from chains.clients.base import ChainClient
from chains.clients.simulated import SimulatedChain
from core.modes import Mode

CLIENTS: dict[Mode, ChainClient] = {Mode.TEST: SimulatedChain()}


def client_for(mode: str) -> ChainClient:
    """The client of a mode. Raises: KeyError where none is configured; such intents never get as far as a leg."""
    return CLIENTS[Mode(mode)]
