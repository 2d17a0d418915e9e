"""Live payments on a chain of this machine, of which nobody tells the service: its reader must find them.

Usage: python -m scripts.cluster.live node                      An EVM chain with a block a second, and LI.FI over it.
       python -m scripts.cluster.live pay JOURNAL SECRET PUBLISHABLE   Payers, one payment after the other.
"""

import signal
import sys
import threading
import time
from collections.abc import Callable
from http import HTTPStatus
from pathlib import Path
from typing import Any

from web3 import HTTPProvider, Web3

from localnet.devchain import DevChain, fresh_wallet
from localnet.lifi import server as lifi
from localnet.market import bundled
from localnet.nodes import running_all
from scripts.cluster import hosts
from scripts.cluster.journal import LIVE_SENT, LIVE_SETTLED, QUIET, Journal
from scripts.cluster.load import Caller, Wrong

CHAIN, SYMBOL = "base", "USDC"
ORIGIN = "https://shop.example"
PAYERS = 3
PLENTY, GAS = 10**12, 1_000_000
STEP_SECONDS, POLL_SECONDS = 120.0, 0.5
"""After so long without the next step, the payment is left, and another one begun."""


def settings() -> dict[str, str]:
    """What the service is told of the chain."""
    node, aggregator = (f"http://127.0.0.1:{port}" for port in (hosts.NODE_PORT, hosts.LIFI_PORT))
    return {"NETWORK_PROFILE": "localnet", f"RPC_URLS_{CHAIN.upper()}": node, "LIFI_URL": f"{aggregator}{lifi.PREFIX}"}


def run_node() -> None:
    """Run the chain until this program is killed."""
    with (
        running_all((CHAIN,), "--block-time", "1", ports={CHAIN: hosts.NODE_PORT}) as nodes,
        lifi.serving(nodes, port=hosts.LIFI_PORT),
    ):
        while True:
            signal.pause()


class Payer:
    """A wallet, and the page of one payment after the other."""

    def __init__(self, node: DevChain, journal: Journal, secret: str, publishable: str) -> None:
        self._node, self._journal = node, journal
        self._merchant, self._shop, self._page = (Caller(key, journal) for key in (secret, publishable, ""))
        self._wallet = fresh_wallet()
        self._token = next(one.address for one in bundled() if (one.chain, one.symbol) == (CHAIN, SYMBOL))
        node.fund(self._wallet.address, 10**24)
        node.mint(self._token, self._wallet.address, PLENTY)

    def pay(self, name: str) -> None:
        """From nothing to settled. Raises: TimeoutError, Wrong."""
        place = {"settlement_chain": CHAIN, "settlement_token": SYMBOL, "settlement_address": fresh_wallet().address}
        intent = self._merchant.insist("/payment-intents", {"amount": 25, **place}, f"live-{name}")["id"]
        session = self._shop.insist(f"/checkout/{intent}/session", {}, f"session-{name}", Origin=ORIGIN)
        passes = {"Checkout-Token": session["checkout_token"], "Checkout-Browser": "b" * 64}

        def act(path: str, body: dict[str, Any]) -> None:
            self._page.insist(f"/checkout/{intent}/{path}", body, f"{path}-{name}", **passes)

        def attempt(status: str) -> dict[str, Any]:
            state = until(
                lambda: self._page.get(f"/checkout/{intent}/state", **passes),
                lambda state: state.get("attempt") and state["attempt"]["status"] == status,
            )
            found: dict[str, Any] = state["attempt"]
            return found

        act("wallet", {"family": "evm", "address": self._wallet.address})
        until(
            lambda: self._page.get(f"/checkout/{intent}/state", **passes),
            lambda state: state.get("wallet") and state["wallet"]["status"] == "ready",
        )
        act("quote", {"chain": CHAIN, "token_address": self._token})
        act("start", {"attempt_id": attempt("quoted")["id"]})
        [unsigned] = attempt("awaiting_signature")["transactions"]
        self._node.send(self._wallet, unsigned["request"], gas=GAS)
        self._journal.add(LIVE_SENT, id=intent)
        until(lambda: self._merchant.get(f"/payment-intents/{intent}"), lambda seen: seen.get("status") == "settled")
        self._journal.add(LIVE_SETTLED, id=intent)


def until(ask: Callable[[], Any], is_so: Callable[[Any], object]) -> Any:
    """What is answered once it is so. Raises: TimeoutError."""
    ends_at = time.monotonic() + STEP_SECONDS
    while time.monotonic() < ends_at:
        status, answer = ask()
        if status == HTTPStatus.OK and is_so(answer):
            return answer
        time.sleep(POLL_SECONDS)
    raise TimeoutError


def main() -> int:
    """Run the chain, or pay on it, as the command line says."""
    if sys.argv[1] == "node":
        run_node()
    path, secret, publishable = sys.argv[2:]
    journal, ends = Journal(Path(path)), threading.Event()
    signal.signal(signal.SIGUSR1, lambda *_: ends.set())
    url = settings()[f"RPC_URLS_{CHAIN.upper()}"]
    node = DevChain(url=url, web3=Web3(HTTPProvider(url)), chain=CHAIN)

    def pay(number: int) -> None:
        payer, count = Payer(node, journal, secret, publishable), 0
        while not ends.is_set():
            count += 1
            try:
                payer.pay(f"{number}-{count}")
            except (TimeoutError, Wrong):
                continue

    payers = [threading.Thread(target=pay, args=(number,)) for number in range(PAYERS)]
    for one in payers:
        one.start()
    for one in payers:
        one.join()
    journal.add(QUIET)
    while True:
        signal.pause()


if __name__ == "__main__":
    sys.exit(main())
