"""One transfer on a chain belongs to one: who claims, fills, batches or hooks another's gets nothing for it."""

from dataclasses import asdict
from datetime import timedelta
from decimal import Decimal
from typing import Any
from uuid import uuid4

import pytest
from django.db import transaction
from eth_account import Account
from eth_account.messages import encode_typed_data
from solders.instruction import AccountMeta, Instruction
from solders.pubkey import Pubkey

from chains.calldata.eip3009 import Authorization
from chains.models import OwnerKind
from chains.owners import ChainEvent, take_event
from core.clock import now
from core.transitions import move
from localnet.lifi import Conduct, Lifi
from localnet.nodes import fresh_wallet
from merchants.models import Merchant
from payments.models import CountedElsewhere, Credit, IntentTransition, PaymentIntent
from payments.services.advance import sweep_due
from payments.services.follow import begin_execution
from payments.services.outcome import conclude
from payments.services.transition import locked_intent
from payments.services.underway import underway
from payments.states import LEG_MACHINE
from tests.conftest import ApiClient
from tests.factories.payments import credit
from tests.factories.queue import queue
from tests.invariants import violations
from tests.live.buyer import DEEP_ENOUGH, Buyer, asset
from tests.live.evm_till import Till
from tests.live.hooks import hooking
from tests.live.merchant_wallet.desk import Desk
from tests.live.solana_till import SolanaTill, instructions_of
from tests.live.till import LiveTill, read_chains
from tests.payments.world import read

UNITS = 25_000_000


def test_a_refund_from_the_own_wallet_pays_no_intent(till: Till, merchant: Merchant) -> None:
    """A owes B a refund, sends it from its own wallet to B's settlement address, and claims it for an intent of B."""
    attempt = till.issue("25")
    desk = Desk(node=till.node, merchant=merchant, wallet=till.payer, payer=till.merchant)
    before = till.held()
    tx_hash = desk.send(desk.offer())
    desk.tell(tx_hash)
    till.claims(attempt, tx_hash)
    intent = till.finish()
    assert (intent["status"], till.credited(), till.leg().error) == ("awaiting_signature", [], "tx_not_for_this_intent")
    assert (desk.finish(), till.held() - before) == ("paid", UNITS)
    assert "executing" not in till.told()


def test_a_merchant_that_pays_itself_paid_nothing(any_till: LiveTill) -> None:
    till = any_till
    till.merchant = till.wallet[1]
    held = till.held()
    till.issue_and_pay()
    status = till.finish()["status"]
    assert (till.credited(), till.held(), status in {"requires_payment", "awaiting_signature"}) == ([], held, True)
    assert "settled" not in till.told()


def _pay_with_hook(swapper: Buyer, attempt: dict[str, Any], calls: list[tuple[str, str]]) -> str:
    """Pay with a token that calls its holder when it moves (as ERC-777)."""
    node = swapper.node
    normal = node.rpc("eth_getCode", swapper.paid.address, "latest")
    node.rpc("anvil_setCode", swapper.paid.address, hooking(calls))
    tx_hash = swapper.source.send(swapper.payer, attempt["transactions"][0]["request"], gas=2_500_000)
    node.rpc("anvil_setCode", swapper.paid.address, normal)
    swapper.report(attempt, tx_hash)
    return tx_hash


def _unattributed(tx_hash: str) -> list[int]:
    rows = Credit.objects.filter(tx_hash=tx_hash, purpose="unattributed", intent=None)
    return list(rows.values_list("base_units", flat=True))


@pytest.mark.spec("Rulings C8.1")
def test_a_third_partys_money_inside_an_issued_call_is_nobodys(swapper: Buyer) -> None:
    """Somebody signed a transfer of 40 to the same merchant; the hook brings it inside the payer's own call."""
    node, usdc = swapper.node, asset("base", "USDC").address
    node.place("DollarToken", usdc)
    victim = fresh_wallet()
    node.mint(usdc, victim.address, 40_000_000)
    attempt = swapper.issue("25")
    signed = Authorization(
        chain_id=8453, token=usdc, holder=victim.address, recipient=swapper.merchant, base_units=40_000_000,
        valid_before=2**40, nonce="0x" + uuid4().hex * 2,
    )  # fmt: skip
    typed = signed.typed_data()
    numbers = {name: int(typed["message"][name]) for name in ("value", "validAfter", "validBefore")}
    message = encode_typed_data(full_message={**typed, "message": {**typed["message"], **numbers}})
    call = signed.calldata("0x" + bytes(Account.sign_message(message, victim.key).signature).hex())
    tx_hash = _pay_with_hook(swapper, attempt, [(usdc, call)])
    intent = swapper.arrive()
    node.place("TestToken", usdc)
    [credited] = swapper.credited()
    assert (intent["status"], 25_000_000 <= credited < 26_000_000) == ("settled", True)
    assert (swapper.held(), _unattributed(tx_hash)) == (credited + 40_000_000, [40_000_000])
    refused = swapper.api.post("/refunds", {"intent_id": swapper.intent["id"], "amount_usd": 65})
    assert (refused.status, refused.body["code"]) == (422, "refund_exceeds_balance")


def _order_of(victim: Buyer, amount: str) -> dict[str, Any]:
    """The victim deposits on Arbitrum; the order as a relayer fills it on Base."""
    victim.pays(asset("arbitrum", "USDC"), asset("base", "USDC"), 900_000_000)
    attempt = victim.issue(amount)
    tx_hash = victim.pay(attempt)
    victim.report(attempt, tx_hash)
    victim.sweep()
    victim.shop.relayer.work()
    delivery = victim.shop.relayer.of(tx_hash)
    assert delivery is not None
    deposit = delivery.deposit
    names = (
        "depositor", "recipient", "exclusiveRelayer", "inputToken", "outputToken", "inputAmount", "outputAmount",
        "depositId", "fillDeadline", "exclusivityDeadline", "message",
    )  # fmt: skip
    return {name: deposit[name] for name in names} | {"originChainId": 42161}


def _all_counts(shop: Lifi) -> None:
    """So many blocks that all of a bridge counts."""
    for chain in ("base", "arbitrum"):
        shop.nodes[chain].mine(DEEP_ENOUGH)


def test_a_fill_inside_an_issued_call_belongs_to_its_order(swapper: Buyer, monkeypatch: pytest.MonkeyPatch) -> None:
    """The hook of an attacker's own payment fills another payer's order, which Across gives back to the attacker."""
    swapper.shop.relayer.conduct = Conduct.HOLD
    node, usdc = swapper.node, asset("base", "USDC").address
    victim = Buyer(api=swapper.api, node=node, shop=swapper.shop, merchant=swapper.merchant)
    relay = _order_of(victim, "500")
    attempt = swapper.issue("25")
    pool = node.spoke_pool()
    approve = node.token(usdc).encode_abi("approve", args=[pool.address, 2**255])
    fill = pool.encode_abi("fillRelay", args=[relay, 42161, int(swapper.payer.address, 16).to_bytes(32)])
    node.mint(usdc, swapper.paid.address, int(relay["outputAmount"]))
    tx_hash = _pay_with_hook(swapper, attempt, [(usdc, approve), (pool.address, fill)])
    # Why: the attacker's look must come first, however slowly this runs, and whoever finds the fill.
    queue(now() + timedelta(days=1), pk=victim.intent["id"])
    with monkeypatch.context() as nobody_reads:
        nobody_reads.setattr("tests.live.till.sweep_chains", lambda: 0)
        swapper.sweep()
        mine = swapper.arrive()
    assert _unattributed(tx_hash) == [int(relay["outputAmount"])]
    _all_counts(swapper.shop)
    theirs = victim.sweep(3)
    assert (mine["status"], len(swapper.credited())) == ("settled", 1)
    assert (theirs["status"], victim.credited()) == ("settled", [int(relay["outputAmount"])])
    assert _unattributed(tx_hash) == []
    assert PaymentIntent.objects.get(pk=swapper.intent["id"]).overpaid_usd == Decimal(0)


@pytest.mark.parametrize("first", ["thief", "victim"])
def test_the_fill_of_anothers_order_is_claimed_by_nobody(live_api: ApiClient, lifi: Lifi, first: str) -> None:
    """A fills V's order himself (Across repays him) and claims that transfer, which fits to the unit, as his own."""
    lifi.relayer.conduct = Conduct.HOLD
    node, usdc = lifi.nodes["base"], asset("base", "USDC").address
    victim = Buyer(api=live_api, node=node, shop=lifi)
    relay = _order_of(victim, "25")
    thief = Buyer(api=live_api, node=node, shop=lifi, merchant=victim.merchant)
    thief.pays(asset("base", "USDC"), asset("base", "USDC"), 30_000_000)
    t_attempt = thief.issue("25")
    pool = node.spoke_pool()
    node.approve(thief.payer, usdc, pool.address, 2**255)
    fill = pool.encode_abi("fillRelay", args=[relay, 42161, int(thief.payer.address, 16).to_bytes(32)])
    tx_hash = node.send(thief.payer, {"to": pool.address, "value": "0x0", "data": fill}, gas=500_000)
    if first == "thief":
        thief.claims(t_attempt, tx_hash)
        thief.sweep()
    _all_counts(lifi)
    if first == "victim":
        victim.sweep(4)
        thief.claims(t_attempt, tx_hash)
    mine, theirs = thief.sweep(3), victim.sweep(4)
    assert (mine["status"], thief.credited()) == ("awaiting_signature", [])
    assert (theirs["status"], victim.credited(), victim.held()) == ("settled", [UNITS], UNITS)
    assert thief.leg().error == "tx_not_for_this_intent"


@pytest.fixture
def other(till: Till) -> Till:
    return Till(api=till.api, node=till.node, merchant=till.merchant, payer=till.stranger())


def _log_of(till: Till, tx_hash: str) -> ChainEvent:
    """The one transfer of a transaction, as it is named for ever."""
    return ChainEvent(network="localnet", chain="base", tx_hash=tx_hash, kind="log", position="+0")


def _settled_by(other: Till, event: ChainEvent, mark: str) -> None:
    """An intent that counts a transfer which is not its own, as before marks were asked first."""
    leg, intent = other.leg(), PaymentIntent.objects.get(pk=other.intent["id"])
    with transaction.atomic():
        locked = locked_intent(intent.pk)
        facts = {"leg": leg, "mark": mark, "final_at": now(), "block_time": now(), **asdict(event)}
        credit(locked, UNITS, **facts)
        move(LEG_MACHINE, leg, "submit", {"submitted_at": now(), "tx_hash": event.tx_hash})
        move(LEG_MACHINE, leg, "confirm", {"confirmed_at": now()})
        way = underway(locked)
        begin_execution(locked, way, way.leg(leg.pk))
        conclude(locked, way)
    assert take_event(event, OwnerKind.CREDIT)
    assert read(other.api, other.intent)["status"] == "settled"


@pytest.mark.parametrize("again", [1, 3])
def test_a_mark_takes_a_transfer_from_a_claim_and_the_loser_is_told(till: Till, other: Till, again: int) -> None:
    attempt = till.issue("25")
    asked = other.issue("25")
    tx_hash = till.pay(attempt)
    _settled_by(other, _log_of(till, tx_hash), "claim")
    assert (till.finish()["status"], till.sweep(again)["status"]) == ("settled", "settled")
    assert (till.credited(), other.credited(), till.held()) == ([UNITS], [], UNITS)
    body = other.sweep(again)
    assert (body["status"], other.leg().status, other.leg().error) == ("requires_payment", "failed", "tx_already_used")
    assert body["last_error"]["code"] == "counted_elsewhere"
    assert other.told()[-2:] == ["payment_counted_elsewhere", "settlement_reversed"]
    assert other.told().count("payment_counted_elsewhere") == 1
    [loss] = CountedElsewhere.objects.filter(intent_id=other.intent["id"])
    assert (loss.tx_hash, loss.base_units, loss.told_at is not None) == (tx_hash, UNITS, True)
    steps = IntentTransition.objects.filter(subject_id=other.intent["id"]).values_list("trigger", "reason")
    assert ("reverse", "counted for another payment") in steps
    assert "payment_counted_elsewhere" not in till.told()
    other.report(asked, other.pay(asked))
    assert (other.finish()["status"], other.credited(), till.held()) == ("settled", [UNITS], 2 * UNITS)
    assert [one for one in violations() if "I7" not in one] == []


def test_a_mark_takes_nothing_from_another_mark(till: Till, other: Till) -> None:
    """What counts by a mark stays; the one who comes later is told, once, and can still pay."""
    attempt = till.issue("25")
    other.issue("25")
    tx_hash = till.pay(attempt)
    _settled_by(other, _log_of(till, tx_hash), "tag")
    till.finish()
    assert till.sweep(2)["status"] == "awaiting_signature"
    assert (till.credited(), till.leg().status, till.leg().tx_hash) == ([], "awaiting_signature", "")
    assert till.told().count("payment_counted_elsewhere") == 1
    assert (read(other.api, other.intent)["status"], other.credited()) == ("settled", [UNITS])


@pytest.mark.spec("Rulings A2.3")
def test_what_proves_a_transfer_out_is_no_payment(till: Till) -> None:
    attempt = till.issue("25")
    tx_hash = till.pay(attempt)
    assert take_event(_log_of(till, tx_hash), OwnerKind.PROOF)
    till.report(attempt, tx_hash)
    till.finish()
    assert (till.sweep(2)["status"], till.credited(), till.leg().error) == ("awaiting_signature", [], "tx_already_used")
    assert till.told().count("payment_counted_elsewhere") == 1


@pytest.mark.spec("Rulings A2.3")
def test_what_was_credited_proves_no_transfer_out(till: Till, merchant: Merchant) -> None:
    desk = Desk(node=till.node, merchant=merchant)
    tx_hash = desk.send(desk.offer())
    assert take_event(_log_of(till, tx_hash), OwnerKind.CREDIT)
    desk.tell(tx_hash)
    assert (desk.finish(), desk.refused(), desk.proof()) == ("mined", "already_used", None)


def _told_once(till: SolanaTill, signature: str) -> None:
    [loss] = CountedElsewhere.objects.filter(intent_id=till.intent["id"])
    assert (loss.tx_hash, loss.base_units, loss.told_at is not None) == (signature, UNITS, True)
    assert till.told().count("payment_counted_elsewhere") == 1


def _looked_at(*tills: SolanaTill) -> None:
    """Let readers come round, and then a worker look at these payments one after the other.

    Why the order is written down: a reader wakes all payments whose marks it finds, and a worker takes first what has
    been in the queue for longest.
    """
    for till in tills:
        till.end_pauses()
    read_chains()
    for place, till in enumerate(reversed(tills), start=1):
        queue(now() - timedelta(seconds=place), pk=till.intent["id"])
    sweep_due()


@pytest.mark.parametrize("is_younger_first", [False, True], ids=["in order", "the younger first"])
def test_of_two_intents_paid_in_one_transaction_the_older_counts(
    solana_till: SolanaTill, is_younger_first: bool
) -> None:
    """Whoever is looked at first. Looked at first the younger is under way until the older one has the money."""
    one = solana_till
    other = SolanaTill(api=one.api, node=one.node, payer=one.payer, merchant=one.merchant)
    first, second = one.issue("25"), other.issue("25")

    def both(instructions: list[Instruction]) -> list[Instruction]:
        return instructions + instructions_of(other.unsigned(second))[-1:]

    sent = one.send(first, both)
    other.report(second, sent)
    if not is_younger_first:
        one.report(first, sent)
    _looked_at(*((other, one) if is_younger_first else (one, other)))
    assert ("executing" in other.told()) == is_younger_first
    one.node.finalize()
    assert (one.sweep(4)["status"], one.credited()) == ("settled", [UNITS])
    body, leg = other.sweep(4), other.leg()
    ended = ("requires_payment", "failed") if is_younger_first else ("awaiting_signature", "awaiting_signature")
    assert (body["status"], leg.status, leg.error) == (*ended, "tx_already_used")
    assert (other.credited(), one.held()) == ([], 2 * UNITS)
    _told_once(other, sent)


@pytest.mark.parametrize("is_other_first", [False, True], ids=["its own first", "the other first"])
def test_one_transfer_with_anothers_reference_closes_nothing(solana_till: SolanaTill, is_other_first: bool) -> None:
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
    _looked_at(*((other, one) if is_other_first else (one, other)))
    assert one.finish()["status"] == "settled"
    other.node.finalize()
    ended = ("requires_payment", "failed") if is_other_first else ("awaiting_signature", "awaiting_signature")
    assert (other.sweep(2)["status"], other.leg().status) == ended
    _told_once(other, marked)
    other.report(second, other.send(second))
    other.node.finalize()
    assert (other.sweep(3)["status"], other.credited(), one.held()) == ("settled", [UNITS], 2 * UNITS)
    _told_once(other, marked)
