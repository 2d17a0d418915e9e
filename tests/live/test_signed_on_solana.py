"""A wallet that only signs: what it signed is checked to the byte, stored, and sent by a worker until it has landed."""

from dataclasses import dataclass

import pytest

from localnet.solana.money import USDC
from localnet.solana.server import signed
from tests.conftest import Reply
from tests.live.solana_till import SolanaTill
from tests.payments.payer import Payer

TARGET = 25_000_000
NO_SIGNATURE = "1" * 88


@dataclass
class Signer:
    """A payer on Solana who was asked to sign the exact transfer of one intent."""

    till: SolanaTill
    page: Payer
    attempt_id: str
    issued: str

    @classmethod
    def of(cls, till: SolanaTill) -> "Signer":
        """He pressed pay."""
        attempt = till.issue("25")
        assert till.page is not None
        return cls(till, till.page, attempt["id"], till.unsigned(attempt))

    def signed(self) -> str:
        """What a wallet makes of it."""
        return signed(self.till.payer, self.issued)

    def tell(self, signed_transaction: str) -> Reply:
        """Report what was signed, as the page does."""
        body = {"attempt_id": self.attempt_id, "leg_sequence": 1, "tx_hash": NO_SIGNATURE}
        return self.page.send("POST", "/submitted", body | {"signed_transaction": signed_transaction})


@pytest.fixture
def signer(solana_till: SolanaTill) -> Signer:
    """One such payer."""
    return Signer.of(solana_till)


@pytest.mark.spec("Rulings C2.1")
def test_what_a_wallet_only_signed_is_sent_and_settles(signer: Signer) -> None:
    till = signer.till
    reply = signer.tell(signer.signed())
    assert (reply.status, reply.body["status"], till.held()) == (202, "executing", 0)
    assert (till.sweep()["status"], till.held()) == ("executing", TARGET)
    till.node.finalize()
    assert till.sweep()["status"] == "settled"
    assert till.node.rpc("getSignatureStatuses", [till.leg().tx_hash])["value"][0]["err"] is None


def test_the_same_bytes_are_sent_again_until_they_land(signer: Signer) -> None:
    till, text = signer.till, signer.signed()
    till.node.drop_next()
    assert [signer.tell(text).status, signer.tell(text).status] == [202, 202]
    till.sweep()
    assert (till.held(), till.leg().status) == (0, "submitted")
    till.sweep()
    assert till.held() == TARGET
    till.node.finalize()
    assert till.sweep()["amount_received"] == "25.00"


@pytest.mark.spec("Rulings C14.2")
def test_what_can_land_no_more_lets_the_payer_try_again(signer: Signer) -> None:
    till = signer.till
    till.node.drop_next(3)
    signer.tell(signer.signed())
    till.sweep()
    assert signer.page.send("POST", "/quote", {"chain": "solana", "token_address": USDC}).status == 409
    till.node.advance(400)
    assert till.sweep()["status"] == "requires_payment"
    till.node.drop_next(0)
    assert (till.leg().status, till.leg().error, till.held()) == ("failed", "replaced", 0)


def altered(one: Signer, other: Signer) -> dict[str, str]:
    """Signed texts that are not this payer's own transaction, as it was given, by name."""
    own = one.signed()
    return {
        "another payment of another payer": other.signed(),
        "unsigned": one.issued,
        "a flipped byte": own[:-8] + ("B" if own[-8] != "B" else "C") + own[-7:],
        "cut short": own[: len(own) // 8 * 4],
        "something behind it": own.rstrip("=") + "AAAA",
        "no transaction": "AAAA",
    }


@pytest.mark.spec("Rulings C14.1")
def test_only_the_issued_message_is_taken(signer: Signer) -> None:
    till = SolanaTill(api=signer.till.api, node=signer.till.node)
    till.endow()
    for name, text in altered(signer, Signer.of(till)).items():
        reply = signer.tell(text)
        assert (name, reply.status, reply.body["code"]) == (name, 409, "transaction_altered")
    for text in ("", "not base64!", "A" * 1645):
        reply = signer.tell(text)
        assert (text, reply.status, reply.body["code"]) == (text, 400, "invalid_request")
    leg = signer.till.leg()
    assert (leg.status, leg.signed_transaction, leg.tx_hash) == ("awaiting_signature", "", "")
    assert signer.till.sweep()["status"] == "awaiting_signature"
    assert signer.tell(signer.signed()).status == 202


def test_what_was_given_up_is_not_sent_any_more(signer: Signer) -> None:
    signer.page.act("rejected", {"attempt_id": signer.attempt_id, "reason": "abandoned"})
    reply = signer.tell(signer.signed())
    assert (reply.status, reply.body["code"]) == (409, "transaction_not_awaited")
    signer.till.sweep()
    assert (signer.till.held(), signer.till.leg().signed_transaction) == (0, "")
