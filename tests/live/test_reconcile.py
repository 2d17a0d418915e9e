"""``manage.py reconcile``: the books against a real node's blocks, and each way in which they can differ."""

import json
import re
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext
from pytest_django import Settings

from chains.models import ChainReader
from chains.registry import EVM_NATIVE_ADDRESS
from core.clock import now
from localnet.nodes import fresh_wallet
from payments.models import Credit, MarkedTransaction
from tests.live.evm_till import BASE_USDC, Till
from tests.live.proxy import Proxy, proxied
from tests.live.test_unlucky_payments import cut_to
from tests.live.till import read_chains

Nodes = Callable[..., None]
INVENTED = "0x" + "ab" * 32


class Books:
    """A range of blocks in which one payer paid, and what the command says of it."""

    def __init__(self, till: Till) -> None:
        self.till, self.first = till, till.node.head() + 1

    def compared(self, *more: str, first: int | None = None, last: int | None = None) -> tuple[str, int, str]:
        """What is printed, the exit code, and the sentence to the operator."""
        out = StringIO()
        begin, end = self.first if first is None else first, self.till.node.head() if last is None else last
        arguments = ("--chain", "base", "--from", str(begin), "--to", str(end), *more)
        try:
            call_command("reconcile", *arguments, stdout=out)
        except CommandError as error:
            return out.getvalue(), error.returncode, str(error)
        return out.getvalue(), 0, ""

    def differ(self) -> list[dict[str, Any]]:
        """Every difference as a machine reads it."""
        printed, code, _ = self.compared("--json")
        found = [json.loads(line) for line in printed.splitlines()]
        assert code == (1 if found else 0)
        return found

    def named(self) -> list[tuple[str, str, str, str, str]]:
        """Of every difference what it is called, where, how much is on each side, and why."""
        found = self.differ()
        return [(one["name"], one["tx_hash"], one["on_chain"], one["in_books"], one["why"]) for one in found]


def paid(till: Till, amount: str = "25") -> str:
    """A payment that nobody reports, found and counted; its hash."""
    tx_hash = till.pay(till.issue(amount))
    assert till.finish()["status"] == "settled"
    return tx_hash


@pytest.fixture
def books(till: Till) -> Books:
    """Blocks that begin now, of a chain that is read."""
    till.issue("25")
    read_chains()
    return Books(till)


def test_they_agree_after_a_few_payments_and_nothing_is_written(till: Till, books: Books) -> None:
    paid(till)
    attempt = till.issue("25")
    request = attempt["transactions"][0]["request"]
    for units in (10_000_000, 15_000_000):
        till.node.send(till.payer, cut_to(request, units))
    assert till.finish()["status"] == "settled"
    copier = till.stranger()
    till.node.send(
        copier,
        {
            "to": BASE_USDC,
            "value": "0x0",
            "data": till.node.token(BASE_USDC).encode_abi("transfer", args=[till.merchant, 9]),
        },
    )
    read_chains()
    with CaptureQueriesContext(connection) as captured:
        assert books.compared() == (
            f"The books agree with {till.node.head() - books.first + 1} blocks of base.\n",
            0,
            "",
        )
    assert {query["sql"].split()[0] for query in captured.captured_queries} == {"SELECT"}
    assert books.compared("--json") == ("", 0, "")


def test_a_payment_in_coin_and_a_claimed_one_agree(till: Till, books: Books) -> None:
    attempt = till.issue("25")
    plain = till.node.token(BASE_USDC).encode_abi("transfer", args=[till.merchant, 25_000_000])
    tx_hash = till.node.send(till.payer, {"to": BASE_USDC, "value": "0x0", "data": plain})
    till.claims(attempt, tx_hash)
    till.end()
    assert till.credited() == [25_000_000]
    till.token, till.symbol = EVM_NATIVE_ADDRESS, "ETH"
    coin = paid(till)
    assert books.named() == []
    Credit.objects.filter(tx_hash=coin).delete()
    [(name, found, on_chain, in_books, _)] = books.named()
    assert (name, found, on_chain, in_books) == ("missing", coin, str(10**16), "0")


def test_a_credit_that_is_gone_is_missing(till: Till, books: Books) -> None:
    tx_hash = paid(till)
    Credit.objects.all().delete()
    looked = ("missing", tx_hash, "25000000", "0", "it was looked at, not credited")
    assert books.named() == [looked]
    MarkedTransaction.objects.update(news_at=now(), looked_at=None)
    assert books.named() == [(*looked[:4], "it was found, not looked at yet")]
    MarkedTransaction.objects.update(gone_at=now())
    assert books.named() == [(*looked[:4], "its reader took it back, and it is not credited")]
    MarkedTransaction.objects.all().delete()
    [row] = books.differ()
    assert row == {
        "chain": "base",
        "name": "missing",
        "first_block": row["first_block"],
        "last_block": row["first_block"],
        "tx_hash": tx_hash,
        "token_address": BASE_USDC,
        "recipient": till.merchant,
        "legs": [str(till.leg().pk)],
        "on_chain": "25000000",
        "in_books": "0",
        "why": "no reader found it, and it is not credited",
    }
    assert till.node.web3.eth.get_transaction_receipt(tx_hash)["blockNumber"] == row["first_block"]  # type: ignore[arg-type]  # text is a HexStr


def test_what_no_reader_found_is_missing_though_it_is_credited(till: Till, books: Books) -> None:
    tx_hash = paid(till)
    MarkedTransaction.objects.all().delete()
    assert books.named() == [("missing", tx_hash, "25000000", "25000000", "no reader found it, and it is credited")]


def test_what_a_reader_passed_over_is_found_when_it_is_put_back(till: Till, books: Books, settings: Settings) -> None:
    """By the statement of the runbook."""
    attempt = till.issue("25")
    tx_hash = till.pay(attempt)
    till.node.mine(20)
    head = till.node.head()
    ChainReader.objects.update(read_to=head, final_to=head, points=[])
    till.sweep(2)
    assert books.named() == [("missing", tx_hash, "25000000", "0", "no reader found it, and it is not credited")]
    [statement] = re.findall(
        r"UPDATE chains_chainreader[^;]*;", Path(settings.BASE_DIR, "docs", "live.md").read_text("utf-8")
    )
    with connection.cursor() as cursor:
        cursor.execute(statement.replace("37999999", str(books.first - 1)))
        assert cursor.rowcount == 2
    assert (till.finish()["status"], till.credited()) == ("settled", [25_000_000])
    assert books.named() == []


def test_other_units_differ(till: Till, books: Books) -> None:
    tx_hash = paid(till)
    Credit.objects.update(base_units=24_999_999)
    assert books.named() == [
        ("amount_differs", tx_hash, "25000000", "24999999", "the credits do not add up to what arrived")
    ]


def test_a_credit_that_the_chain_does_not_have_is_extra(till: Till, books: Books) -> None:
    tx_hash = paid(till)
    credit = Credit.objects.get()
    credit.pk, credit.tx_hash, credit.base_units = None, INVENTED, 5
    credit.save()
    assert books.named() == [("extra", INVENTED, "0", "5", "it stands in none of these blocks")]
    Credit.objects.filter(tx_hash=INVENTED).update(reversed_at=now())
    assert books.named() == []
    elsewhere = fresh_wallet().address
    Credit.objects.filter(tx_hash=tx_hash).update(recipient=elsewhere)
    assert sorted(books.named()) == sorted([
        ("extra", tx_hash, "0", "25000000", "it brought nothing there"),
        ("missing", tx_hash, "25000000", "0", "it was looked at, not credited"),
    ])  # fmt: skip


def test_what_moved_to_another_block_agrees(till: Till, books: Books) -> None:
    """The books say the block of before, as they do until it is looked at again."""
    paid(till)
    block = MarkedTransaction.objects.get().block_number
    for wrong in (block + 1, block + 1000):
        for rows in (Credit.objects, MarkedTransaction.objects):
            rows.update(block_number=wrong)
        assert books.named() == [], wrong


def test_a_mark_in_a_block_of_no_branch_is_extra(till: Till, books: Books) -> None:
    paid(till)
    row = MarkedTransaction.objects.get()
    row.pk, row.tx_hash = None, INVENTED
    row.save()
    assert books.named() == [("extra", INVENTED, "0", "0", "it stands in none of these blocks")]
    MarkedTransaction.objects.filter(tx_hash=INVENTED).update(gone_at=now())
    assert books.named() == []


def test_what_no_reader_has_come_to_is_unread_and_not_missing(till: Till, books: Books) -> None:
    tx_hash = paid(till)
    Credit.objects.all().delete()
    block, head = MarkedTransaction.objects.get().block_number, till.node.head()
    unread = ("unread", "", "0", "0", "no reader has come so far")
    missing = ("missing", tx_hash, "25000000", "0", "it was looked at, not credited")
    for read_to, found in ((block - 1, [unread]), (block, [unread, missing]), (head, [missing])):
        ChainReader.objects.filter(lane="logs").update(read_to=read_to)
        assert books.named() == found, read_to
    ChainReader.objects.filter(lane="logs").update(read_to=block - 1)
    line = f"unread blocks {block} to {head}: no reader has come so far\n"
    assert books.compared() == (line, 1, "1 difference.")
    ChainReader.objects.filter(lane="blocks").update(read_to=None)
    assert books.differ() == [
        {
            **{"chain": "base", "name": "unread", "first_block": books.first, "last_block": head},
            **{"tx_hash": "", "token_address": "", "recipient": "", "legs": [], "on_chain": "0", "in_books": "0"},
            "why": "no reader has come so far",
        }
    ]


def test_a_line_says_all_of_it(till: Till, books: Books) -> None:
    tx_hash = paid(till)
    Credit.objects.update(base_units=1)
    block, leg = MarkedTransaction.objects.get().block_number, till.leg().pk
    line = (
        f"amount_differs {tx_hash} block {block}: 25000000 on the chain, 1 in the books, "
        f"{BASE_USDC} to {till.merchant}, leg {leg}: the credits do not add up to what arrived\n"
    )
    assert books.compared() == (line, 1, "1 difference.")


def without_block_receipts(proxy: Proxy) -> None:
    """As the proxy answers, but that its node has no receipts of whole blocks."""
    plain = proxy.answer

    def answer(body: dict[str, Any]) -> tuple[int, bytes] | None:
        if body["method"] == "eth_getBlockReceipts":
            error = {"code": -32601, "message": "the method eth_getBlockReceipts does not exist"}
            return 200, json.dumps({"jsonrpc": "2.0", "id": body["id"], "error": error}).encode()
        return plain(body)

    proxy.answer = answer  # type: ignore[method-assign]  # stands in for it


def test_a_node_without_receipts_of_blocks_tells_them_one_by_one(till: Till, books: Books, nodes: Nodes) -> None:
    tx_hash = paid(till)
    till.stranger()
    read_chains()
    with proxied(till.node.url) as proxy:
        without_block_receipts(proxy)
        nodes("base", proxy.url)
        assert books.named() == []
        assert proxy.heard.count("eth_getTransactionReceipt") == 1
        Credit.objects.all().delete()
        assert books.named() == [("missing", tx_hash, "25000000", "0", "it was looked at, not credited")]


def test_a_silent_node_is_said_and_is_no_difference(till: Till, books: Books, nodes: Nodes, impatient: None) -> None:
    with proxied(till.node.url) as proxy:
        proxy.fault = "500"
        nodes("base", proxy.url)
        assert books.compared(last=books.first) == ("", 2, "No node of base answers. Ask again.")


@pytest.mark.parametrize(
    ("chain", "first", "last", "sentence"),
    [
        ("narnia", 0, 1, "No chain is called 'narnia' here."),
        ("solana", 0, 1, "No node of solana is named: set RPC_URLS_SOLANA."),
        ("polygon", 0, 1, "No node of polygon is named: set RPC_URLS_POLYGON."),
        ("base", 2, 1, "--from 2 and --to 1 are no blocks: the first is not negative, and not above the last."),
        ("base", -1, 1, "--from -1 and --to 1 are no blocks: the first is not negative, and not above the last."),
        ("BASE", 0, 50_000, "Compare 50,000 blocks at most: these are 50,001."),
    ],
)
def test_nonsense_is_refused_in_one_sentence(
    chain: str, first: int, last: int, sentence: str, db: None, settings: Settings
) -> None:
    settings.RPC_URLS = {"base": ["http://127.0.0.1:1"]}
    with pytest.raises(CommandError) as refusal:
        call_command("reconcile", "--chain", chain, f"--from={first}", f"--to={last}")
    assert (str(refusal.value), refusal.value.returncode) == (sentence, 2)


def test_blocks_that_are_not_there_yet_are_refused(till: Till, books: Books) -> None:
    head = till.node.head()
    assert books.compared(last=head + 1) == ("", 2, f"The newest block of base is {head}.")
