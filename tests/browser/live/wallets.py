"""What the wallets in the browser do when the page asks them: they sign with keys of their own, for real nodes."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from eth_account.messages import encode_typed_data
from eth_account.signers.local import LocalAccount
from playwright.sync_api import BrowserContext
from solders.keypair import Keypair

from localnet.addresses import CHAIN_NAMES
from localnet.devchain import DevChain, fresh_wallet
from localnet.solana.server import signed

SCRIPT = Path(__file__).with_name("wallets.js").read_text(encoding="utf-8")
DECLINED, UNSUPPORTED = 4001, 4200
GAS = hex(1_500_000)


class Refusal(Exception):
    def __init__(self, code: int, message: str = "refused") -> None:
        self.code, self.message = code, message
        super().__init__(message)


@dataclass
class EvmWallet:
    """One account on all nodes. With ``batches`` it is a smart account, as EIP-7702 makes one of any address.

    ``declines`` holds the numbers of those requests to send that its owner declines, from 1. ``changed`` is what a
    faulty wallet makes of what it is to send.
    """

    nodes: Mapping[str, DevChain]
    account: LocalAccount = field(default_factory=fresh_wallet)
    chain: str = "ethereum"
    batches: bool = False
    declines: set[int] = field(default_factory=set)
    asked: list[str] = field(default_factory=list)
    sent: list[dict[str, Any]] = field(default_factory=list)
    bundles: dict[str, str] = field(default_factory=dict)
    changed: Callable[[dict[str, Any]], dict[str, Any]] | None = None

    @property
    def address(self) -> str:
        address: str = self.account.address
        return address

    @property
    def node(self) -> DevChain:
        return self.nodes[self.chain]

    def answer(self, method: str, parameters: list[Any]) -> Any:
        self.asked.append(method)
        methods: dict[str, Callable[..., Any]] = {
            "eth_requestAccounts": lambda: [self.address],
            "eth_accounts": lambda: [self.address],
            "eth_chainId": lambda: hex(int(self.node.web3.eth.chain_id)),
            "wallet_switchEthereumChain": self._switch,
            "eth_sendTransaction": self._send,
            "eth_signTypedData_v4": self._sign_typed,
            "wallet_getCapabilities": self._capabilities,
            "wallet_sendCalls": self._send_calls,
            "wallet_getCallsStatus": self._calls_status,
        }
        if method in methods:
            return methods[method](*parameters)
        if method in ("eth_call", "eth_getTransactionReceipt"):
            return self.node.rpc(method, *parameters)
        raise Refusal(UNSUPPORTED)

    def _switch(self, wanted: dict[str, str]) -> None:
        self.chain = CHAIN_NAMES[int(wanted["chainId"], 16)]

    def _confirm(self, request: dict[str, Any]) -> None:
        """What its owner sees and answers."""
        self.sent.append(request)
        if len(self.sent) in self.declines:
            raise Refusal(DECLINED)
        assert int(request["chainId"], 16) == self.node.web3.eth.chain_id
        assert request["from"] == self.address

    def _send(self, request: dict[str, Any]) -> str:
        self._confirm(request)
        wanted = request if self.changed is None else self.changed(request)
        return self.node.post(self.account, wanted | {"gasLimit": GAS})

    def _sign_typed(self, address: str, text: str) -> str:
        assert address == self.address
        typed = json.loads(text)
        assert typed["domain"]["chainId"] == self.node.web3.eth.chain_id
        numbers = {name: int(typed["message"][name]) for name in ("value", "validAfter", "validBefore")}
        signable = encode_typed_data(full_message={**typed, "message": {**typed["message"], **numbers}})
        return f"0x{bytes(self.account.sign_message(signable).signature).hex()}"

    def _capabilities(self, _address: str, chains: list[str]) -> dict[str, Any]:
        status = "ready" if self.batches else "unsupported"
        return {chain: {"atomic": {"status": status}} for chain in chains}

    def _send_calls(self, batch: dict[str, Any]) -> dict[str, str]:
        assert (batch["version"], batch["atomicRequired"]) == ("2.0.0", True)
        self._confirm(batch)
        self.node.place("SmartAccount", self.address)
        calls = [(call["to"], int(call["value"], 16), call["data"]) for call in batch["calls"]]
        data = self.node.contract("SmartAccount", self.address).encode_abi("execute", args=[calls])
        request = {"to": self.address, "value": "0x0", "data": data, "gasLimit": GAS}
        self.bundles[batch["id"]] = self.node.post(self.account, request)
        return {"id": batch["id"]}

    def _calls_status(self, bundle: str) -> dict[str, Any]:
        receipt = self.node.rpc("eth_getTransactionReceipt", self.bundles[bundle])
        if receipt is None:
            return {"status": 100}
        return {"status": 200 if int(receipt["status"], 16) else 500, "atomic": True, "receipts": [receipt]}


@dataclass
class SolanaWallet:
    keys: Keypair = field(default_factory=Keypair)

    @property
    def address(self) -> str:
        return str(self.keys.pubkey())

    def answer(self, method: str, parameters: list[str]) -> str:
        return self.address if method == "connect" else signed(self.keys, parameters[0])


def install(context: BrowserContext, evm: EvmWallet, solana: SolanaWallet) -> None:
    """Let every page of a browser profile find both."""

    def answer(family: str, method: str, parameters: list[Any]) -> dict[str, Any]:
        try:
            return {"result": (evm if family == "evm" else solana).answer(method, parameters)}
        except Refusal as refusal:
            return {"error": {"code": refusal.code, "message": refusal.message}}

    context.expose_function("askWallet", answer)
    context.add_init_script(SCRIPT)
