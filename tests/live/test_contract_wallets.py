"""Wallets that are contracts say what they signed themselves (EIP-1271, EIP-6492), however odd their code is."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from eth_abi.abi import encode

from chains.clients.evm_wallets import WRAPPED, WalletWord
from chains.clients.registry import EVM
from localnet.nodes import DevChain, fresh_wallet
from tests.live.proxy import Proxy, lying, proxied
from tests.live.vault import GAS, SECONDS, Vault

pytestmark = pytest.mark.django_db
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


def test_after_the_time_that_the_caller_gives_nobody_is_asked_again(
    vault: Vault, other: Proxy, nodes: Callable[..., None]
) -> None:
    nodes("base", other.url)
    assert vault.word(vault.signed()) is YES
    other.refuses["eth_getCode"] = "no response from upstream"
    asked = [other.heard.count("eth_getCode")]
    for seconds in (SECONDS, 0):
        assert vault.word(vault.signed(), seconds=seconds) is UNSAID
        asked.append(other.heard.count("eth_getCode"))
    assert (asked[1] - asked[0], asked[2] - asked[1]) == (3, 1)
