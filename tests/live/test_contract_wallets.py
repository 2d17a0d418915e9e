"""Wallets that are contracts say what they signed themselves (EIP-1271, EIP-6492), however odd their code is."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest
from eth_abi.abi import encode
from eth_account import Account
from eth_account.messages import encode_defunct
from eth_account.signers.local import LocalAccount

from chains.clients.evm_wallets import WRAPPED, WalletQuestion, WalletWord
from chains.clients.registry import EVM
from chains.signatures import personal_digest
from localnet.nodes import DevChain, fresh_wallet
from tests.live.proxy import Proxy, lying, proxied

pytestmark = pytest.mark.django_db
TEXT = "This wallet is mine."
GAS, SECONDS = 1_000_000, 8
YES, NO, UNSAID = WalletWord.YES, WalletWord.NO, WalletWord.UNSAID
VALID = "0x1626ba7e" + "00" * 28
ODD: dict[str, tuple[str, WalletWord]] = {
    "reverts": ("60006000fd", NO),
    "is no code that runs": ("fe", UNSAID),
    "answers nothing": ("60006000f3", NO),
    "answers true": ("600160005260206000f3", NO),
    "answers the right bytes in the wrong place": ("631626ba7e60005260206000f3", NO),
    "answers the four bytes alone": ("631626ba7e60e01b60005260046000f3", NO),
    "answers more than was asked": ("631626ba7e60e01b60005260406000f3", NO),
    "says yes to everything": ("631626ba7e60e01b60005260206000f3", YES),
    "never ends": ("5b600056", UNSAID),
}
"""What stands at the wallet's address, and what that comes to."""


@dataclass(kw_only=True)
class Vault:
    """A wallet's contract on Base, and the key that owns it."""

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

    def signed(self, signer: LocalAccount | None = None) -> bytes:
        """A key's signature under the text: unless said otherwise the owner's."""
        return bytes(Account.sign_message(encode_defunct(text=TEXT), (signer or self.owner).key).signature)

    def wrapped(self, signature: bytes, owner: str = "") -> bytes:
        """The signature with what makes the wallet before it."""
        made_by = self.node.contract("AccountFactory", self.factory)
        call = bytes.fromhex(made_by.encode_abi("make", args=[owner or self.owner.address])[2:])
        return encode(["address", "bytes", "bytes"], [self.factory, call, signature]) + WRAPPED

    def word(self, signature: bytes, chain: str = "base") -> WalletWord:
        """What it says of a signature under the text, as the service asks."""
        return EVM.wallet_word(
            chain,
            WalletQuestion(
                wallet=self.address, digest=personal_digest(TEXT), signature=signature, gas=GAS, seconds=SECONDS
            ),
        )


@pytest.fixture
def vault(base_node: DevChain, nodes: Callable[..., None]) -> Vault:
    nodes("base", base_node.url)
    made = Vault(node=base_node)
    made.stand()
    return made


@pytest.fixture
def unmade(base_node: DevChain, nodes: Callable[..., None]) -> Vault:
    nodes("base", base_node.url)
    made = Vault(node=base_node)
    made.await_its_factory()
    return made


def test_a_contract_says_what_its_owner_signed(vault: Vault) -> None:
    assert (vault.word(vault.signed()), vault.word(vault.signed(fresh_wallet()))) == (YES, NO)
    vault.belong_to(fresh_wallet().address)
    assert vault.word(vault.signed()) is NO


def test_where_no_contract_stands_nothing_is_said_yes_to(vault: Vault) -> None:
    vault.address = fresh_wallet().address
    assert vault.word(vault.signed()) is NO


@pytest.mark.parametrize("name", ODD)
def test_an_odd_contract_says_yes_by_nothing_but_the_word_for_it(vault: Vault, name: str) -> None:
    code, word = ODD[name]
    vault.node.rpc("anvil_setCode", vault.address, "0x" + code)
    assert (name, vault.word(vault.signed())) == (name, word)
    assert EVM.head("base") > 0


def test_a_wallet_that_is_not_made_yet_is_asked_as_its_factory_would_make_it(unmade: Vault) -> None:
    signature = unmade.wrapped(unmade.signed())
    assert (unmade.word(signature), unmade.word(unmade.signed())) == (YES, NO)
    assert unmade.word(unmade.wrapped(unmade.signed(fresh_wallet()))) is NO
    assert bytes(unmade.node.web3.eth.get_code(unmade.address)) == b""  # type: ignore[arg-type]  # an address


def test_what_is_made_for_another_owner_stands_elsewhere(unmade: Vault) -> None:
    """The address is the owner's: who makes a wallet of his own with the factory does not get this one."""
    thief = fresh_wallet()
    assert unmade.word(unmade.wrapped(unmade.signed(thief), owner=thief.address)) is NO


def test_a_wallet_that_stands_is_asked_as_it_is_whatever_the_wrapping_would_do_first(vault: Vault) -> None:
    """Its contract lets anybody name its owner. A signature must not do so on the way to the question."""
    thief = fresh_wallet()
    take_over = bytes.fromhex(
        vault.node.contract("OwnedAccount", vault.address).encode_abi("setOwner", args=[thief.address])[2:]
    )
    stolen = encode(["address", "bytes", "bytes"], [vault.address, take_over, vault.signed(thief)]) + WRAPPED
    honest = encode(["address", "bytes", "bytes"], [vault.address, take_over, vault.signed()]) + WRAPPED
    assert (vault.word(stolen), vault.word(honest)) == (NO, YES)


@pytest.mark.parametrize("inside", [b"", b"\xff" * 32, b"\xff" * 96, encode(["address"], ["0x" + "11" * 20])])
def test_a_wrapping_of_nonsense_is_no_signature(unmade: Vault, inside: bytes) -> None:
    assert unmade.word(inside + WRAPPED) is NO


def test_a_factory_that_never_ends_leaves_it_open(unmade: Vault) -> None:
    unmade.node.rpc("anvil_setCode", unmade.factory, "0x5b600056")
    assert unmade.word(unmade.wrapped(unmade.signed())) in {NO, UNSAID}


@pytest.fixture
def other(base_node: DevChain, impatient: None) -> Iterator[Proxy]:
    """A second way to Base's node, honest until it is told to lie or to fail."""
    with proxied(base_node.url) as made:
        yield made


@pytest.mark.parametrize("is_first", [True, False])
def test_both_nodes_must_say_the_same(vault: Vault, other: Proxy, nodes: Callable[..., None], is_first: bool) -> None:
    urls = [other.url, vault.node.url] if is_first else [vault.node.url, other.url]
    nodes("base", *urls)
    forged = vault.signed(fresh_wallet())
    assert (vault.word(vault.signed()), vault.word(forged)) == (YES, NO)
    other.bend = lying("eth_call", lambda _: VALID)
    assert (vault.word(vault.signed()), vault.word(forged)) == (YES, UNSAID)
    other.bend = lying("eth_call", lambda _: "0x")
    assert (vault.word(vault.signed()), vault.word(forged)) == (UNSAID, NO)
    other.bend, other.fault = None, "error"
    assert (vault.word(vault.signed()), vault.word(forged)) == (UNSAID, UNSAID)


def test_where_no_node_answers_nothing_is_said(vault: Vault, other: Proxy, nodes: Callable[..., None]) -> None:
    nodes("base", other.url)
    for fault in ("500", "garbage", "hang-up"):
        other.fault = fault
        assert (fault, vault.word(vault.signed())) == (fault, UNSAID)
    assert vault.word(vault.signed(), chain="polygon") is UNSAID


def test_the_call_may_use_what_the_caller_gives_and_no_more(
    vault: Vault, other: Proxy, nodes: Callable[..., None]
) -> None:
    nodes("base", other.url)
    seen: list[Any] = []
    original = other.answer

    def note(body: dict[str, Any]) -> Any:
        seen.extend(body["params"][0].get("gas") for _ in [0] if body["method"] == "eth_call")
        return original(body)

    other.answer = note  # type: ignore[method-assign]  # a look at what is asked
    assert vault.word(vault.signed()) is YES
    assert seen == [hex(GAS)]
