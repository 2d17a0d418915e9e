"""The short way of a poll: a page is never told that nothing changed when something did, nor by another's state."""

from tests.mutations.planting import Fault

UNCHANGED, POLLS = "checkout/unchanged.py", "tests/checkout/test_fast_polls_trust.py"
CHANGES = "tests/checkout/test_fast_polls.py::test_each_change_is_seen_by_the_next_poll"
OTHERS = f"{POLLS}::test_what_one_browser_was_told_is_no_answer_to_another"

FAULTS = (
    Fault(
        "a_settlement_is_no_news",
        "A page is told of a settlement by its next poll.",
        "checkout/fast_path.py",
        " or not holds(self.tag, self.asked, versions)",
        "",
        (f"{POLLS}::test_no_settled_payment_is_called_unpaid",),
        needs_postgres=True,
    ),
    *(
        Fault(
            f"{name}_are_no_news",
            f"A page is told of what its {name} say by its next poll.",
            UNCHANGED,
            "for model, condition in READ)",
            f"for model, condition in READ if model is not {table})",
            (CHANGES,),
            needs_postgres=True,
        )
        for name, table in (("intents", "PaymentIntent"), ("transactions", "Leg"), ("attempts", "PaymentAttempt"))
    ),
    Fault(
        "a_table_of_the_state_is_not_compared",
        "Whatever a state is made of is compared.",
        UNCHANGED,
        "    (Credit, OF_ALL_BROWSERS),\n",
        "",
        (f"{POLLS}::test_all_that_a_state_reads_is_compared",),
        needs_postgres=True,
    ),
    Fault(
        "a_state_stands_though_its_time_is_over",
        "What the clock alone changes is told when it changes.",
        UNCHANGED,
        "min(until, changes_at or until)",
        "until",
        (f"{POLLS}::test_what_the_clock_alone_changes_is_news",),
        needs_postgres=True,
    ),
    Fault(
        "a_state_has_the_mark_of_what_came_later",
        "What changes while a state is read is news to the next poll.",
        "checkout/views/api.py",
        """        intent = public_intent(asked.intent_id)
        require_token(request, intent)
        with""",
        """        intent = public_intent(asked.intent_id)
        require_token(request, intent)
        versions = known_versions({}, asked)
        with""",
        (f"{POLLS}::test_what_changes_during_a_poll_is_news_to_the_next",),
        needs_postgres=True,
    ),
    Fault(
        "a_mark_holds_for_ever",
        "Words and settings of a new version reach every page.",
        UNCHANGED,
        " and now().timestamp() < int(found[2])",
        "",
        (f"{POLLS}::test_what_brings_no_news_is_answered_before_django",),
        needs_postgres=True,
    ),
    Fault(
        "another_browser_has_the_state_already",
        "What a payer began is shown to its own browser alone.",
        UNCHANGED,
        "{asked.browser} ",
        "",
        (OTHERS,),
        needs_postgres=True,
    ),
    Fault(
        "a_state_is_of_every_language",
        "A page reads its own language.",
        UNCHANGED,
        "{asked.language} ",
        "",
        (OTHERS,),
        needs_postgres=True,
    ),
    Fault(
        "anybody_may_poll",
        "Only who holds the payment's token is told anything of its state.",
        "checkout/fast_path.py",
        "        opener_of(environment, intent_id)\n",
        "",
        (OTHERS,),
        needs_postgres=True,
    ),
    Fault(
        "a_poll_is_not_counted",
        "A request is counted once, whichever way it goes.",
        "checkout/fast_path.py",
        "        environment[COUNTED_PLACE] = (buckets, counted)\n",
        "",
        (f"{POLLS}::test_both_ways_are_counted_together",),
        needs_postgres=True,
    ),
)
