"""A Solana wallet only signs: the service keeps the bytes, sends them, and says paid when the chain does."""

import base64
from collections.abc import Callable
from dataclasses import dataclass, field

import pytest
from solders.instruction import AccountMeta, Instruction
from solders.keypair import Keypair
from solders.pubkey import Pubkey

from chains.instructions.programs import TOKEN_PROGRAM, token_account
from chains.models import TransferAttempt
from chains.rails.merchant_wallet.commands import (
    MayStillLand,
    TransactionChanged,
    offer_transfer,
    state_unsigned,
    take_signed,
)
from chains.rails.merchant_wallet.facts import unsigned_of
from chains.transfers import withdraw_transfer
from localnet.solana.money import USDC
from localnet.solana.server import DevSolana, signed
from merchants.models import Merchant
from tests.live.merchant_wallet.desk import UNITS, AnyDesk
from tests.live.solana_till import rewritten


@dataclass(kw_only=True)
class SolanaDesk(AnyDesk):
    node: DevSolana
    chain: str = "solana"
    token: str = USDC
    wallet: Keypair = field(default_factory=Keypair)
    payer: str = field(default_factory=lambda: str(Keypair().pubkey()))

    def endow(self, wallet: Keypair) -> None:
        self.node.fund(str(wallet.pubkey()))
        self.node.mint(USDC, str(wallet.pubkey()), 1_000_000_000)

    def pass_time(self) -> None:
        self.node.finalize()

    def held(self) -> int:
        return self.node.held(USDC, self.payer)

    def offer(self) -> str:
        text: str = self.shown_to(str(self.wallet.pubkey()))["transaction_base64"]
        return text

    def signs(self) -> str:
        """The wallet signs what it is asked to; what it hands over."""
        raw = signed(self.wallet, self.offer())
        take_signed(self.transfer.pk, raw)
        return raw


@pytest.fixture
def solana_desk(merchant: Merchant, solana_node: DevSolana, nodes: Callable[..., None]) -> SolanaDesk:
    """A refund of 25 USDC on Solana that waits for its merchant's wallet."""
    nodes("solana", solana_node.url)
    return SolanaDesk(node=solana_node, merchant=merchant)


def test_what_the_wallet_signed_is_kept_sent_and_proven(solana_desk: SolanaDesk) -> None:
    desk = solana_desk
    raw = desk.signs()
    take_signed(desk.transfer.pk, raw)
    attempt = TransferAttempt.objects.get(transfer=desk.transfer)
    assert (attempt.raw, attempt.first_broadcast_at, desk.held()) == (raw, None, 0)
    desk.work()
    assert desk.finish() == "paid"
    proof = desk.transfer.proof
    assert (proof.tx_hash, proof.kind, proof.base_units) == (attempt.tx_hash, "account", UNITS)
    assert (desk.transfer.tx_hash, desk.held()) == (attempt.tx_hash, UNITS)


def test_a_lost_transaction_is_sent_again(solana_desk: SolanaDesk) -> None:
    desk = solana_desk
    desk.signs()
    desk.node.drop_next()
    assert (desk.work(), desk.held()) == ("broadcast", 0)
    desk.work()
    assert (desk.finish(), desk.held()) == ("paid", UNITS)


def test_what_the_wallet_changed_is_not_taken(solana_desk: SolanaDesk) -> None:
    desk = solana_desk
    shown = desk.offer()
    half = (UNITS // 2).to_bytes(8, "little")

    def less(instructions: list[Instruction]) -> list[Instruction]:
        last = instructions[-1]
        return [*instructions[:-1], Instruction(last.program_id, last.data[:1] + half + last.data[9:], last.accounts)]

    for text in (signed(desk.wallet, rewritten(shown, less)), shown, base64.b64encode(b"nonsense").decode()):
        with pytest.raises(TransactionChanged):
            take_signed(desk.transfer.pk, text)
    desk.node.send(desk.wallet, rewritten(shown, less))
    assert (desk.finish(), desk.refused(), desk.held()) == ("signed", "wrong_amount", UNITS // 2)


def test_another_sender_is_refused(solana_desk: SolanaDesk) -> None:
    desk, stranger = solana_desk, Keypair()
    desk.endow(stranger)
    shown = desk.offer()
    copied = rewritten(shown, lambda ones: [_by(one, desk.wallet, stranger) for one in ones], stranger)
    desk.tell(desk.node.send(stranger, copied))
    assert (desk.finish(), desk.refused(), desk.held()) == ("signed", "another_sender", UNITS)


def _by(one: Instruction, owner: Keypair, other: Keypair) -> Instruction:
    """The same instruction, paid for by another wallet."""
    [before, after] = [(str(keys.pubkey()), _account(keys)) for keys in (owner, other)]
    swapped = dict(zip(before, after, strict=True))
    keys = [Pubkey.from_string(swapped.get(str(meta.pubkey), str(meta.pubkey))) for meta in one.accounts]
    accounts = [
        AccountMeta(key, meta.is_signer, meta.is_writable) for key, meta in zip(keys, one.accounts, strict=True)
    ]
    return Instruction(one.program_id, one.data, accounts)


def _account(keys: Keypair) -> str:
    return token_account(str(keys.pubkey()), USDC, TOKEN_PROGRAM)


def test_somebody_elses_transaction_is_refused(solana_desk: SolanaDesk) -> None:
    desk = solana_desk
    other = SolanaDesk(node=desk.node, merchant=desk.merchant, payer=desk.payer)
    desk.offer()
    desk.tell(other.node.send(other.wallet, other.offer()))
    assert (desk.finish(), desk.refused(), desk.held()) == ("signed", "another_transaction", UNITS)
    assert other.finish() == "paid"


def test_what_was_not_signed_in_time_is_over_by_itself(solana_desk: SolanaDesk) -> None:
    """No word is needed: after its blockhash no block can hold it."""
    desk = solana_desk
    shown = desk.offer()
    with pytest.raises(MayStillLand):
        state_unsigned(desk.transfer.pk, actor="user:1")
    assert not withdraw_transfer(desk.transfer.pk, actor="user:1")
    desk.node.advance(400)
    assert (desk.work(), desk.refused()) == ("new", "expired")
    desk.work()
    assert desk.offer() != shown
    take_signed(desk.transfer.pk, signed(desk.wallet, unsigned_of(desk.transfer)["transaction_base64"]))
    desk.work()
    assert (desk.finish(), desk.held()) == ("paid", UNITS)


def test_a_wallet_that_cannot_pay_is_told_before_it_is_asked(solana_desk: SolanaDesk) -> None:
    poor = Keypair()
    solana_desk.node.fund(str(poor.pubkey()))
    offer_transfer(solana_desk.transfer.pk, str(poor.pubkey()))
    assert (solana_desk.work(), solana_desk.refused()) == ("new", "would_fail")
