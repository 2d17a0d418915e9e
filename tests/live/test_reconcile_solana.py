"""``manage.py reconcile --chain solana``: the books against what mentions the accounts."""

import json
from collections.abc import Callable
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from chains.models import ChainReader
from chains.registry import SOLANA_NATIVE_ADDRESS
from localnet.solana.money import ONE_SOL
from payments.models import Credit, MarkedTransaction
from tests.live.proxy import proxied
from tests.live.solana_till import SolanaTill
from tests.live.test_solana_forged import cut_to
from tests.live.till import read_chains

Named = list[tuple[str, str, str, str]]


class Books:
    """Slots in which one payer paid, and what the command says of them."""

    def __init__(self, till: SolanaTill) -> None:
        self.till, self.first = till, till.node.head()

    def compared(self) -> tuple[Named, int]:
        """Of every difference what it is called, where, and how much is on each side; and the exit code."""
        out, code = StringIO(), 0
        last = min(self.till.node.rpc("getSlot", {"commitment": "confirmed"}), ChainReader.objects.get().read_to or 0)
        try:
            call_command(
                "reconcile", "--chain", "solana", "--from", str(self.first), "--to", str(last), "--json", stdout=out
            )
        except CommandError as error:
            code = error.returncode
        found = [json.loads(line) for line in out.getvalue().splitlines()]
        return [(one["name"], one["tx_hash"], one["on_chain"], one["in_books"]) for one in found], code


@pytest.fixture
def books(solana_till: SolanaTill) -> Books:
    return Books(solana_till)


def paid(till: SolanaTill) -> str:
    """A payment that nobody reports, found and counted; its signature."""
    signature = till.pay(till.issue("25"))
    assert till.finish()["status"] == "settled"
    return signature


def test_they_agree_after_a_few_payments(solana_till: SolanaTill, books: Books) -> None:
    till = solana_till
    paid(till)
    attempt = till.issue("25")
    till.send(attempt, cut_to(10_000_000))
    till.send(attempt, cut_to(2_000_000_000), preflight=False)
    till.send(attempt, cut_to(15_000_000))
    assert till.finish()["status"] == "settled"
    till.node.finalize()
    till.sweep()
    assert books.compared() == ([], 0)


def test_a_payment_in_coin_that_lost_its_credit_is_missing(solana_till: SolanaTill, books: Books) -> None:
    till = solana_till
    till.token, till.symbol = SOLANA_NATIVE_ADDRESS, "SOL"
    coin = paid(till)
    assert books.compared() == ([], 0)
    Credit.objects.all().delete()
    assert books.compared() == ([("missing", coin, str(ONE_SOL // 100), "0")], 1)


def test_what_no_reader_found_is_missing_and_what_is_on_no_chain_is_extra(
    solana_till: SolanaTill, books: Books
) -> None:
    till = solana_till
    signature = paid(till)
    MarkedTransaction.objects.all().delete()
    assert books.compared() == ([("missing", signature, "25000000", "25000000")], 1)
    read_chains()
    invented = "1" * 63 + "2"
    Credit.objects.update(tx_hash=invented)
    found, code = books.compared()
    assert (sorted(found), code) == (
        [("extra", invented, "0", "25000000"), ("missing", signature, "25000000", "0")],
        1,
    )


def test_another_sum_differs(solana_till: SolanaTill, books: Books) -> None:
    signature = paid(solana_till)
    Credit.objects.update(base_units=24_000_000)
    assert books.compared() == ([("amount_differs", signature, "25000000", "24000000")], 1)


def test_without_an_answer_it_cannot_say(
    solana_till: SolanaTill, books: Books, nodes: Callable[..., None], impatient: None
) -> None:
    paid(solana_till)
    with proxied(solana_till.node.url) as proxy:
        proxy.refuses["getSignaturesForAddress"] = "not offered"
        nodes("solana", proxy.url)
        assert books.compared() == ([], 2)
