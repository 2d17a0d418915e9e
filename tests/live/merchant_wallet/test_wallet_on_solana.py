"""A Solana wallet only signs: the service keeps the bytes, sends them, and says paid when the chain does."""

import base64
from collections.abc import Callable
from dataclasses import dataclass, field

import pytest
from solders.instruction import AccountMeta, Instruction
from solders.keypair import Keypair
from solders.pubkey import Pubkey

from chains.instructions.programs import TOKEN_PROGRAM, token_account
from chains.models import Transfer, TransferAttempt
from chains.rails.merchant_wallet.facts import refused_of, unsigned_of
from chains.rails.merchant_wallet.wishes import (
    MayStillLand,
    TransactionChanged,
    offer_transfer,
    report_hint,
    state_unsigned,
    take_signed,
)
from chains.transfers import advance_transfer, withdraw_transfer
from localnet.solana.money import USDC
from localnet.solana.server import DevSolana, signed
from merchants.models import Merchant
from tests.live.merchant_wallet.desk import UNITS, ordered
from tests.live.solana_till import rewritten


@dataclass(kw_only=True)
class SolanaDesk:
    """One refund on Solana, and the wallet that is to send it."""

    node: DevSolana
    merchant: Merchant
    wallet: Keypair = field(default_factory=Keypair)
    payer: str = field(default_factory=lambda: str(Keypair().pubkey()))
    transfer: Transfer = field(init=False)

    def __post_init__(self) -> None:
        """Fill the wallet, and order the transfer."""
        self.endow(self.wallet)
        self.transfer = ordered(self.merchant, "solana", USDC, self.payer)

    def endow(self, wallet: Keypair) -> None:
        """Give a wallet SOL and 1,000 USDC."""
        self.node.fund(str(wallet.pubkey()))
        self.node.mint(USDC, str(wallet.pubkey()), 1_000_000_000)

    def offer(self, wallet: Keypair | None = None) -> str:
        """The wallet connects, and a worker makes what it is asked to sign."""
        offer_transfer(self.transfer.pk, str((wallet or self.wallet).pubkey()))
        assert self.work() == "signed", self.transfer.offer
        text: str = unsigned_of(self.transfer)["transaction_base64"]
        return text

    def work(self, times: int = 1) -> str:
        """Let workers come round; the status then."""
        for _ in range(times):
            Transfer.objects.filter(pk=self.transfer.pk).update(updated_at="2020-01-01T00:00:00Z")
            self.transfer = advance_transfer(self.transfer.pk)
        return self.transfer.status

    def finish(self) -> str:
        """Let all that landed become final, with workers at work; the status then."""
        self.work()
        self.node.finalize()
        return self.work(2)

    def refused(self) -> str:
        """Why what is there is not this refund."""
        found = refused_of(Transfer.objects.get(pk=self.transfer.pk))
        return "" if found is None else found.code.value

    def held(self) -> int:
        """What the payer holds on the chain."""
        return self.node.held(USDC, self.payer)


@pytest.fixture
def solana_desk(merchant: Merchant, solana_node: DevSolana, nodes: Callable[..., None]) -> SolanaDesk:
    """A refund of 25 USDC on Solana that waits for its merchant's wallet."""
    nodes("solana", solana_node.url)
    return SolanaDesk(node=solana_node, merchant=merchant)


def test_what_the_wallet_signed_is_kept_sent_and_proven(solana_desk: SolanaDesk) -> None:
    desk = solana_desk
    raw = signed(desk.wallet, desk.offer())
    take_signed(desk.transfer.pk, raw)
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
    take_signed(desk.transfer.pk, signed(desk.wallet, desk.offer()))
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

    with pytest.raises(TransactionChanged):
        take_signed(desk.transfer.pk, signed(desk.wallet, rewritten(shown, less)))
    with pytest.raises(TransactionChanged):
        take_signed(desk.transfer.pk, shown)
    with pytest.raises(TransactionChanged):
        take_signed(desk.transfer.pk, base64.b64encode(b"nonsense").decode())
    desk.node.send(desk.wallet, rewritten(shown, less))
    assert (desk.finish(), desk.refused(), desk.held()) == ("signed", "wrong_amount", UNITS // 2)


def test_another_sender_is_refused(solana_desk: SolanaDesk) -> None:
    desk, stranger = solana_desk, Keypair()
    desk.endow(stranger)
    shown = desk.offer()
    copied = rewritten(shown, lambda ones: [_by(one, desk.wallet, stranger) for one in ones], stranger)
    report_hint(desk.transfer.pk, desk.node.send(stranger, copied))
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
    report_hint(desk.transfer.pk, other.node.send(other.wallet, other.offer()))
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
