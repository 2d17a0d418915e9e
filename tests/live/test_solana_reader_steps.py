"""A reader of Solana that dies between two steps, or whose lease is over, misses nothing and counts nothing twice."""

from typing import Any

import pytest

from chains.models import ChainReader, WatchedAddress
from chains.reader import solana
from payments.models import MarkedTransaction
from payments.services import account_books, marked, reading_accounts
from tests.live.solana_till import SolanaTill
from tests.live.test_solana_readers import one_round
from tests.live.till import read_chains


def forget_opened(monkeypatch: pytest.MonkeyPatch) -> None:
    """As another process, that has opened nothing yet."""
    for module in (account_books, reading_accounts):
        monkeypatch.setattr(module, "KNOWN", solana.Known(1_000))


@pytest.mark.parametrize("dies_at", ["record new", "wake", "record final", "record round"])
def test_a_reader_that_dies_at_any_step_misses_nothing_and_counts_nothing_twice(
    solana_till: SolanaTill, monkeypatch: pytest.MonkeyPatch, dies_at: str
) -> None:
    till = solana_till
    attempt = till.issue("25")
    till.sweep()
    till.pay(attempt)
    till.node.advance(40)
    with monkeypatch.context() as patched:
        if dies_at == "wake":
            patched.setattr(marked, "note_news", _die)
        else:
            patched.setattr(account_books.AccountBooks, dies_at.replace(" ", "_"), _die)
        with pytest.raises(KeyboardInterrupt):
            read_chains()
    forget_opened(monkeypatch)
    assert (till.finish()["status"], till.credited()) == ("settled", [25_000_000])
    assert MarkedTransaction.objects.count() == 1


def _die(*_: object, **__: object) -> None:
    raise KeyboardInterrupt


@pytest.mark.parametrize("step", ["record_new", "record_final", "record_round"])
def test_of_two_readers_the_one_whose_lease_is_over_writes_nothing(
    solana_till: SolanaTill, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    till = solana_till
    attempt = till.issue("25")
    read_chains()
    till.pay(attempt)
    till.node.advance(40)
    real = getattr(account_books.AccountBooks, step)
    before: list[Any] = []

    def written() -> list[Any]:
        rows = WatchedAddress.objects.values_list("read_to", "final_to", "cursor", "read_at", "final_at")
        reader = ChainReader.objects.values_list("read_to", "final_to", "head", "read_at", "final_at")
        return [*rows, *reader, MarkedTransaction.objects.filter(final_at=None).count()]

    def late(books: account_books.AccountBooks, *facts: Any) -> None:
        ChainReader.objects.filter(pk=books.reader.pk).update(attempts=books.reader.attempts + 1)
        before.extend(written())
        real(books, *facts)
        assert written() == before

    with monkeypatch.context() as patched:
        patched.setattr(account_books.AccountBooks, step, late)
        one_round()
    assert before
    assert (till.finish()["status"], till.credited()) == ("settled", [25_000_000])
