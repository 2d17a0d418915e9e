"""One transaction on Solana with the marks of two intents counts for one, and the other one says so."""

from solders.instruction import AccountMeta, Instruction
from solders.keypair import Keypair
from solders.pubkey import Pubkey

from payments.models import CountedElsewhere
from tests.live.solana_till import SolanaTill, instructions_of

UNITS = 25_000_000


def _told_once(till: SolanaTill, signature: str) -> None:
    [loss] = CountedElsewhere.objects.filter(intent_id=till.intent["id"])
    assert (loss.tx_hash, loss.base_units, loss.told_at is not None) == (signature, UNITS, True)
    assert till.told().count("payment_counted_elsewhere") == 1


def test_two_intents_paid_in_one_transaction(solana_till: SolanaTill) -> None:
    one = solana_till
    other = SolanaTill(api=one.api, node=one.node, payer=one.payer, merchant=one.merchant)
    first, second = one.issue("25"), other.issue("25")

    def both(instructions: list[Instruction]) -> list[Instruction]:
        return instructions + instructions_of(other.unsigned(second))[-1:]

    sent = one.send(first, both)
    one.report(first, sent)
    other.report(second, sent)
    one.finish()
    other.finish()
    assert (one.sweep(2)["status"], one.credited()) == ("settled", [UNITS])
    body = other.sweep(2)
    assert (body["status"], other.credited(), one.held()) == ("requires_payment", [], 2 * UNITS)
    assert (other.leg().status, other.leg().error) == ("failed", "tx_already_used")
    _told_once(other, sent)


def test_one_transfer_with_anothers_reference_closes_nothing(solana_till: SolanaTill) -> None:
    """A payer adds the reference of another intent; that one's own payer then pays, and is seen."""
    one = solana_till
    other = SolanaTill(api=one.api, node=one.node, merchant=one.merchant)
    other.endow()
    first, second = one.issue("25"), other.issue("25")
    reference = Pubkey.from_string(other.leg().issued["reference"])

    def with_other(instructions: list[Instruction]) -> list[Instruction]:
        last = instructions[-1]
        accounts = [*last.accounts, AccountMeta(reference, is_signer=False, is_writable=False)]
        return [*instructions[:-1], Instruction(last.program_id, bytes(last.data), accounts)]

    marked = one.send(first, with_other)
    one.report(first, marked)
    assert one.finish()["status"] == "settled"
    other.sweep()
    other.node.finalize()
    assert (other.sweep(2)["status"], other.leg().status) == ("awaiting_signature", "awaiting_signature")
    _told_once(other, marked)
    other.report(second, other.send(second))
    other.node.finalize()
    assert (other.sweep(3)["status"], other.credited(), one.held()) == ("settled", [UNITS], 2 * UNITS)
    _told_once(other, marked)


def test_the_older_one_is_paid_whoever_is_looked_at_first(solana_till: SolanaTill) -> None:
    older = solana_till
    younger = SolanaTill(api=older.api, node=older.node, payer=older.payer, merchant=older.merchant)
    first, second = older.issue("25"), younger.issue("25")

    def both(instructions: list[Instruction]) -> list[Instruction]:
        return instructions + instructions_of(younger.unsigned(second))[-1:]

    sent = older.send(first, both)
    younger.report(second, sent)
    younger.sweep()
    older.sweep()
    older.node.finalize()
    assert (older.sweep(3)["status"], older.credited()) == ("settled", [UNITS])
    assert (younger.sweep(3)["status"], younger.credited()) == ("requires_payment", [])
    _told_once(younger, sent)


def test_a_merchant_that_pays_itself_paid_nothing(solana_till: SolanaTill) -> None:
    solana_till.payer = Keypair()
    solana_till.merchant = str(solana_till.payer.pubkey())
    solana_till.endow(UNITS)
    attempt = solana_till.issue("25")
    solana_till.report(attempt, solana_till.send(attempt))
    solana_till.finish()
    assert (solana_till.sweep(2)["status"] == "settled", solana_till.credited()) == (False, [])
