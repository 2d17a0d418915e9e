"""Faults of what is dropped whole: what is kept still or on its way again goes with its week, what moves is lost."""

from tests.mutations.planting import Fault

_MOVE = "webhooks/migrations/0008_event_weeks.py"
_TESTS = "tests/webhooks/test_event_weeks.py::"

FAULTS = (
    Fault(
        "what_is_sent_again_goes_with_its_week",
        "A week stays as long as something of it is on its way again.",
        _MOVE,
        "WHERE outcome = ''due'')",
        "WHERE false)",
        (_TESTS + "test_what_is_sent_again_holds_its_week_back_and_no_other",),
        needs_postgres=True,
    ),
    Fault(
        "a_week_is_asked_once",
        "A week is asked again for what is on its way once nobody else has it.",
        _MOVE,
        "        EXECUTE asked INTO is_kept;  -- what was put on its way again meanwhile\n",
        "",
        (_TESTS + "test_what_is_put_on_its_way_again_while_its_week_is_to_be_dropped_keeps_it",),
        needs_postgres=True,
    ),
    Fault(
        "what_is_kept_goes_with_its_week",
        "A week stays as long as an event in it is kept, whoever asks to drop it.",
        _MOVE,
        "WHERE kept_until > now())",
        "WHERE false)",
        (_TESTS + "test_nobody_has_a_week_dropped_that_is_not_over_or_is_kept_still",),
        needs_postgres=True,
    ),
    Fault(
        "what_is_recovered_is_purged",
        "What is put on its way again is not purged meanwhile.",
        "webhooks/services/again.py",
        "        .select_for_update(no_key=True)\n",
        "",
        (_TESTS + "test_what_is_recovered_lies_with_its_event_and_is_not_purged_meanwhile",),
        needs_postgres=True,
    ),
    Fault(
        "attempts_are_numbered_anew",
        "Attempts are numbered on after the move, so that none is passed over.",
        _MOVE,
        "START {number} OWNED",
        "START 1 OWNED",
        (_TESTS + "test_nobody_who_writes_is_refused_while_the_tables_move",),
        needs_postgres=True,
    ),
    Fault(
        "a_week_is_deleted_row_by_row",
        "Of a week that is dropped next nothing is deleted row by row.",
        "webhooks/services/event_weeks.py",
        "return Q(occurred_at__lt=monday - WEEK) | Q(occurred_at__gte=monday + WEEK)",
        "return Q()",
        (_TESTS + "test_a_week_is_dropped_with_all_of_it_when_its_last_event_ended",),
        needs_postgres=True,
    ),
)
