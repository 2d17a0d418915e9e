"""A wallet that is a contract, on a chain or not yet, and the key that owns it."""

from dataclasses import dataclass, field

from eth_abi.abi import encode
from eth_account import Account
from eth_account.messages import encode_defunct
from eth_account.signers.local import LocalAccount

from chains.clients.evm_wallets import WRAPPED, WalletQuestion, WalletWord
from chains.clients.registry import EVM
from chains.signatures import personal_digest
from localnet.nodes import DevChain, fresh_wallet

TEXT = "This wallet is mine."
GAS, SECONDS = 1_000_000, 8
YES_TO_EVERYTHING = "0x631626ba7e60e01b60005260206000f3"
NEVER_ENDS = "0x5b600056"


@dataclass(kw_only=True)
class Vault:
    """A wallet's contract, and the key that owns it."""

    node: DevChain
    address: str = field(default_factory=lambda: fresh_wallet().address)
    owner: LocalAccount = field(default_factory=fresh_wallet)
    factory: str = field(default_factory=lambda: fresh_wallet().address)

    def stand(self) -> None:
        """Put it onto the chain."""
        self.node.place("OwnedAccount", self.address)
        self.belong_to(self.owner.address)

    def belong_to(self, owner: str) -> None:
        """Give it to another key."""
        contract = self.node.contract("OwnedAccount", self.address)
        giver = self.node.web3.eth.accounts[0]
        self.node.await_receipt(contract.functions.setOwner(owner).transact({"from": giver}))

    def await_its_factory(self) -> None:
        """It is where its factory would make it, and was not made."""
        self.node.place("AccountFactory", self.factory)
        made_by = self.node.contract("AccountFactory", self.factory)
        self.address = made_by.functions.addressFor(self.owner.address).call()

    def signed(self, signer: LocalAccount | None = None, text: str = TEXT) -> bytes:
        """A key's signature under a text: unless said otherwise the owner's."""
        return bytes(Account.sign_message(encode_defunct(text=text), (signer or self.owner).key).signature)

    def wrapped(self, signature: bytes, owner: str = "") -> bytes:
        """The signature with what makes the wallet before it."""
        made_by = self.node.contract("AccountFactory", self.factory)
        call = bytes.fromhex(made_by.encode_abi("make", args=[owner or self.owner.address])[2:])
        return encode(["address", "bytes", "bytes"], [self.factory, call, signature]) + WRAPPED

    def word(self, signature: bytes, chain: str = "base", seconds: int = SECONDS) -> WalletWord:
        """What it says of a signature under the text, as the service asks."""
        return EVM.wallet_word(
            chain,
            WalletQuestion(
                wallet=self.address, digest=personal_digest(TEXT), signature=signature, gas=GAS, seconds=seconds
            ),
        )
