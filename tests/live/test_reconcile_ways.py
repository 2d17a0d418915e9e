"""``manage.py reconcile`` over every way in which money comes: bridges, swaps, and calls of several payments."""

from chains.registry import EVM_NATIVE_ADDRESS
from payments.models import Credit
from tests.live.buyer import Buyer
from tests.live.evm_till import Till
from tests.live.test_evm_pays import _call, _payment, _send_batch
from tests.live.test_reconcile import Books
from tests.live.till import read_chains

LOOKED_AT = "it was looked at, not credited"


def test_what_a_bridge_brings_agrees_by_its_order(buyer: Buyer) -> None:
    books = Books(buyer)
    buyer.issue_and_pay("25")
    assert buyer.arrive()["status"] == "settled"
    read_chains()
    assert books.named() == []
    fill = Credit.objects.get().tx_hash
    Credit.objects.all().delete()
    assert books.named() == [("missing", fill, str(buyer.held()), "0", LOOKED_AT)]


def test_what_a_swap_brings_agrees(swapper: Buyer) -> None:
    books = Books(swapper)
    tx_hash = swapper.pay(swapper.issue("25"))
    assert swapper.arrive()["status"] == "settled"
    assert books.named() == []
    Credit.objects.all().delete()
    assert books.named() == [("missing", tx_hash, str(swapper.held()), "0", LOOKED_AT)]


def test_two_payments_in_one_transaction_agree_by_their_sum(till: Till) -> None:
    till.issue("25")
    read_chains()
    books = Books(till)
    first = till.issue("25")
    other = Till(api=till.api, node=till.node, payer=till.payer, merchant=till.merchant)
    second = other.issue("10")
    tx_hash = _send_batch(till, [_call(attempt["transactions"][0]["request"]) for attempt in (second, first)])
    assert [till.finish()["status"], other.finish()["status"]] == ["settled", "settled"]
    assert books.named() == []
    Credit.objects.filter(intent_id=other.intent["id"]).delete()
    [(name, found, on_chain, in_books, _)] = books.named()
    assert (name, found, on_chain, in_books) == ("amount_differs", tx_hash, "35000000", "25000000")


def test_money_beside_the_marked_call_is_named(till: Till) -> None:
    till.issue("25")
    read_chains()
    books = Books(till)
    issued = _call(till.issue("25")["transactions"][0]["request"])
    tx_hash = _send_batch(till, [_payment(till, till.merchant, 7_000_000), issued])
    assert (till.finish()["status"], till.credited()) == ("settled", [25_000_000])
    [(name, found, on_chain, in_books, _)] = books.named()
    assert (name, found, on_chain, in_books) == ("amount_differs", tx_hash, "32000000", "25000000")


def test_coin_that_moves_inside_a_call_is_read_by_a_trace(till: Till) -> None:
    till.token, till.symbol = EVM_NATIVE_ADDRESS, "ETH"
    till.issue("25")
    read_chains()
    books = Books(till)
    tx_hash = _send_batch(till, [_call(till.issue("25")["transactions"][0]["request"])])
    assert (till.finish()["status"], till.credited()) == ("settled", [10**16])
    assert books.named() == []
    Credit.objects.all().delete()
    assert books.named() == [("missing", tx_hash, str(10**16), "0", LOOKED_AT)]
