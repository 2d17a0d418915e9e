"""How a caller of the load goes on until it is answered: what is under way is asked for again, a refusal is not."""

from pathlib import Path
from typing import Any

import pytest

from scripts.cluster.journal import Journal
from scripts.cluster.load import UNDER_WAY, Caller, Wrong

LOST = (0, "the connection was lost")
DONE = (201, {"id": "an intent"})
PAID_BEFORE = (409, {"code": "intent_not_payable"})


class Scripted(Caller):
    """Is answered by a list."""

    pause_seconds = 0.0

    def __init__(self, folder: Path, *answers: tuple[int, Any]) -> None:
        super().__init__("", Journal(folder / "journal"))
        self.answers = list(answers)

    def _ask(self, method: str, path: str, body: object, more: dict[str, str]) -> tuple[int, Any]:
        return self.answers.pop(0)


@pytest.mark.parametrize("first", [LOST, (503, "no server"), (409, {"code": UNDER_WAY})])
def test_what_is_under_way_is_asked_for_again_until_it_is_answered(tmp_path: Path, first: tuple[int, Any]) -> None:
    caller = Scripted(tmp_path, first, (409, {"code": UNDER_WAY}), DONE)
    assert caller.insist("/payment-intents", {}, "key") == {"id": "an intent"}
    assert caller.answers == []


def test_a_conflict_after_a_first_try_says_that_it_was_heard(tmp_path: Path) -> None:
    assert Scripted(tmp_path, LOST, PAID_BEFORE).insist("/pay", {}, "key") == PAID_BEFORE[1]


@pytest.mark.parametrize("refusal", [PAID_BEFORE, (404, {"code": "not_found"})])
def test_what_is_refused_at_once_is_not_asked_again(tmp_path: Path, refusal: tuple[int, Any]) -> None:
    with pytest.raises(Wrong):
        Scripted(tmp_path, refusal, DONE).insist("/pay", {}, "key")
