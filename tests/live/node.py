"""The node of the live tests. It stands in ``localnet``, where a developer's own network uses it too."""

from localnet.nodes import ONE_COIN, ROUTER, DevChain, fresh_wallet, running

__all__ = ["ONE_COIN", "ROUTER", "DevChain", "fresh_wallet", "running"]
