"""One module a chain, with every fact of it under ``CHAIN``. A module that is put here is a chain that is known.

Sources of addresses: https://github.com/lifinance/contracts at ef00558 (deployments: LI.FI's contract, wrapped coins);
https://github.com/across-protocol/contracts, broadcast/deployed-addresses.json (June 2026);
https://developers.circle.com/stablecoins/usdc-contract-addresses.
"""

from importlib import import_module
from pkgutil import iter_modules

from chains.chain import Chain

_FOUND: list[Chain] = [import_module(f"{__name__}.{module.name}").CHAIN for module in iter_modules(__path__)]
CHAINS = tuple(sorted(_FOUND, key=lambda one: one.rank))
"""Each chain that is known, in the order of lists."""
