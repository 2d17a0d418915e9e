"""The engine of every state machine: a table decides, and what it does not name is refused."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.states import InvalidTransition, Machine, row

DOOR = Machine(
    name="door",
    initial="open",
    terminal=frozenset({"gone"}),
    transitions=(
        row("shut", ["open"], "shut"),
        row("open_up", ["shut"], "open", event="door.opened"),
        row("remove", ["open", "shut"], "gone", event="door.removed"),
    ),
    initial_event="door.made",
)


@pytest.mark.spec("Errors: 409 current status does not allow this")
def test_the_table_decides_and_a_refusal_says_what_is_possible() -> None:
    assert (DOOR.find("open", "shut").target, DOOR.find("shut", "open_up").event) == ("shut", "door.opened")
    assert (DOOR.allows("shut", "remove"), DOOR.allows("gone", "remove")) == (True, False)
    assert (DOOR.triggers_from("open"), DOOR.triggers_from("gone")) == ({"shut", "remove"}, set())
    assert (DOOR.sources_of("remove"), DOOR.statuses) == (["open", "shut"], ["open", "shut", "gone"])
    with pytest.raises(InvalidTransition) as refusal:
        DOOR.find("open", "open_up")
    assert refusal.value.message == "A door that is open cannot open up."
    assert refusal.value.details == {"status": "open", "trigger": "open_up", "allowed": ["remove", "shut"]}
    assert refusal.value.http_status == 409
    twice = (row("shut", ["open"], "shut"), row("shut", ["open"], "open"))
    with pytest.raises(ValueError, match="two rows for open and shut"):
        Machine(name="door", initial="open", terminal=frozenset(), transitions=twice)


@given(st.lists(st.sampled_from(["shut", "open_up", "remove", "nonsense"]), max_size=30))
def test_random_walks_stay_on_the_table(triggers: list[str]) -> None:
    status = DOOR.initial
    for trigger in triggers:
        if DOOR.allows(status, trigger):
            status = DOOR.find(status, trigger).target
        else:
            with pytest.raises(InvalidTransition):
                DOOR.find(status, trigger)
        assert status in DOOR.statuses
        assert status not in DOOR.terminal or not DOOR.triggers_from(status)
