"""LI.FI as the local network has it: ``with serving(nodes) as lifi``, then ``lifi.url`` and ``lifi.lie(...)``."""

from localnet.lifi.faults import GONE, Fault
from localnet.lifi.server import Lifi, serving
from localnet.relayer import Conduct

__all__ = ["GONE", "Conduct", "Fault", "Lifi", "serving"]
