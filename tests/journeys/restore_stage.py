"""Shops that are paid at accounts of the service's own, over a database that is archived: what a restore is tried with.

Each is paid on its chain at a signing account, has a receiver of live events, and lets its keys refund to anybody. What
moved is counted on the chains, what was told by the receivers.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psycopg
from eth_account.signers.local import LocalAccount
from solders.keypair import Keypair

from localnet import jupiter, lifi
from localnet.devchain import fresh_wallet
from localnet.nodes import running_all
from localnet.solana import server as solana
from tests.journeys.archived import Archive, archived
from tests.journeys.http_caller import Caller, soon
from tests.journeys.live_payer import LivePayer
from tests.journeys.live_stage import EVM, NO_LIMITS, ORIGIN, SOLANA, LiveStage, Shop, token_of
from tests.journeys.production import Production, own_redis, programs_of, settings_of
from tests.journeys.programs import clean_environment
from tests.journeys.recipe import Receiver, receiving
from tests.live.proxy import proxied
from tests.machine import own_port
from tests.templates import copy_postgresql, on_server

DATABASE = "drill"
QUICKLY_FINAL = ("--block-time", "1", "--slots-in-an-epoch", "2")
"""A block a second, final after four: what leaves waits until what arrived is final."""
CAPS = ("--cap-per-transfer", "1000", "--cap-per-day", "10000")
_OPEN = """
from core.modes import Mode
from core.outbound.addresses import Reach
from merchants.principal import Principal
from merchants.services.origins import allow_origin
from payments.models import SettlementProfile
from refunds.models import RefundPolicy
from webhooks.services import NewEndpoint, create_endpoint
from webhooks.services.urls import CheckedUrl
owner = Principal(merchant_id={merchant_id}, mode=Mode.LIVE, actor="key:1")
allow_origin(owner, "{origin}")
tenant = dict(merchant_id={merchant_id}, mode="live")
home = dict(family="{family}", chain="{chain}", token="USDC", address="{home}", is_default=True)
SettlementProfile.objects.create(**home, **tenant)
RefundPolicy.objects.create(confirms_new_destinations=False, **tenant)
url = CheckedUrl(text="{url}", reach=Reach.PUBLIC_AND_LOOPBACK, addresses=frozenset())
print(create_endpoint(owner, NewEndpoint(url=url, events=["*"], enabled=True))[1])
"""


@dataclass(kw_only=True)
class Counter:
    """A shop with its signing account on one chain, where its payouts go, and what its receiver was told."""

    shop: Shop
    chain: str
    account: str
    home: str
    receiver: Receiver
    before: int = 0
    """How many deliveries it had got when the database was lost."""

    def told_since(self) -> list[str]:
        """The types of what it was told after that."""
        return [one.event["type"] for one in self.receiver.deliveries[self.before :]]


@dataclass(kw_only=True)
class Drill:
    """What runs: the service over an archived database, the nodes, the shops."""

    archive: Archive
    stage: LiveStage
    counters: dict[str, Counter] = field(default_factory=dict)

    @property
    def service(self) -> Production:
        return self.stage.service

    def payer(self, counter: Counter) -> LivePayer:
        """Somebody with money, whose wallet was told what to sign."""
        made = LivePayer(stage=self.stage, shop=counter.shop, chain=counter.chain, settles_at=counter.account)
        made.endow()
        made.issue()
        return made

    def held(self, chain: str, owner: str) -> int:
        """What an address holds of the dollars there, by the chain itself."""
        token = token_of(chain, "USDC")
        return self.stage.node.balance(token, owner) if chain == EVM else self.stage.ledger.held(token, owner)

    def those(self, names: Iterable[str]) -> list[Counter]:
        """The shops of these names."""
        return [self.counters[name] for name in names]

    def accounts(self) -> list[int]:
        """What each signing account holds."""
        return [self.held(one.chain, one.account) for one in self.counters.values()]

    @contextmanager
    def restored(self, moment: str) -> Iterator[None]:
        """Start the service on what the database was at a moment, and end both with the block."""
        with self.archive.restored(moment, database=DATABASE) as url:
            self.point_at(url)
            try:
                self.service.start()
                yield
            finally:
                self.service.end()

    def moment(self) -> str:
        """Now, by PostgreSQL's clock."""
        with self.service.connection() as server:
            return str(server.execute("SELECT now()::text").fetchone()[0])  # type: ignore[index]  # one row

    def point_at(self, url: str) -> None:
        """Have the service started on another database."""
        for program in self.service.programs.values():
            program.environment = {**program.environment, "DATABASE_URL": url}
        self.service.environment["DATABASE_URL"] = url


@contextmanager
def drill(folder: Path, redis_url: str, names: dict[str, str]) -> Iterator[Drill]:
    """All of it while the block runs: for each name a shop on the chain that it is given."""
    with ExitStack() as stack:
        archive = stack.enter_context(archived(folder))
        nodes = stack.enter_context(running_all((EVM,), *QUICKLY_FINAL))
        ledger = stack.enter_context(solana.running())
        evm, sol = (stack.enter_context(proxied(url)) for url in (nodes[EVM].url, ledger.url))
        aggregator = stack.enter_context(lifi.serving(nodes, solana=ledger))
        exchange = stack.enter_context(jupiter.serving(ledger))
        keys = {name: fresh_wallet() if chain == EVM else Keypair() for name, chain in names.items()}
        places = {"RPC_URLS_BASE": evm.url, "RPC_URLS_SOLANA": sol.url, "NETWORK_PROFILE": "localnet"}
        places |= {"LIFI_URL": aggregator.url, "JUPITER_URL": exchange.url, **NO_LIMITS}
        places |= {f"SIGNER_SECRET_{name.upper()}": _secret(key) for name, key in keys.items()}
        service = _service(folder, archive, own_redis(redis_url), places)
        stack.callback(service.end)
        service.start()
        made = Drill(
            archive=archive,
            stage=LiveStage(service=service, node=nodes[EVM], ledger=ledger, evm=evm, solana=sol),
        )
        for name, chain in names.items():
            receiver = stack.enter_context(receiving())
            made.counters[name] = _opened(made, name, chain, keys[name], receiver)
        yield made


def _service(folder: Path, archive: Archive, redis_url: str, places: dict[str, str]) -> Production:
    copy_postgresql(archive.url, DATABASE)
    url, port = on_server(archive.url, DATABASE), own_port()
    with psycopg.connect(url, autocommit=True) as server:
        server.execute("DELETE FROM chains_networkprofile")
    settings = settings_of(port, url, redis_url, **places)
    environment = clean_environment(**settings, LOCAL_DIR=str(folder), TMPDIR=str(folder))
    service = Production(f"http://localhost:{port}", environment, programs_of(folder, environment))
    deliverer = service.programs["worker delivery"]
    deliverer.command = ("python", "-m", "tests.journeys.reaching_worker", "delivery")
    return service


def _secret(key: Any) -> str:
    return str(key) if isinstance(key, Keypair) else key.key.hex()


def _opened(made: Drill, name: str, chain: str, key: LocalAccount | Keypair, receiver: Receiver) -> Counter:
    service, is_evm = made.service, chain == EVM
    keys = service.keys(name)
    account = key.address if isinstance(key, LocalAccount) else str(key.pubkey())
    home = fresh_wallet().address if is_evm else str(Keypair().pubkey())
    enrolled = ("--merchant", str(keys["merchant_id"]), "--chain", chain, "--backend", "secret", "--key", name, *CAPS)
    service.manage("create_signing_account", *enrolled)
    family = "evm" if is_evm else SOLANA
    said = service.manage(
        "shell", "-c", _OPEN.format(**keys, origin=ORIGIN, family=family, chain=chain, home=home, url=receiver.url)
    )
    receiver.secrets.append(said.split()[-1])
    (made.stage.node if is_evm else made.stage.ledger).fund(account)
    merchant, page = (
        Caller(base_url=service.base_url, key=keys[f"live_{kind}_key"]) for kind in ("secret", "publishable")
    )
    shop = Shop(merchant_id=int(keys["merchant_id"]), merchant=merchant, page=page)
    return Counter(shop=shop, chain=chain, account=account, home=home, receiver=receiver)


def until(look: Callable[[], object], what: str, drilled: Drill) -> None:
    """Wait for something. Raises: AssertionError with what the service printed last."""
    try:
        soon(look, what)
    except AssertionError as error:
        raise AssertionError(f"{error}:\n{drilled.service.printed()[-6000:]}") from error
