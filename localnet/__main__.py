"""``make localnet``: nodes, providers and funded wallets on this machine, and the service in live mode over them.

Everything is new at each start: the chains begin again, and so does the service's own data.
"""

import os
import shutil
import signal
import socket
import subprocess
import sys
from argparse import ArgumentParser
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field

from localnet import jupiter
from localnet.addresses import CHAIN_IDS
from localnet.lifi import serving
from localnet.nodes import ROOT, running_all
from localnet.solana import server as solana
from localnet.wallets import evm_wallet, merchant_address, solana_wallet

FIRST_PORT = 18545
NAMES = (*CHAIN_IDS, "solana", "lifi", "jupiter")
"""In the order of their ports."""
RELAY_SECONDS = 4
LOCAL_DIR = ROOT / ".local/localnet"
MINING = ("--block-time", "2", "--mixed-mining", "--slots-in-an-epoch", "1")
"""Transactions are taken at once, empty blocks come by themselves, and blocks are final two later."""


@dataclass
class Started:
    """The settings of a service that uses what runs, and the wallets to pay with, each by its name."""

    settings: dict[str, str] = field(default_factory=dict)
    wallets: dict[str, str] = field(default_factory=dict)


def main() -> int:
    """Start everything and stay until Ctrl-C."""
    parser = ArgumentParser(prog="make localnet", description="A network of one's own, and the service over it.")
    parser.add_argument("--port", type=int, default=8000, help="of the service (default 8000)")
    first = f"of the nodes (default {FIRST_PORT}); with 0 each takes any that is free"
    parser.add_argument("--first-port", type=int, default=FIRST_PORT, help=first)
    parser.add_argument("--only", action="store_true", help="nodes and providers, but no service")
    chosen = parser.parse_args()
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    ports = {name: chosen.first_port and chosen.first_port + number for number, name in enumerate(NAMES)}
    _refuse_ports_in_use(ports)
    with ExitStack() as stack:
        try:
            started = Started()
            node = _start_solana(stack, started, ports)
            _start_evm(stack, started, node, ports)
            print(_panel(started, chosen.port), flush=True)
            if not chosen.only:
                return _serve(started, chosen.port)
            signal.pause()
        except KeyboardInterrupt:
            pass
    return 0


def _refuse_ports_in_use(ports: Mapping[str, int]) -> None:
    for port in filter(None, ports.values()):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                sys.exit(f"Port {port} is in use on this machine. Is another local network running?")


def _start_evm(stack: ExitStack, started: Started, solana_node: solana.DevSolana, ports: Mapping[str, int]) -> None:
    nodes = stack.enter_context(running_all(tuple(CHAIN_IDS), *MINING, ports=ports))
    lifi = stack.enter_context(serving(nodes, port=ports["lifi"], solana=solana_node))
    lifi.relayer.delay_seconds = RELAY_SECONDS
    started.settings |= {"NETWORK_PROFILE": "localnet", "LOCAL_DIR": str(LOCAL_DIR), "LIFI_URL": lifi.url}
    started.settings |= {f"RPC_URLS_{chain.upper()}": node.url for chain, node in nodes.items()}
    started.wallets |= evm_wallet(nodes)


def _start_solana(stack: ExitStack, started: Started, ports: Mapping[str, int]) -> solana.DevSolana:
    node = stack.enter_context(solana.running(port=ports["solana"]))
    started.settings |= {"RPC_URLS_SOLANA": node.url}
    started.settings |= {"JUPITER_URL": stack.enter_context(jupiter.serving(node, port=ports["jupiter"])).url}
    started.wallets |= solana_wallet(node)
    return node


def _panel(started: Started, port: int) -> str:
    """What a developer needs to see."""
    intent = (
        '"amount": 25, "settlement_chain": "base", "settlement_token": "USDC", '
        f'"settlement_address": "{merchant_address()}"'
    )
    lines = [
        "A network of your own is running. Play money, new at each start.",
        "",
        *(f"{name:<15}{value}" for name, value in started.wallets.items()),
        "",
        *(f"export {name}={value}" for name, value in started.settings.items()),
        "",
        f"A live intent, with live_secret_key of {LOCAL_DIR.relative_to(ROOT)}/demo.json as KEY:",
        f'curl http://localhost:{port}/api/public/v1/payment-intents -H "Authorization: Bearer $KEY" \\',
        f"  -H 'Content-Type: application/json' -d '{{{intent}}}'",
    ]
    return "\n".join(["", *(f"  {line}" for line in lines), ""])


def _serve(started: Started, port: int) -> int:
    """The service itself, on data of its own that begins again with the chains."""
    shutil.rmtree(LOCAL_DIR, ignore_errors=True)
    outside = {"DATABASE_URL", "REDIS_URL", "BASE_URL"}
    kept = {name: value for name, value in os.environ.items() if name not in outside}
    command = [sys.executable, "manage.py", "up", "--port", str(port)]
    service = subprocess.Popen(command, cwd=ROOT, env=kept | started.settings)
    try:
        return service.wait()
    finally:
        service.terminate()
        service.wait()


if __name__ == "__main__":
    sys.exit(main())
