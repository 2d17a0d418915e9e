"""Real EVM nodes: anvil under the real chains' ids, with tokens and contracts at their real addresses.

Not modelled: fees of second layers, but where a test puts an oracle; real times to finality.
"""

import os
import re
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile
from typing import IO

from web3 import HTTPProvider, Web3

from localnet.addresses import (
    CHAIN_IDS,
    CHAIN_NAMES,
    CIRCLES,
    DEX,
    DIAMOND,
    FEE_FORWARDER,
    MULTICALL3,
    RESETTING,
    ROUTER,
    SPOKE_POOLS,
    WRAPPED_COINS,
)
from localnet.devchain import ONE_COIN, Call, DevChain, code, fresh_wallet, slot, token_calls
from localnet.market import Asset, Market, bundled

__all__ = ["ONE_COIN", "ROUTER", "DevChain", "fresh_wallet", "running", "running_all"]

ROOT = Path(__file__).resolve().parent.parent
INSTALLED = ROOT / ".local/node/node_modules/@foundry-rs/anvil-linux-amd64/bin/anvil"
PLACED = {
    "Multicall3": MULTICALL3,
    "TestRouter": ROUTER,
    "Diamond": DIAMOND,
    "Dex": DEX,
    "FeeForwarder": FEE_FORWARDER,
}
"""Where these contracts are on every chain."""
PLENTY = 10**30
START_SECONDS = 120
"""Only a node that hangs is ever waited for so long."""
MOST_SAID = 100_000
Address = Callable[[], str]
LISTENING = re.compile(rb"^Listening on (\S+)$", re.MULTILINE)
"""What a node says once its port is bound."""


@contextmanager
def running(chain_id: int, *options: str) -> Iterator[DevChain]:
    """A node of its own with everything that belongs on its chain, stopped at the end."""
    with running_all([CHAIN_NAMES[chain_id]], *options) as nodes:
        yield nodes[CHAIN_NAMES[chain_id]]


@contextmanager
def running_all(
    chains: Sequence[str] = tuple(CHAIN_IDS), *options: str, ports: Mapping[str, int] | None = None
) -> Iterator[dict[str, DevChain]]:
    """A node for each of these chains, started together, by the chains' names; on free ports unless told which.

    Blocks come with transactions; ``--block-time 2 --mixed-mining`` lets them come by themselves too.
    """
    subprocess.run([ROOT / "scripts" / "install-node-packages.sh"], check=True, cwd=ROOT)
    with ExitStack() as stack:
        started = [
            (chain, *stack.enter_context(_process(chain, (ports or {}).get(chain, 0), options))) for chain in chains
        ]
        nodes = {chain: _when_ready(chain, process, address) for chain, process, address in started}
        for node in nodes.values():
            node.rpc_all(_furniture(node.chain))
            node.open_market(Market())
        yield nodes


@contextmanager
def _process(chain: str, port: int, options: Sequence[str]) -> Iterator[tuple["subprocess.Popen[bytes]", Address]]:
    """A node, and where it listens. Only one on a free port talks, into a file that nobody has to read to its end.

    Why a folder of its own: the states that it remembers stayed in the home folder, many gigabytes of them.
    """
    named = [
        "--chain-id",
        str(CHAIN_IDS[chain]),
        "--port",
        str(port),
        "--accounts",
        "1",
        *(["--silent"] if port else []),
    ]
    with TemporaryFile() as said, TemporaryDirectory(prefix="causeway-node-", ignore_cleanup_errors=True) as states:
        command = [os.environ.get("ANVIL") or str(INSTALLED), *named, "--cache-path", states, *options]
        process = subprocess.Popen(command, stdout=said)
        try:
            yield process, lambda: f"127.0.0.1:{port}" if port else _said_address(said)
        finally:
            process.terminate()
            process.wait(timeout=START_SECONDS)


def _said_address(said: IO[bytes]) -> str:
    """Where it says that it listens; empty before it does."""
    bound = LISTENING.search(os.pread(said.fileno(), MOST_SAID, 0))
    return bound[1].decode() if bound else ""


def _when_ready(chain: str, process: "subprocess.Popen[bytes]", address: Address) -> DevChain:
    ends_at = time.monotonic() + START_SECONDS
    while not (address() and (web3 := _connection(address())).is_connected()):
        assert process.poll() is None, "anvil ended at once"
        assert time.monotonic() < ends_at, "anvil does not answer"
        time.sleep(0.02)
    return DevChain(url=f"http://{address()}", web3=web3, chain=chain)


def _connection(address: str) -> Web3:
    options = {"timeout": START_SECONDS}
    return Web3(HTTPProvider(f"http://{address}", request_kwargs=options, exception_retry_configuration=None))


def _furniture(chain: str) -> list[Call]:
    """What stands on a chain before anybody comes."""
    placed = {
        "Multicall3": MULTICALL3,
        "TestRouter": ROUTER,
        "Diamond": DIAMOND,
        "Dex": DEX,
        "FeeForwarder": FEE_FORWARDER,
    }
    pool, wrapped = SPOKE_POOLS[chain], WRAPPED_COINS[chain]
    calls = [code(name, address) for name, address in (placed | {"SpokePool": pool}).items()]
    calls += [slot(DIAMOND, 0, int(pool, 16)), slot(DIAMOND, 1, int(wrapped, 16)), slot(pool, 0, int(wrapped, 16))]
    calls += [("anvil_setBalance", [rich, hex(PLENTY)]) for rich in (DEX, wrapped)]
    for asset in bundled():
        if asset.chain == chain and not asset.is_native:
            calls += token_calls(asset, _kind(asset))
    return calls


def _kind(asset: Asset) -> str:
    if asset.address == WRAPPED_COINS[asset.chain]:
        return "WrappedCoin"
    if (asset.chain, asset.address) in RESETTING:
        return "ResetToken"
    return "DollarToken" if (asset.chain, asset.address) in CIRCLES else "TestToken"
