"""One running node of the local network, as tests and developers act on it from outside the service."""

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import requests
from eth_account import Account
from eth_account.signers.local import LocalAccount
from eth_utils.crypto import keccak
from web3 import Web3

from localnet.addresses import DEX, NATIVE, ROUTER, SPOKE_POOLS
from localnet.market import Asset, Market

# Why: looking for a proxy reads the whole environment, which fails in a thread while another one changes it.
os.environ["NO_PROXY"] = os.environ["no_proxy"] = ",".join(
    filter(None, ["127.0.0.1", "localhost", os.environ.get("NO_PROXY") or os.environ.get("no_proxy")])
)
CONTRACTS = Path(__file__).with_name("contracts") / "contracts.json"
ONE_COIN = 10**18
ANSWER_SECONDS = 120
WALLET_GAS = 200_000
Call = tuple[str, list[object]]
"""A method of the node's own, and what it is given."""


@dataclass(frozen=True)
class DevChain:
    """One running node, and what a test does to it from outside the service."""

    url: str
    web3: Web3
    chain: str = ""

    def rpc(self, method: str, *parameters: object) -> Any:
        """A call of the node's own control methods."""
        answer = self.web3.provider.make_request(method, list(parameters))  # type: ignore[arg-type]  # anvil's own
        assert "error" not in answer, answer
        return answer["result"]

    def rpc_all(self, calls: Sequence[Call]) -> None:
        """Many such calls at once."""
        bodies: Any = [
            {"jsonrpc": "2.0", "id": number, "method": method, "params": list(parameters)}
            for number, (method, parameters) in enumerate(calls)
        ]
        answers = requests.post(self.url, json=bodies, timeout=ANSWER_SECONDS).json()
        refused = [answer for answer in answers if "error" in answer]
        assert not refused, refused

    def mine(self, blocks: int = 1) -> None:
        """Let so many empty blocks pass."""
        self.rpc("anvil_mine", hex(blocks))

    def head(self) -> int:
        """The number of the newest block."""
        return int(self.web3.eth.block_number)

    def now(self) -> int:
        """The time that the next block will have at least."""
        return int(self.web3.eth.get_block("pending")["timestamp"])

    def place(self, contract: str, address: str) -> None:
        """Put a contract's code at an address."""
        self.rpc("anvil_setCode", address, contracts()[contract]["runtime"])

    def place_token(self, asset: Asset, contract: str = "TestToken") -> None:
        """Put a token at an address, with its symbol and its decimals."""
        self.rpc_all(token_calls(asset, contract))

    def open_market(self, market: Market) -> None:
        """Let the Dex here trade at these prices."""
        calls = [  # each at the word of the Dex's mapping of prices, which is its first
            slot(DEX, int.from_bytes(keccak(int(asset.address, 16).to_bytes(32) + bytes(32))), market.unit_price(asset))
            for asset in market.assets
            if asset.chain == self.chain
        ]
        self.rpc_all([*calls, slot(DEX, 1, market.depth), slot(DEX, 2, market.fee_bps)])

    def contract(self, name: str, address: str) -> Any:
        """A contract of ours that stands at this address."""
        return self.web3.eth.contract(address=Web3.to_checksum_address(address), abi=contracts()[name]["abi"])

    def token(self, address: str) -> Any:
        """A token that stands at this address."""
        return self.contract("TestToken", address)

    def router(self) -> Any:
        """The contract that pays on behalf of others."""
        return self.contract("TestRouter", ROUTER)

    def spoke_pool(self) -> Any:
        """Across's pool."""
        return self.contract("SpokePool", SPOKE_POOLS[self.chain])

    def balance(self, token: str, owner: str) -> int:
        """What an address holds of a token, or of the native coin under the zero address."""
        holder = Web3.to_checksum_address(owner)
        if token == NATIVE:
            return int(self.web3.eth.get_balance(holder))
        return int(self.token(token).functions.balanceOf(holder).call())

    def fund(self, address: str, coins: int = ONE_COIN) -> None:
        """Give an address native coin."""
        self.rpc("anvil_setBalance", address, hex(coins))

    def mint(self, token: str, address: str, units: int) -> None:
        """Give an address tokens."""
        giver = self.web3.eth.accounts[0]
        self.await_receipt(self.token(token).functions.mint(address, units).transact({"from": giver}))

    def await_receipt(self, tx_hash: Any) -> Any:
        """The receipt, as soon as the node has put the transaction into a block."""
        return self.web3.eth.wait_for_transaction_receipt(tx_hash, timeout=ANSWER_SECONDS, poll_latency=0.02)

    def approve(self, owner: LocalAccount, token: str, spender: str, units: int) -> str:
        """Let a spender take so much of an owner's tokens, as a wallet does it."""
        call = self.token(token).encode_abi("approve", args=[Web3.to_checksum_address(spender), units])
        return self.send(owner, {"to": token, "value": "0x0", "data": call})

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
            "gas": int(request.get("gasLimit", hex(WALLET_GAS)), 16),
            "maxFeePerGas": 2 * latest["baseFeePerGas"] + 10**9,
            "maxPriorityFeePerGas": 10**9,
        }
        signed = payer.sign_transaction(wanted | more)
        return "0x" + self.web3.eth.send_raw_transaction(signed.raw_transaction).hex().removeprefix("0x")


@cache
def contracts() -> dict[str, Any]:
    """The contracts, as ``contracts/build.sh`` made them."""
    read: dict[str, Any] = json.loads(CONTRACTS.read_text(encoding="utf-8"))
    return read


def fresh_wallet() -> LocalAccount:
    """A wallet nobody used before."""
    made: LocalAccount = Account.create()
    return made


def token_calls(asset: Asset, contract: str) -> list[Call]:
    """What puts a token at an address, with its symbol and its decimals."""
    symbol = asset.symbol.encode()
    short = int.from_bytes(symbol.ljust(31, b"\0") + bytes([2 * len(symbol)]))
    return [code(contract, asset.address), slot(asset.address, 0, short), slot(asset.address, 1, asset.decimals)]


def code(contract: str, address: str) -> Call:
    """What puts a contract's code at an address."""
    return ("anvil_setCode", [address, contracts()[contract]["runtime"]])


def slot(address: str, number: int, value: int) -> Call:
    """What writes a word into a contract's storage."""
    return ("anvil_setStorageAt", [address, hex(number), "0x" + value.to_bytes(32).hex()])
