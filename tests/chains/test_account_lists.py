"""What several nodes list of an account together, and what may be named to them again."""

import pytest

from chains.reader import solana
from chains.reader.base import Opened
from chains.reader.solana import Known, Listed, Mention, Passage, final_of

PASSAGE = Passage(account="a", read_to=100, head=200)


def listed(*slots: int, is_end: bool = True, node: str = "") -> Listed:
    """Transactions in these slots, named by them, and by the node where it made them up."""
    return Listed(mentions=tuple(Mention(signature=f"{node}{slot}", slot=slot) for slot in slots), is_end=is_end)


def final(*lists: Listed, known: Known | None = None) -> tuple[list[int], int, str, str]:
    """The slots that are shown, how far down all came, and the newest and oldest on which they agree."""
    bite = final_of(lists, PASSAGE, known or Known(9))
    return [one.slot for one in bite.shown], bite.reached, bite.newest, bite.oldest


def test_what_one_node_hides_another_shows_and_what_is_newer_or_older_is_left() -> None:
    assert final(listed(201, 150, 120, 90), listed(201, 180, 150, 90)) == ([180, 150, 120], 100, "150", "150")


def test_only_what_all_nodes_list_is_named_to_them_again() -> None:
    """Else one node could name a transaction behind which it hides others."""
    assert final(listed(199, 150, node=""), listed(150)) == ([199, 150], 100, "150", "150")
    assert final(listed(199, node="liar "), listed(150)) == ([199, 150], 100, "", "")


def test_nothing_is_said_of_slots_that_one_of_them_did_not_come_down_to() -> None:
    assert final(listed(190, 170, is_end=False), listed(190, 160, 130)) == ([190], 170, "190", "190")
    assert final(listed(190, 170, is_end=False), listed(190, 180, is_end=False)) == ([190], 180, "190", "190")


def test_no_more_is_opened_in_a_round_than_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(solana, "MOST_OPENED", 2)
    assert final(listed(190, 180, 170, 160)) == ([190, 180], 170, "190", "180")
    known = Known(9)
    known.remember("a", [Opened(tx_hash="180", block_number=180, block_hash="")])
    assert final(listed(190, 180, 170, 160), known=known) == ([190, 180, 170], 160, "190", "170")
    assert final(listed(190, 180, 170), known=known) == ([190, 180, 170], 100, "190", "170")


def test_a_process_remembers_the_newest_that_it_opened_of_each_account() -> None:
    known = Known(2)
    known.remember("a", [Opened(tx_hash=name, block_number=1, block_hash="") for name in "xyz"])
    assert [known("a", name) for name in "xyz"] == [False, True, True]
    assert known("b", "y") is False
