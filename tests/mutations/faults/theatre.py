"""Faults of scenario files and replays: what may stand in one, and what may stay of the other."""

from tests.mutations.planting import Fault

_REPLAYS = "tests/theatre/test_replays.py::"
_FILES = "tests/theatre/test_files.py::"

FAULTS = (
    Fault(
        "a_replay_stays",
        "Everything that a replay did is taken back.",
        "theatre/play.py",
        "        transaction.set_rollback(True)  # noqa: FBT003 - the framework's\n",
        "",
        (_REPLAYS + "test_a_replay_leaves_nothing_but_itself",),
    ),
    Fault(
        "a_file_names_the_payers_wallet",
        "Payers are numbers in a file.",
        "theatre/export.py",
        "            provider=leg.provider,\n            chain=leg.chain,\n",
        "            provider=leg.payer_address[:40],\n            chain=leg.chain,\n",
        (_FILES + "test_nothing_in_a_file_can_be_recognised",),
    ),
    Fault(
        "replays_fill_every_worker",
        "One worker at a time plays replays.",
        "theatre/services.py",
        "    if not turn.take():\n        return 0\n",
        "",
        (_REPLAYS + "test_one_worker_at_a_time_plays",),
    ),
    Fault(
        "an_end_is_taken_from_the_file",
        "How a replay ended is read from the payment that lived through it.",
        "theatre/play.py",
        "differences(self._scenario.end, end_of(intent, IntentStatus(intent.status), legs))",
        "differences(self._scenario.end, self._scenario.end)",
        (_REPLAYS + "test_a_changed_end_is_named",),
    ),
    Fault(
        "a_live_key_replays",
        "Replays are played in test mode.",
        "theatre/views.py",
        '    if principal.mode != Mode.TEST:\n        raise NotFound("path")\n    return principal',
        "    return principal",
        (_FILES + "test_a_file_is_its_merchants_alone",),
    ),
    Fault(
        "money_counts_before_its_moment",
        "Money counts from the moment that the file says.",
        "theatre/stage.py",
        "confirmations_required(leg.to_chain) if counts is not None and counts <= at else 0,",
        "confirmations_required(leg.to_chain),",
        (_REPLAYS + "test_a_settlement_that_is_taken_back_is_told_at_its_moment",),
    ),
    Fault(
        "what_counted_cannot_be_taken_back",
        "A credit of test mode is final when its chain says so.",
        "payments/services/credits.py",
        "    return transfer.is_finalized or known is None or known.settles_at_finalized",
        "    return True",
        (_REPLAYS + "test_a_settlement_that_is_taken_back_is_told_at_its_moment",),
    ),
)
