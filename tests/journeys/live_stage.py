"""The production form in live mode, over a local network whose nodes a test may let answer as real ones do.

An EVM chain and Solana, LI.FI and Jupiter over them, each node behind a proxy that the service takes for the node.
"""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from localnet import jupiter, lifi
from localnet.devchain import DevChain
from localnet.market import bundled
from localnet.nodes import running_all
from localnet.solana import server as solana
from tests.journeys.http_caller import Caller
from tests.journeys.production import Production, production
from tests.live.proxy import Proxy, proxied
from tests.machine import own_port

EVM, SOLANA = "base", "solana"
MINING = ("--block-time", "1")
"""A block a second, whatever is sent: blocks that come with transactions would make who sends many a help to others."""
ORIGIN = "https://shop.example"
_ALLOW = (
    "from core.modes import Mode; from merchants.principal import Principal;"
    "from merchants.services.origins import allow_origin;"
    "allow_origin(Principal(merchant_id={merchant_id}, mode=Mode.LIVE, actor='key:1'), '{origin}')"
)
NO_LIMITS = {"RATE_LIMIT_SCALE": "1000"}
"""All callers here have one address, so what a limit of requests keeps away is let through."""


@dataclass(frozen=True, kw_only=True)
class Shop:
    """A merchant's server, and the page of his that opens checkouts."""

    merchant_id: int
    merchant: Caller
    page: Caller


@dataclass(kw_only=True)
class LiveStage:
    """What runs: the service, the nodes themselves, and the proxies that the service asks."""

    service: Production
    node: DevChain
    ledger: solana.DevSolana
    evm: Proxy
    solana: Proxy
    shops: dict[str, Shop] = field(default_factory=dict)

    def shop(self, name: str) -> Shop:
        """A merchant by name, new at first, whose page is on ``ORIGIN``."""
        if name not in self.shops:
            self.shops[name] = self._new_shop(name)
        return self.shops[name]

    def _new_shop(self, name: str) -> Shop:
        keys, url = self.service.keys(name), self.service.base_url
        self.service.manage("shell", "-c", _ALLOW.format(**keys, origin=ORIGIN))
        merchant, page = (Caller(base_url=url, key=keys[f"live_{kind}_key"]) for kind in ("secret", "publishable"))
        return Shop(merchant_id=int(keys["merchant_id"]), merchant=merchant, page=page)


@contextmanager
def live_stage(folder: Path) -> Iterator[LiveStage]:
    """All of it while the block runs. Needs DATABASE_URL and REDIS_URL."""
    with ExitStack() as stack:
        nodes = stack.enter_context(running_all((EVM,), *MINING))
        ledger = stack.enter_context(solana.running())
        evm, sol = (stack.enter_context(proxied(url)) for url in (nodes[EVM].url, ledger.url))
        aggregator = stack.enter_context(lifi.serving(nodes, solana=ledger))
        exchange = stack.enter_context(jupiter.serving(ledger))
        places = {"RPC_URLS_BASE": evm.url, "RPC_URLS_SOLANA": sol.url}
        places |= {"LIFI_URL": aggregator.url, "JUPITER_URL": exchange.url, "NETWORK_PROFILE": "localnet"}
        service = stack.enter_context(production(folder, own_port(), **places, **NO_LIMITS))
        yield LiveStage(service=service, node=nodes[EVM], ledger=ledger, evm=evm, solana=sol)


def token_of(chain: str, symbol: str) -> str:
    """A token's address."""
    return next(one.address for one in bundled() if (one.chain, one.symbol) == (chain, symbol))
