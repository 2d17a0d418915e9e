"""A real EVM node for tests: anvil under a real chain's id, with tokens and Multicall3 at their real addresses.

Not modelled: fees of second layers, real times to finality.
"""

import json
import os
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from eth_account import Account
from eth_account.signers.local import LocalAccount
from web3 import HTTPProvider, Web3

from chains.clients.evm_balances import MULTICALL3

ROOT = Path(__file__).resolve().parent.parent.parent
CONTRACTS = Path(__file__).with_name("contracts") / "contracts.json"
INSTALLED = ROOT / ".local/node/node_modules/@foundry-rs/anvil-linux-amd64/bin/anvil"
ROUTER = Web3.to_checksum_address("0x7e57000000000000000000000000000000000707")
ONE_COIN = 10**18
START_SECONDS = 20


@dataclass(frozen=True)
class DevChain:
    """One running node, and what a test does to it from outside the service."""

    url: str
    web3: Web3

    def rpc(self, method: str, *parameters: object) -> Any:
        """A call of the node's own control methods."""
        answer = self.web3.provider.make_request(method, list(parameters))  # type: ignore[arg-type]  # anvil's own
        assert "error" not in answer, answer
        return answer["result"]

    def mine(self, blocks: int = 1) -> None:
        """Let so many empty blocks pass."""
        self.rpc("anvil_mine", hex(blocks))

    def head(self) -> int:
        """The number of the newest block."""
        return int(self.web3.eth.block_number)

    def place(self, contract: str, address: str) -> None:
        """Put a contract's code at an address."""
        self.rpc("anvil_setCode", address, contracts()[contract]["runtime"])

    def token(self, address: str) -> Any:
        """A token that stands at this address."""
        return self.web3.eth.contract(address=Web3.to_checksum_address(address), abi=contracts()["TestToken"]["abi"])

    def router(self) -> Any:
        """The contract that pays on behalf of others."""
        return self.web3.eth.contract(address=ROUTER, abi=contracts()["TestRouter"]["abi"])

    def fund(self, address: str, coins: int = ONE_COIN) -> None:
        """Give an address native coin."""
        self.rpc("anvil_setBalance", address, hex(coins))

    def mint(self, token: str, address: str, units: int) -> None:
        """Give an address tokens."""
        giver = self.web3.eth.accounts[0]
        self.await_receipt(self.token(token).functions.mint(address, units).transact({"from": giver}))

    def await_receipt(self, tx_hash: Any) -> Any:
        """The receipt, as soon as the node has put the transaction into a block."""
        return self.web3.eth.wait_for_transaction_receipt(tx_hash, timeout=START_SECONDS, poll_latency=0.02)

    def send(self, payer: LocalAccount, request: dict[str, Any], **more: Any) -> str:
        """As ``post``, and wait until it is in a block."""
        tx_hash = self.post(payer, request, **more)
        self.await_receipt(tx_hash)
        return tx_hash

    def post(self, payer: LocalAccount, request: dict[str, Any], **more: Any) -> str:
        """Sign what a wallet is asked to sign, as a wallet does, and send it; its hash."""
        latest = self.web3.eth.get_block("latest")
        wanted: dict[str, Any] = {
            "to": request["to"],
            "value": int(request["value"], 16),
            "data": request["data"],
            "chainId": self.web3.eth.chain_id,
            "nonce": self.web3.eth.get_transaction_count(payer.address, "pending"),
            "gas": 200_000,
            "maxFeePerGas": 2 * latest["baseFeePerGas"] + 10**9,
            "maxPriorityFeePerGas": 10**9,
        }
        signed = payer.sign_transaction(wanted | more)
        return "0x" + self.web3.eth.send_raw_transaction(signed.raw_transaction).hex().removeprefix("0x")


@cache
def contracts() -> dict[str, Any]:
    """The test contracts, as ``contracts/build.sh`` made them."""
    read: dict[str, Any] = json.loads(CONTRACTS.read_text(encoding="utf-8"))
    return read


def fresh_wallet() -> LocalAccount:
    """A wallet nobody used before."""
    made: LocalAccount = Account.create()
    return made


@contextmanager
def running(chain_id: int, *options: str) -> Iterator[DevChain]:
    """A node of its own, stopped at the end."""
    subprocess.run([ROOT / "scripts" / "install-node-packages.sh"], check=True, cwd=ROOT)
    port = _free_port()
    command = [os.environ.get("ANVIL") or str(INSTALLED), "--chain-id", str(chain_id), "--port", str(port), "--silent"]
    process = subprocess.Popen([*command, "--accounts", "1", *options])
    try:
        node = _when_ready(f"http://127.0.0.1:{port}", process)
        node.place("Multicall3", MULTICALL3)
        node.place("TestRouter", ROUTER)
        yield node
    finally:
        process.terminate()
        process.wait(timeout=START_SECONDS)


def _when_ready(url: str, process: subprocess.Popen[bytes]) -> DevChain:
    web3 = Web3(HTTPProvider(url, request_kwargs={"timeout": 10}, exception_retry_configuration=None))
    ends_at = time.monotonic() + START_SECONDS
    while not web3.is_connected():
        assert process.poll() is None, "anvil ended at once"
        assert time.monotonic() < ends_at, "anvil does not answer"
        time.sleep(0.05)
    return DevChain(url=url, web3=web3)


def _free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])
