"""Wrong arrivals: counted twice, counted for nothing, for another's, on another network, or by two owners."""

from uuid import uuid4

from chains.models import SimulatedTransaction, Transfer
from core.clock import now
from payments.models import Credit, Leg
from tests.factories.money_out import paid_refund, paid_transfer
from tests.invariants_plants.ground import (
    Ground,
    change,
    copy_of,
    dollars,
    fresh_hash,
    only_credit,
    prove,
    shown_of,
    transfer_of,
)

DOUBLED = {"received_usd": 50, "overpaid_usd": 25, "net_settlement_usd": 50}


def a_credit_twice_the_sums_stay(ground: Ground) -> list[str]:
    first = copy_of(only_credit(ground.settled), position="999")
    pk = ground.settled.pk
    return [
        f"I3 intent {pk} says it received {dollars('25')}, its credits 50000000 micros",
        f"I3 transaction {first.tx_hash} of the simulated chain moved money once, and was credited 2 times",
    ]


def a_credit_twice_the_sums_follow(ground: Ground) -> list[str]:
    first = copy_of(only_credit(ground.settled), position="999")
    change(ground.settled, **DOUBLED)
    return [
        f"I3 transaction {first.tx_hash} of the simulated chain moved money once, and was credited 2 times",
        f"I5 intent {ground.settled.pk} was overpaid by {dollars('25')} USD, and nobody was told",
    ]


def a_credit_of_nothing_the_sums_follow(ground: Ground) -> list[str]:
    credit = copy_of(only_credit(ground.settled), tx_hash=fresh_hash())
    change(ground.settled, **DOUBLED)
    return [
        f"I3 credit {credit.pk} counts what the simulated chain does not show",
        f"I5 intent {ground.settled.pk} was overpaid by {dollars('25')} USD, and nobody was told",
    ]


def a_credit_of_more_than_moved(ground: Ground) -> list[str]:
    credit = only_credit(ground.settled)
    change(SimulatedTransaction.objects.filter(tx_hash=credit.tx_hash), base_units=1)
    return [f"I3 credit {credit.pk} counts what the simulated chain does not show"]


def a_reversed_credit_still_counts(ground: Ground) -> list[str]:
    change(only_credit(ground.settled), reversed_at=now())
    pk = ground.settled.pk
    return [
        f"I3 intent {pk} says it received {dollars('25')}, its credits 0 micros",
        f"I14 intent {pk} is settled with 0 of 25000000",
    ]


def settled_without_a_credit(ground: Ground) -> list[str]:
    credit = only_credit(ground.settled)
    Credit.objects.filter(pk=credit.pk).delete()
    pk = ground.settled.pk
    return [
        f"I3 intent {pk} says it received {dollars('25')}, its credits 0 micros",
        f"I14 intent {pk} is settled with 0 of 25000000",
        f"I20 leg {credit.leg_id} is confirmed, and nothing was credited by it",
    ]


def play_money_from_a_real_chain(ground: Ground) -> list[str]:
    credit = only_credit(ground.settled)
    change(credit, network="mainnet")
    return [f"I9 credit {credit.pk} of test mode came on the network mainnet"]


def live_money_from_the_simulated_chain(ground: Ground) -> list[str]:
    credit = only_credit(ground.live)
    change(credit, network="simulated")
    return [f"I9 credit {credit.pk} of live mode came on the network simulated"]


def a_leg_of_another_merchant(ground: Ground) -> list[str]:
    leg = Leg.objects.get(intent=ground.settled)
    change(leg, merchant=ground.other.merchant)
    return [
        f"I9/I10 Credit {only_credit(ground.settled).pk} and its leg have two owners",
        f"I9/I10 Leg {leg.pk} and its attempt have two owners",
        f"I9/I10 Leg {leg.pk} and its intent have two owners",
    ]


def a_credit_of_another_merchant(ground: Ground) -> list[str]:
    credit = only_credit(ground.settled)
    change(credit, merchant=ground.other.merchant)
    return [
        f"I9/I10 Credit {credit.pk} and its intent have two owners",
        f"I9/I10 Credit {credit.pk} and its leg have two owners",
    ]


def a_credit_of_another_mode(ground: Ground) -> list[str]:
    credit = only_credit(ground.settled)
    change(credit, mode="live")
    return [
        f"I9 credit {credit.pk} of live mode came on the network simulated",
        f"I9/I10 Credit {credit.pk} and its intent have two owners",
        f"I9/I10 Credit {credit.pk} and its leg have two owners",
    ]


def a_credit_by_another_intents_leg(ground: Ground) -> list[str]:
    credit, leg = only_credit(ground.settled), Leg.objects.get(intent=ground.kept)
    change(credit, leg=leg)
    return [
        f"I20 credit {credit.pk} of intent {ground.settled.pk} came by leg {leg.pk} of another",
        f"I20 leg {credit.leg_id} is confirmed, and nothing was credited by it",
    ]


def a_leg_confirmed_by_nothing_of_its_own(ground: Ground) -> list[str]:
    """A second leg is confirmed by what came for the first."""
    leg = Leg.objects.get(intent=ground.settled)
    leg.pk, leg.sequence = uuid4(), 2
    leg.save(force_insert=True)
    return [f"I20 leg {leg.pk} is confirmed, and nothing was credited by it"]


def a_settlement_of_no_intent(ground: Ground) -> list[str]:
    credit = copy_of(only_credit(ground.live), tx_hash=fresh_hash(), intent=None, leg=None)
    return [f"I20 credit {credit.pk} counts as a settlement, and of no intent"]


def a_refunds_own_transfer_counts_as_a_payment(ground: Ground) -> list[str]:
    sent = transfer_of(ground.live_refund).get()
    credit = copy_of(
        only_credit(ground.live),
        tx_hash=sent.tx_hash,
        kind=sent.proof.kind,
        position=sent.proof.position,
        purpose="stray",
    )
    return [f"I20 transfer {sent.pk} was paid by what counts as credit {credit.pk}"]


def the_same_in_capitals(ground: Ground) -> list[str]:
    sent = _by_signer(ground)
    facts = {"recipient": sent.recipient, "base_units": sent.base_units, "purpose": "stray"}
    credit = copy_of(only_credit(ground.live), tx_hash=sent.tx_hash.lower(), **facts)
    change(transfer_of(ground.live_refund), tx_hash=sent.tx_hash.upper().replace("0X", "0x"))
    change(ground.live_refund, tx_hash=sent.tx_hash.upper().replace("0X", "0x"))
    return [f"I20 transfer {sent.pk} was paid by what counts as credit {credit.pk}"]


def one_transaction_pays_two_refunds(ground: Ground) -> list[str]:
    sent = _by_signer(ground)
    second = paid_refund(ground.live, amount_usd=dollars("1"), base_units=1_000_000, rail="evm")
    shown_of(second).delete()
    transfer_of(second).get().attempts.all().delete()
    facts = {"rail": "evm", "network": sent.network, "tx_hash": sent.tx_hash}
    change(transfer_of(second), **facts)
    change(second, tx_hash=sent.tx_hash)
    change(ground.live, refunded_usd=dollars("11"))
    return [f"I20 transaction {sent.tx_hash} on {sent.chain} paid 2 transfers"]


def _by_signer(ground: Ground) -> Transfer:
    sent = transfer_of(ground.live_refund)
    sent.get().proof.delete()
    change(sent, rail="evm")
    change(ground.live_refund, rail="evm")
    found: Transfer = sent.get()
    return found


def a_wallets_transfer_without_proof(ground: Ground) -> list[str]:
    sent = transfer_of(ground.live_refund).get()
    sent.proof.delete()
    return [f"I20 transfer {sent.pk} by the merchant's wallet is paid, and nothing proves it"]


def a_wallets_transfer_proven_by_less(ground: Ground) -> list[str]:
    sent = transfer_of(ground.live_refund).get()
    sent.proof.delete()
    prove(sent, base_units=1)
    shown = ("localnet", sent.chain, sent.tx_hash, 1)
    return [f"I20 transfer {sent.pk} is proven by something else: {shown}"]


def a_wallets_transfer_proven_elsewhere(ground: Ground) -> list[str]:
    sent = transfer_of(ground.live_refund).get()
    sent.proof.delete()
    prove(sent, network="mainnet")
    shown = ("mainnet", sent.chain, sent.tx_hash, 10_000_000)
    return [f"I20 transfer {sent.pk} is proven by something else: {shown}"]


def a_transfer_to_its_own_sender(ground: Ground) -> list[str]:
    sent = transfer_of(ground.live_refund)
    there = sent.get().recipient
    change(sent, sender=there)
    return [f"I20 transfer {sent.get().pk} goes from {there} to itself"]


def a_payment_from_its_own_recipient(ground: Ground) -> list[str]:
    credit = only_credit(ground.live)
    change(credit, sender=credit.recipient)
    return [f"I20 credit {credit.pk} came from {credit.recipient}, which is where it went"]


def a_transfer_for_an_unknown_purpose(ground: Ground) -> list[str]:
    strange = paid_transfer("sweep", ground.payout)
    return [f"I20 transfer {strange.pk} is for 'sweep', which nobody knows"]


def a_transfer_for_a_refund_that_is_none(ground: Ground) -> list[str]:
    strange = paid_transfer("refund", ground.payout)
    return [f"I10 transfer {strange.pk} is for refund {ground.payout.pk}, which does not exist"]
