"""Whose the shared address is: one HAProxy's at a time, and the other one's soon after that one fell silent."""

from pathlib import Path

import pytest

from scripts.cluster.address import SILENT_SECONDS, Address

ONE, OTHER = "haproxy1", "haproxy2"


class Fronts:
    """Two HAProxies: which answer, and which of them accept callers."""

    def __init__(self) -> None:
        self.accepts = {ONE: True, OTHER: True}  # as they start
        self.dead: set[str] = set()
        self.moment = 0.0

    def tell(self, control: Path, command: str) -> str:
        """Take a command for all frontends. Raises: OSError where it is dead."""
        if control.name in self.dead:
            raise ConnectionRefusedError
        [action] = {one.split()[0] for one in command.split("; ")}
        self.accepts[control.name] = action == "enable"
        return ""


@pytest.fixture
def fronts(monkeypatch: pytest.MonkeyPatch) -> Fronts:
    made = Fronts()
    monkeypatch.setattr("scripts.cluster.address.tell", made.tell)
    monkeypatch.setattr("scripts.cluster.address.time.monotonic", lambda: made.moment)
    return made


@pytest.fixture
def address(fronts: Fronts) -> Address:
    return Address({name: Path(name) for name in (ONE, OTHER)})


def after(fronts: Fronts, address: Address, seconds: float) -> str:
    """Who has it, so much later."""
    fronts.moment += seconds
    address.look()
    return address.holder


def test_one_of_two_accepts_callers(fronts: Fronts, address: Address) -> None:
    assert after(fronts, address, 0) == ONE
    assert fronts.accepts == {ONE: True, OTHER: False}


def test_the_other_one_takes_it_when_its_holder_was_silent(fronts: Fronts, address: Address) -> None:
    after(fronts, address, 0)
    fronts.dead = {ONE}
    assert after(fronts, address, SILENT_SECONDS) == ONE
    assert after(fronts, address, 0.1) == OTHER
    assert fronts.accepts[OTHER] is True


def test_it_stays_when_the_first_one_comes_back(fronts: Fronts, address: Address) -> None:
    """One that just started knows nothing of the engines yet."""
    fronts.dead = {ONE}
    after(fronts, address, 0)
    assert after(fronts, address, SILENT_SECONDS + 0.1) == OTHER
    fronts.dead, fronts.accepts[ONE] = set(), True
    assert after(fronts, address, 60) == OTHER
    assert fronts.accepts == {ONE: False, OTHER: True}


def test_it_goes_to_nobody_while_both_are_silent(fronts: Fronts, address: Address) -> None:
    fronts.dead = {ONE, OTHER}
    assert after(fronts, address, 60) == ONE
    fronts.dead = {ONE}
    assert after(fronts, address, 0.1) == OTHER
