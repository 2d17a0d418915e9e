"""Readers find every payment on Solana in the merchants' accounts, whoever reports it or not, as often as it comes."""

import logging
from collections.abc import Callable, Iterator
from datetime import timedelta
from importlib import import_module
from types import SimpleNamespace
from uuid import uuid4

import pytest
from django.apps import apps
from django.db import connection
from solders.instruction import AccountMeta, Instruction
from solders.keypair import Keypair
from solders.pubkey import Pubkey

from chains.instructions.programs import TOKEN_PROGRAM, token_account
from chains.instructions.transactions import ExactTransfer, reference_of, transfer_instructions, unsigned_transaction
from chains.models import ChainReader, WatchedAddress
from chains.reader import solana
from chains.registry import SOLANA_NATIVE_ADDRESS
from core.clock import now
from core.money import BaseUnits
from localnet.solana.money import USDC
from localnet.solana.server import running
from payments.models import Leg, MarkedTransaction, PaymentIntent
from payments.services import reading
from payments.services.advance import sweep_due
from tests.conftest import ApiClient
from tests.factories.queue import is_due as is_queued
from tests.live.proxy import lying, proxied
from tests.live.solana_till import SolanaTill
from tests.live.test_solana_forged import cut_to
from tests.live.till import read_chains

Nodes = Callable[..., None]
LISTS, OPENS = "getSignaturesForAddress", "getTransaction"


def is_due(till: SolanaTill) -> bool:
    return is_queued(till.intent["id"])


def account() -> WatchedAddress:
    return WatchedAddress.objects.get(chain="solana")


def one_round() -> None:
    """As ``read_chains``, once, however long it takes."""
    reading.add_readers()
    ChainReader.objects.update(next_attempt_at=now(), final_at=None)
    reader = reading._claim()
    assert reader is not None
    reading._read_safely(reader)


@pytest.fixture
def own_till(live_api: ApiClient, nodes: Nodes, prices: None) -> Iterator[SolanaTill]:
    """A payer on a network of one test's own. Why: what very many transactions landed on is slow for the next test."""
    with running(ticking=False, seed=b"readers") as node:
        nodes("solana", node.url)
        made = SolanaTill(api=live_api, node=node)
        made.endow()
        yield made


@pytest.mark.parametrize("coin", [False, True], ids=["token", "coin"])
def test_an_open_payment_asks_the_nodes_nothing_and_is_found_all_the_same(
    solana_till: SolanaTill, nodes: Nodes, coin: bool
) -> None:
    till = solana_till
    if coin:
        till.token, till.symbol = SOLANA_NATIVE_ADDRESS, "SOL"
    attempt = till.issue("25")
    till.sweep()
    with proxied(till.node.url) as proxy:
        nodes("solana", proxy.url)
        assert not is_due(till)
        sweep_due()
        assert proxy.heard == []
    nodes("solana", till.node.url)
    signature = till.pay(attempt)
    till.node.advance()
    read_chains()
    assert is_due(till)
    assert till.finish()["status"] == "settled"
    [row] = MarkedTransaction.objects.all()
    assert (row.tx_hash, row.lane, row.gone_at, row.final_at is None) == (signature, "accounts", None, False)


def test_a_round_asks_as_much_for_many_open_payments_as_for_one(solana_till: SolanaTill, nodes: Nodes) -> None:
    till, asked = solana_till, []
    with proxied(till.node.url) as proxy:
        for _ in range(2):
            for _ in range(3):
                till.issue("25")
            till.sweep()
            nodes("solana", proxy.url)
            read_chains()  # asks which chain it is
            proxy.heard.clear()
            read_chains()
            asked.append(sorted(proxy.heard))
            nodes("solana", till.node.url)
    assert asked[0] == asked[1]
    assert asked[0].count(LISTS) <= 4


def test_a_wallet_that_composes_its_own_transfer_with_the_reference_is_found(solana_till: SolanaTill) -> None:
    """No memo, no opened account, and a blockhash of its own, as Solana Pay has it."""
    till = solana_till
    till.node.mint(USDC, till.merchant, 1)
    attempt = till.issue("25")
    till.node.advance(5)
    signature = till.send(attempt, lambda asked: asked[-1:])
    assert signature != till.leg().tx_hash
    assert (till.finish()["status"], till.credited(), till.leg().tx_hash) == ("settled", [25_000_000], signature)


def test_a_second_payment_under_a_mark_is_counted_as_surplus(solana_till: SolanaTill) -> None:
    till = solana_till
    attempt = till.issue("25")
    till.report(attempt, till.pay(attempt))
    assert till.finish()["status"] == "settled"
    # The same bytes land once; what pays again says one word more.
    till.send(attempt, lambda asked: [asked[-2], *asked[-2:]])
    till.finish()
    body = till.end()
    assert (till.credited(), till.held()) == ([25_000_000, 25_000_000], 50_000_000)
    assert (body["status"], body["amount_received"], body["overpaid_usd"]) == ("settled", "50.00", "25.00")
    assert till.told()[-2:] == ["settled", "overpaid"]


def test_the_rest_of_a_short_payment_is_counted(solana_till: SolanaTill) -> None:
    till = solana_till
    attempt = till.issue("25")
    till.send(attempt, cut_to(10_000_000))
    assert till.finish()["status"] == "partially_filled"
    till.send(attempt, cut_to(15_000_000))
    assert (till.finish()["status"], till.credited()) == ("settled", [10_000_000, 15_000_000])


def dust(till: SolanaTill, count: int) -> None:
    """So many transfers of one unit to the merchant by a stranger, each in a slot of its own and with a mark of its."""
    spammer = till.stranger(units=count)
    for _ in range(count):
        till.node.send(spammer, transfer_by(till, spammer, str(uuid4())))


def transfer_by(till: SolanaTill, wallet: Keypair, *tags: str, merchant: str = "") -> str:
    """A transfer of one unit to a merchant with the reference of each of these tags, to be signed."""
    payer = str(wallet.pubkey())
    exact = ExactTransfer(
        payer=payer,
        recipient=merchant or till.merchant,
        token_address=USDC,
        base_units=BaseUnits(1),
        tag=tags[0],
        decimals=6,
    )
    *before, one = transfer_instructions(exact)
    marks = [AccountMeta(Pubkey.from_string(reference_of(tag)), is_signer=False, is_writable=False) for tag in tags[1:]]
    blockhash = till.node.rpc("getLatestBlockhash", {"commitment": "confirmed"})["value"]["blockhash"]
    whole = [*before, Instruction(one.program_id, one.data, [*one.accounts, *marks])]
    return unsigned_transaction(payer, whole, blockhash)


@pytest.mark.parametrize("takes_one", [False, True], ids=["several at once", "one by one"])
def test_eleven_hundred_transfers_of_dust_hide_no_payment(own_till: SolanaTill, nodes: Nodes, takes_one: bool) -> None:
    """In the merchant's account, and more than a node lists at once: the payment is the oldest of them."""
    till = own_till
    till.pay(till.issue("25"))
    dust(till, 1_100)
    with proxied(till.node.url) as proxy:
        proxy.takes_one = takes_one
        nodes("solana", proxy.url)
        for turn in range(3):
            proxy.heard.clear()
            one_round()
            assert (turn, proxy.heard.count(OPENS)) == (turn, [400, 400, 301][turn])
        [row] = MarkedTransaction.objects.all()
        assert (row.intent_id, account().cursor.get("before")) == (till.leg().intent_id, None)
        proxy.heard.clear()
        till.node.finalize()
        assert (till.sweep(3)["status"], till.credited()) == ("settled", [25_000_000])
        assert till.held() == 25_001_100
        # What was opened when it was new is listed once more, and not opened; the rest are looks at the leg.
        assert proxy.heard.count(OPENS) <= 4
    row.refresh_from_db()
    assert row.final_at is not None


def test_an_hour_behind_is_read_in_bounded_bites_and_said(
    own_till: SolanaTill, nodes: Nodes, monkeypatch: pytest.MonkeyPatch
) -> None:
    till = own_till
    attempt = till.issue("25")
    read_chains()
    for name, most in (("PAGE", 10), ("MOST_PAGES", 3), ("MOST_FINAL_PAGES", 3), ("MOST_OPENED", 12)):
        monkeypatch.setattr(solana, name, most)
    begun = account().read_to
    till.pay(attempt)
    dust(till, 60)
    till.node.advance(9_000)  # an hour of Solana
    with proxied(till.node.url) as proxy:
        nodes("solana", proxy.url)
        rounds = 0
        while account().read_to == begun:
            proxy.heard.clear()
            one_round()
            rounds += 1
            assert (proxy.heard.count(OPENS) <= 12, proxy.heard.count(LISTS) <= 6) == (True, True)
            reader = ChainReader.objects.get(chain="solana")
            assert (reader.read_to == begun) is (account().read_to == begun)
        assert rounds == 6  # 61 transactions, 12 in each
        assert reader.head == reader.read_to
        [row] = MarkedTransaction.objects.all()
        assert (row.final_at, {"final_before", "final_head"} <= account().cursor.keys()) == (None, True)
        one_round()
        one_round()
        row.refresh_from_db()
        assert (row.final_at is None, account().final_to) == (False, till.node.rpc("getSlot"))
        assert account().cursor.keys() == {"until"}
    assert (till.sweep(2)["status"], till.credited()) == ("settled", [25_000_000])


def test_what_one_node_hid_another_one_shows_when_it_is_final(
    solana_till: SolanaTill, nodes: Nodes, caplog: pytest.LogCaptureFixture
) -> None:
    till = solana_till
    with proxied(till.node.url) as hides:
        nodes("solana", hides.url, till.node.url)
        attempt = till.issue("25")
        till.pay(attempt)
        till.node.advance()
        hides.bend = lying(LISTS, lambda _: [])
        till.sweep()
        assert (till.credited(), MarkedTransaction.objects.count()) == ([], 0)
        till.node.finalize()
        assert (till.end()["status"], till.credited()) == ("settled", [25_000_000])


@pytest.mark.parametrize("again", [False, True], ids=["another transaction", "the same one"])
def test_what_a_fork_drops_is_taken_back_when_its_slot_is_final(
    solana_till: SolanaTill, caplog: pytest.LogCaptureFixture, again: bool
) -> None:
    till = solana_till
    attempt = till.issue("25")
    signature = till.pay(attempt)
    till.node.advance()
    till.sweep()
    [row] = MarkedTransaction.objects.all()
    assert (row.gone_at, till.credited()) == (None, [25_000_000])
    till.node.roll_back(signature)
    if again:
        till.node.advance(10)
        assert till.pay(attempt) == signature
    till.node.advance(25)
    with caplog.at_level(logging.ERROR, logger="causeway.payments"):
        till.node.advance(10)
        read_chains()
        row.refresh_from_db()
    assert (row.gone_at is not None, till.sweep()["status"]) == (not again, "settled" if again else "executing")
    assert [line for line in caplog.messages if line.startswith("reading_differs")] == (
        [] if again else [f"reading_differs: {signature} of solana is in no final block"]
    )
    if not again:
        assert till.credited() == []
        till.send(attempt, lambda asked: [*asked[:-1], *asked[-2:]])
    assert (till.finish()["status"], till.credited(), till.held()) == ("settled", [25_000_000], 25_000_000)


def test_that_a_payment_is_nowhere_is_never_a_readers_word_alone(solana_till: SolanaTill, nodes: Nodes) -> None:
    """Its node hides the merchant's account; before the payer may pay again, the reference is searched for."""
    till = solana_till
    attempt = till.issue("25")
    till.sweep()
    with proxied(till.node.url) as proxy:
        proxy.hides_of = frozenset({token_account(till.merchant, USDC, TOKEN_PROGRAM)})
        nodes("solana", proxy.url)
        till.pay(attempt)
        till.report(attempt, str(Keypair().sign_message(b"never sent")))
        till.node.finalize()
        assert (till.sweep()["status"], till.credited(), MarkedTransaction.objects.count()) == (
            "awaiting_signature",
            [],
            0,
        )
        till.node.advance(150)
        assert (till.sweep(2)["status"], till.credited()) == ("settled", [25_000_000])


def test_a_mark_in_somebody_elses_account_is_nothing(solana_till: SolanaTill) -> None:
    """A stranger names the payer's reference in a payment to another merchant."""
    till = solana_till
    till.issue("25")
    other = SolanaTill(api=till.api, node=till.node)
    other.endow()
    others = other.issue("25")
    till.sweep()
    stranger = till.stranger()
    tags = (str(other.leg().pk), str(till.leg().pk))
    till.node.send(stranger, transfer_by(till, stranger, *tags, merchant=other.merchant))
    other.pay(others)
    assert other.finish()["status"] == "settled"
    assert (till.sweep()["status"], till.credited()) == ("awaiting_signature", [])
    assert set(MarkedTransaction.objects.values_list("intent_id", flat=True)) == {other.leg().intent_id}


def test_what_was_handed_out_before_the_readers_is_found(solana_till: SolanaTill, nodes: Nodes) -> None:
    till = solana_till
    attempt = till.issue("25")
    reference = till.leg().issued["reference"]
    Leg.objects.update(mark="")
    WatchedAddress.objects.all().delete()
    ChainReader.objects.all().delete()
    migration = import_module("payments.migrations.0010_references_of_legs_in_flight")
    migration.mark(apps, SimpleNamespace(connection=connection))
    assert till.leg().mark == reference
    awaited = account().awaited_until
    assert awaited == PaymentIntent.objects.get(pk=till.intent["id"]).expires_at + timedelta(hours=24)
    till.pay(attempt)
    till.node.advance(40)
    read_chains()
    assert MarkedTransaction.objects.count() == 1
    assert (till.finish()["status"], till.credited()) == ("settled", [25_000_000])


def test_an_address_in_coin_is_read_while_a_payment_is_awaited_and_at_no_other_time(
    solana_till: SolanaTill, nodes: Nodes
) -> None:
    till = solana_till
    till.token, till.symbol = SOLANA_NATIVE_ADDRESS, "SOL"
    till.issue("25")
    read_chains()
    assert account().read_to is not None
    WatchedAddress.objects.update(awaited_until=now())
    with proxied(till.node.url) as proxy:
        nodes("solana", proxy.url)
        read_chains()
        assert LISTS not in proxy.heard
    assert (account().read_to, account().final_to, account().cursor) == (None, None, {})
    nodes("solana", till.node.url)
    till.pay(till.issue("25"))
    assert till.finish()["status"] == "settled"


def test_where_nothing_is_awaited_an_account_is_read_now_and_then(solana_till: SolanaTill, nodes: Nodes) -> None:
    till = solana_till
    till.issue("25")
    read_chains()
    WatchedAddress.objects.update(awaited_until=now())
    till.node.finalize()
    read_chains()
    with proxied(till.node.url) as proxy:
        nodes("solana", proxy.url)
        read_chains()
        assert LISTS not in proxy.heard
        WatchedAddress.objects.update(read_at=now() - timedelta(seconds=61))
        read_chains()
        assert LISTS in proxy.heard


def test_a_strangers_copies_of_the_mark_cost_the_payer_nothing(solana_till: SolanaTill) -> None:
    """Fifty transfers of one unit to the merchant, with the payer's reference."""
    till = solana_till
    attempt = till.issue("25")
    copier = till.stranger(units=50)
    for _ in range(50):
        till.node.send(copier, transfer_by(till, copier, str(uuid4()), str(till.leg().pk)))
    till.sweep(3)
    till.report(attempt, till.pay(attempt))
    till.finish()
    assert till.end()["status"] == "settled"
    assert till.sweep(2)["status"] == "settled"
    assert sorted(till.credited()) == [1] * 50 + [25_000_000]
