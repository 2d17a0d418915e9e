"""A signed authorization (EIP-3009): the token pays each refund at most once, whatever an older database knows."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import pytest
import time_machine
from eth_account import Account
from eth_account.messages import encode_typed_data
from eth_utils.crypto import keccak

from chains.models import Transfer
from chains.rails.merchant_wallet.commands import (
    MayStillLand,
    ShownToAnotherWallet,
    offer_transfer,
    state_unsigned,
    take_authorization,
)
from chains.rails.merchant_wallet.facts import authorization_of, unsigned_of
from chains.transfers import withdraw_transfer
from core.clock import now
from core.errors import InvalidRequest
from localnet.addresses import NATIVE
from localnet.nodes import fresh_wallet, running
from merchants.models import Merchant
from tests.live.backup import Backup
from tests.live.evm_till import BASE_USDC
from tests.live.merchant_wallet.desk import UNITS, Desk, Request


@dataclass(frozen=True, kw_only=True)
class Vault:
    """A contract that holds a desk's money."""

    desk: Desk
    address: str

    def belongs_to(self, owner: str) -> None:
        """Whose signatures it takes for its own from now on."""
        call = self.desk.node.contract("OwnedAccount", self.address).encode_abi("setOwner", args=[owner])
        self.desk.send({"to": self.address, "value": "0x0", "data": call})

    def shown(self) -> dict[str, Any]:
        found: dict[str, Any] = self.desk.shown_to(self.address)["typed_data"]
        return found


@pytest.fixture
def dollars(desk: Desk) -> Iterator[Desk]:
    """The same desk, where USDC is as Circle made it."""
    desk.node.place("DollarToken", BASE_USDC)
    yield desk
    desk.node.place("TestToken", BASE_USDC)


@pytest.fixture
def timeless(merchant: Merchant, nodes: Callable[..., None]) -> Iterator[Desk]:
    """Such a desk over a node of its own, whose time may be moved: that of the others belongs to all tests."""
    with running(8453) as node:
        node.place("DollarToken", BASE_USDC)
        nodes("base", node.url)
        yield Desk(node=node, merchant=merchant)


def shown(desk: Desk) -> dict[str, Any]:
    assert desk.offer() == {}
    found: dict[str, Any] = unsigned_of(desk.transfer)["typed_data"]
    return found


def sign(desk: Desk, typed: dict[str, Any], key: Any = None) -> str:
    message = {**typed["message"], **{name: int(typed["message"][name]) for name in _NUMBERS}}
    signable = encode_typed_data(full_message={**typed, "message": message})
    signed = Account.sign_message(signable, (key or desk.wallet).key)
    return f"0x{bytes(signed.signature).hex()}"


_NUMBERS = ("value", "validAfter", "validBefore")


def completed(desk: Desk, typed: dict[str, Any], key: Any = None) -> Request:
    """The call that uses what was signed, made by a worker."""
    take_authorization(desk.transfer.pk, sign(desk, typed, key))
    desk.work()
    request: Request = unsigned_of(desk.transfer)["request"]
    return request


def test_a_signed_authorization_pays(dollars: Desk) -> None:
    """No word is asked for, since the token knows, and what is no signature is not taken."""
    typed = shown(dollars)
    nonce = "0x" + keccak(dollars.transfer.pk.bytes).hex()
    assert typed["message"]["nonce"] == nonce
    assert (typed["message"]["to"], typed["message"]["value"]) == (dollars.payer, str(UNITS))
    with pytest.raises(MayStillLand):
        state_unsigned(dollars.transfer.pk, actor="user:1")
    assert not withdraw_transfer(dollars.transfer.pk, actor="user:1")
    for text in ("", "0x", "0x" + "ab" * 64, "0x" + "zz" * 65):
        with pytest.raises(InvalidRequest):
            take_authorization(dollars.transfer.pk, text)
    tx_hash = dollars.send(completed(dollars, typed))
    assert dollars.finish() == "paid"
    proof = dollars.proof()
    assert proof is not None
    assert (proof.tx_hash, proof.kind, proof.position, dollars.held()) == (tx_hash, "log", "+1", UNITS)


@pytest.mark.spec("Rulings D5.1")
def test_the_token_takes_it_once(dollars: Desk) -> None:
    """Whoever brings it, the wallet has paid."""
    request = completed(dollars, shown(dollars))
    tx_hash = dollars.send(request, dollars.stranger())
    second = dollars.send(request)
    dollars.tell(second)
    assert dollars.node.web3.eth.get_transaction_receipt(second)["status"] == 0  # type: ignore[arg-type]  # a hash
    assert (dollars.finish(), dollars.transfer.tx_hash, dollars.held()) == ("paid", tx_hash, UNITS)


def test_an_authorization_for_another_recipient_is_refused(dollars: Desk) -> None:
    typed = shown(dollars)
    changed = {**typed, "message": {**typed["message"], "to": fresh_wallet().address}}
    honest = completed(dollars, typed)
    signature = bytes.fromhex(sign(dollars, changed)[2:])
    words = bytes.fromhex(honest["data"][2:])
    forged = words[: 4 + 6 * 32] + signature[-1].to_bytes(32) + signature[:64]
    recipient = bytes.fromhex(changed["message"]["to"][2:]).rjust(32, b"\0")
    forged = forged[: 4 + 32] + recipient + forged[4 + 64 :]
    dollars.tell(dollars.send({**honest, "data": "0x" + forged.hex()}))
    assert (dollars.finish(), dollars.refused(), dollars.held()) == ("signed", "another_transaction", 0)


@pytest.fixture
def vault(dollars: Desk) -> Vault:
    """A wallet that is a contract; the desk's own key signs for it (EIP-1271)."""
    address = fresh_wallet().address
    dollars.node.place("OwnedAccount", address)
    vault = Vault(desk=dollars, address=address)
    vault.belongs_to(dollars.wallet.address)
    dollars.node.mint(BASE_USDC, address, 1_000_000_000)
    return vault


def test_what_a_contract_wallet_signed_is_an_authorization(vault: Vault) -> None:
    """The token asks the wallet itself; so nothing else may be offered beside it."""
    desk = vault.desk
    take_authorization(desk.transfer.pk, sign(desk, vault.shown()))
    desk.work()
    request = unsigned_of(desk.transfer)["request"]
    assert request["data"].startswith("0xcf092995")
    assert authorization_of(desk.transfer)["nonce"] == "0x" + keccak(desk.transfer.pk.bytes).hex()
    with pytest.raises(MayStillLand):
        state_unsigned(desk.transfer.pk, actor="user:1")
    tx_hash = desk.send(request, desk.stranger())
    assert (desk.finish(), desk.transfer.tx_hash, desk.held()) == ("paid", tx_hash, UNITS)


def test_nothing_else_is_offered_while_a_signature_may_yet_be_taken(vault: Vault) -> None:
    """The wallet does not call it its own now, but may do so at any moment while the authorization lasts."""
    desk, later = vault.desk, fresh_wallet()
    signature = sign(desk, vault.shown(), later)
    take_authorization(desk.transfer.pk, signature)
    assert (desk.work(2), desk.refused()) == ("signed", "signature_not_taken")
    assert "request" not in unsigned_of(desk.transfer)
    with pytest.raises(MayStillLand):
        state_unsigned(desk.transfer.pk, actor="user:1")
    with pytest.raises(ShownToAnotherWallet):
        offer_transfer(desk.transfer.pk, desk.wallet.address)
    vault.belongs_to(later.address)
    assert (desk.work(), desk.refused()) == ("signed", "")
    desk.send(unsigned_of(desk.transfer)["request"], desk.wallet)
    assert (desk.finish(), desk.held()) == ("paid", UNITS)


def test_a_signature_may_be_of_any_length(vault: Vault) -> None:
    """Wallets with several owners sign with several keys: what the token takes is the token's to say."""
    desk = vault.desk
    take_authorization(desk.transfer.pk, sign(desk, vault.shown()) + "00" * 65)
    assert (desk.work(), desk.refused()) == ("signed", "signature_not_taken")
    take_authorization(desk.transfer.pk, sign(desk, unsigned_of(desk.transfer)["typed_data"]))
    assert (desk.work(), desk.refused()) == ("signed", "")
    assert unsigned_of(desk.transfer)["request"]["data"].startswith("0xcf092995")


@contextmanager
def after_its_end(desk: Desk) -> Iterator[Callable[[], None]]:
    """The authorization's time is over; what lets the chain have final blocks of so late."""
    late = now() + timedelta(minutes=31)

    def go_on() -> None:
        desk.node.rpc("evm_setNextBlockTimestamp", int(late.timestamp()))
        desk.node.mine(80)
        assert (desk.work(), desk.refused()) == ("new", "expired")

    with time_machine.travel(late):
        yield go_on


def test_a_wallet_whose_signature_is_never_taken_is_given_a_plain_transfer_afterwards(timeless: Desk) -> None:
    """Only once the authorization has ended for good: then nothing of it can land beside the transfer."""
    take_authorization(timeless.transfer.pk, sign(timeless, shown(timeless), fresh_wallet()))
    with after_its_end(timeless) as go_on:
        assert (timeless.work(), timeless.refused()) == ("signed", "signature_not_taken")
        go_on()
        request = timeless.offer()
        assert request["data"].startswith("0xa9059cbb")
        assert authorization_of(timeless.transfer) == {}
        timeless.send(request)
        assert (timeless.finish(), timeless.held()) == ("paid", UNITS)


def test_an_end_does_not_take_authorizations_from_a_wallet_that_signs_them(timeless: Desk) -> None:
    completed(timeless, shown(timeless))
    with after_its_end(timeless) as go_on:
        go_on()
        assert shown(timeless)["primaryType"] == "TransferWithAuthorization"


def test_it_ends_by_itself_when_its_time_is_over_for_good(timeless: Desk) -> None:
    request = completed(timeless, shown(timeless))
    with after_its_end(timeless) as go_on:
        assert timeless.work() == "signed", "no final block is so late yet"
        go_on()
        assert Transfer.objects.get(pk=timeless.transfer.pk).hint == ""
        failed = timeless.send(request)
        assert timeless.node.web3.eth.get_transaction_receipt(failed)["status"] == 0  # type: ignore[arg-type]  # a hash
        assert timeless.offer(timeless.stranger()) == {}


def connected_again(desk: Desk) -> str:
    offer_transfer(desk.transfer.pk, desk.wallet.address)
    desk.work(3)
    return desk.finish()


@pytest.mark.parametrize("token", [BASE_USDC, NATIVE])
def test_what_the_wallet_sent_is_found_and_not_offered_again(desk: Desk, token: str) -> None:
    made = desk.another(token=token)
    backup = Backup(made.transfer)
    tx_hash = made.send(made.offer())
    made.tell(tx_hash)
    assert (made.finish(), made.held()) == ("paid", UNITS)
    backup.restore()
    assert (connected_again(made), made.transfer.tx_hash, made.held()) == ("paid", tx_hash, UNITS)
    assert made.transfer.offer.get("unsigned", {}) == {}


def test_a_used_authorization_is_found(dollars: Desk) -> None:
    backup = Backup(dollars.transfer)
    tx_hash = dollars.send(completed(dollars, shown(dollars)))
    assert dollars.finish() == "paid"
    backup.restore()
    assert (connected_again(dollars), dollars.transfer.tx_hash, dollars.held()) == ("paid", tx_hash, UNITS)


def test_a_wallet_that_sent_nothing_is_offered_it(desk: Desk) -> None:
    backup = Backup(desk.transfer)
    desk.offer()
    backup.restore()
    desk.send(desk.offer())
    assert (desk.finish(), desk.held()) == ("paid", UNITS)
