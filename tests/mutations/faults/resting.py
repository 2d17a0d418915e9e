"""Addresses where nothing is awaited: what they cost others, and what comes late."""

from tests.mutations.planting import Fault

MARKS, RESTING = "payments/services/marks.py", "payments/services/resting.py"
LIVE, UNIT = "tests/live/test_resting.py", "tests/payments/test_resting.py"
FAULTS = (
    Fault(
        "every_block_is_asked_about_all_addresses",
        "Addresses where nothing is awaited cost no other payment anything.",
        MARKS,
        "    return rows.filter(read_at=None)\n",
        "    return rows\n",
        (f"{UNIT}::test_one_turn_asks_no_more_however_many_rest",),
    ),
    Fault(
        "what_lies_between_is_passed_over",
        "An address that is awaited again goes on from where it was read.",
        MARKS,
        '{"read_at": None} if by_blocks',
        '{"read_at": None, "read_to": None} if by_blocks',
        (f"{LIVE}::test_an_address_that_is_awaited_again_goes_on_without_a_gap",),
    ),
    Fault(
        "it_goes_along_before_it_came_so_far",
        "An address goes along with its reader once it was read as far as that.",
        RESTING,
        "    elif row.read_to >= (reader.final_to or 0):\n",
        "    else:\n",
        (f"{UNIT}::test_one_that_is_awaited_again_keeps_its_place_until_it_came_as_far_as_its_reader",),
    ),
    Fault(
        "what_is_not_final_is_let_rest",
        "What was seen and is not final yet is read a second time.",
        RESTING,
        '    done = over.exclude(address__in=unfinal.values("leg__intent__settlement_address"))\n',
        "    done = over\n",
        (f"{LIVE}::test_what_is_not_final_yet_lets_no_address_rest",),
    ),
    Fault(
        "what_is_read_tomorrow_was_passed_over",
        "Nobody passed over what is yet to be read.",
        MARKS,
        "min(read_to or 0, own_read_to or 0) if is_behind else read_to or 0",
        "read_to or 0",
        (f"{LIVE}::test_what_comes_late_where_nothing_is_awaited_is_counted_within_a_day",),
    ),
    Fault(
        "a_slow_address_holds_up_all_others",
        "One address of which nodes tell little holds up no other.",
        RESTING,
        '"most": max(len(rows) // 2, 1)',
        '"most": len(rows)',
        (f"{UNIT}::test_one_of_which_nodes_tell_little_does_not_hold_up_the_others",),
    ),
)
