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


def test_the_table_decides() -> None:
    assert DOOR.find("open", "shut").target == "shut"
    assert DOOR.find("shut", "open_up").event == "door.opened"
    assert DOOR.allows("shut", "remove")
    assert not DOOR.allows("gone", "remove")
    assert DOOR.triggers_from("open") == {"shut", "remove"}
    assert DOOR.triggers_from("gone") == set()
    assert DOOR.sources_of("remove") == ["open", "shut"]
    assert DOOR.statuses == ["open", "shut", "gone"]


@pytest.mark.spec("Errors: 409 current status does not allow this")
def test_a_refusal_says_what_is_possible() -> None:
    with pytest.raises(InvalidTransition) as refusal:
        DOOR.find("open", "open_up")
    assert refusal.value.message == "A door that is open cannot open up."
    assert refusal.value.details == {"status": "open", "trigger": "open_up", "allowed": ["remove", "shut"]}
    assert refusal.value.http_status == 409


def test_two_rows_for_one_case_are_a_mistake() -> None:
    with pytest.raises(ValueError, match="two rows for open and shut"):
        Machine(
            name="door",
            initial="open",
            terminal=frozenset(),
            transitions=(row("shut", ["open"], "shut"), row("shut", ["open"], "open")),
        )


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
