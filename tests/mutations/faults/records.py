"""Faults of what proves a payment: a chain with a gap, a receipt that says too much, a key that stays."""

from tests.mutations.planting import Fault

_TESTS = "tests/records/test_flight_record.py::"
_KEYS = "tests/proofs/test_keys.py::"
_ROWS = "tests/records/test_sealed_rows.py::"

FAULTS = (
    Fault(
        "an_entry_is_not_bound_to_the_one_before",
        "Each hash of a record is over the one before it.",
        "records/chain.py",
        "        head = hashlib.sha256(head.encode() + b",
        "        head = hashlib.sha256(b",
        (_TESTS + "test_a_settled_payment_has_a_receipt_over_all_that_happened",),
    ),
    Fault(
        "a_record_begins_like_any_other",
        "The first hash of a record is over its payment.",
        "records/chain.py",
        'f"{RECORD}\\n{intent_id}".encode()',
        'f"{RECORD}\\n".encode()',
        (_TESTS + "test_a_record_is_its_merchants_alone",),
    ),
    Fault(
        "what_was_sealed_is_computed_again",
        "What was sealed stays as it was.",
        "records/selectors.py",
        "    sealed = sealed_entries(seals)\n    entries = [*sealed,",
        "    sealed: list[dict[str, Any]] = []\n    entries = [*sealed,",
        (_TESTS + "test_what_comes_later_extends_the_chain_and_changes_nothing",),
    ),
    Fault(
        "custody_is_claimed_and_not_computed",
        "A receipt says so where the service has a key to an address on the way.",
        "records/statement.py",
        "SigningAccount.objects.filter(address__iexact=one).exists()",
        "SigningAccount.objects.filter(address=one).exists()",
        (_TESTS + "test_it_says_so_where_the_service_has_a_key_on_the_way",),
    ),
    Fault(
        "a_record_is_shown_to_others",
        "A record is its merchant's alone.",
        "records/views.py",
        "record_of(visible_intent(principal, key))",
        "record_of(__import__('payments.selectors').selectors.public_intent(key))",
        (_TESTS + "test_a_record_is_its_merchants_alone",),
    ),
    Fault(
        "a_receipt_waits_for_nobody",
        "A settlement asks for its receipt.",
        "records/services.py",
        "    if not insert_once(row):",
        "    if row:",
        (_TESTS + "test_a_settled_payment_has_a_receipt_over_all_that_happened",),
    ),
    Fault(
        "a_retired_key_can_still_sign",
        "A rotation forgets the private half of the old key.",
        "proofs/keys.py",
        'before.is_current, before.retired_at, before.sealed_seed = False, moment, b""',
        "before.is_current, before.retired_at = False, moment",
        (_KEYS + "test_a_rotation_has_the_old_key_endorse_the_new_one_and_forgets_its_private_half",),
    ),
    Fault(
        "a_signature_passes_for_another_purpose",
        "Every signature is over what it is made for.",
        "proofs/keys.py",
        'private.sign(purpose.encode() + b"\\n" + content)',
        'private.sign(b"\\n" + content)',
        (_KEYS + "test_the_first_signature_makes_the_key_that_is_published_from_then_on",),
    ),
    Fault(
        "what_was_sealed_is_never_read_again",
        "A seal that was changed in its table is found.",
        "operations/invariants/receipts.py",
        "            if wrong := _wrong_with(",
        "            if wrong := 0 and _wrong_with(",
        (_ROWS + "test_each_changed_byte_of_a_seal_is_found",),
    ),
    Fault(
        "a_late_receipt_looks_like_any_other",
        "A receipt that was signed long after the settlement says so.",
        "sdks/python/src/causeway_sdk/records.py",
        "> timedelta(hours=1):\n        report.notes",
        "> timedelta(days=1000):\n        report.notes",
        ("tests/records/test_backlog.py::test_it_has_a_receipt_that_says_that_it_was_signed_later",),
    ),
    Fault(
        "a_node_that_is_behind_refutes_a_receipt",
        "A node that has not come so far neither proves nor refutes.",
        "sdks/python/src/causeway_sdk/nodes.py",
        "    if head < number:",
        "    if head < 0:",
        ("tests/records/test_nodes.py::test_a_node_that_cannot_know_refutes_nothing",),
    ),
    Fault(
        "the_next_transfer_will_do",
        "A receipt's transfer is the one at its place in the transaction.",
        "sdks/python/src/causeway_sdk/nodes.py",
        'startswith("+") else int(place)',
        'startswith("+") else first',
        ("tests/records/test_nodes.py::test_a_place_of_an_earlier_release_is_that_in_its_block",),
    ),
)
