"""Faults of exchanging secrets: what another key sealed or signed stays readable, is found, and is never put back."""

from tests.mutations.planting import Fault

_TESTS = "tests/operations/test_reencrypt.py::"
_COMMAND, _RESEAL = "operations/management/commands/reencrypt.py", "operations/reseal.py"

FAULTS = (
    Fault(
        "codes_brought_along_stay_under_the_old_key",
        "Recovery codes that stand one by one are sealed again, too.",
        "operations/sealed.py",
        "[_again(text) for text in value] if isinstance(value, list)",
        "value if isinstance(value, list)",
        (_TESTS + "test_what_fernet_sealed_before_and_codes_brought_along_come_too",),
    ),
    Fault(
        "a_key_that_is_needed_may_be_dropped",
        "As long as another key seals anything, the command ends with 1.",
        _COMMAND,
        "        if needed:\n",
        "        if len(needed) > 1:\n",
        (_TESTS + "test_everything_comes_under_the_first_key_and_the_other_can_be_dropped",),
    ),
    Fault(
        "what_no_key_opens_is_no_reason",
        "What no key opens is named, and the command ends with 1.",
        _COMMAND,
        "        if unknown:\n",
        "        if len(unknown) > 1:\n",
        (_TESTS + "test_what_no_key_opens_is_left_as_it_is_and_named_by_its_key",),
    ),
    Fault(
        "only_the_first_batch_is_sealed_again",
        "A table is gone through to its end.",
        _RESEAL,
        "    while end != last:\n",
        "    while end is None and last is not None:\n",
        (_TESTS + "test_a_table_is_gone_through_in_batches_and_to_its_end",),
    ),
    Fault(
        "a_row_in_use_is_written_over",
        "Rows are locked while they are sealed again: a recovery code that is used meanwhile stays used.",
        _RESEAL,
        'free.select_for_update(skip_locked=True, no_key=True, of=("self",))',
        "free",
        (_TESTS + "test_what_somebody_holds_is_passed_over_and_counted",),
        needs_postgres=True,
    ),
    Fault(
        "session_cookies_know_one_key",
        "Cookies of sessions that the key of before signed stay good.",
        "config/middleware.py",
        'return Signer(salt="config.session_cookie")',
        'return Signer(salt="config.session_cookie", fallback_keys=())',
        ("tests/operations/test_exchanged_key.py::test_what_was_signed_is_good_until_its_key_is_dropped",),
    ),
)
