"""What operators are shown, and what leaves with it: traces, and figures that are read."""

from tests.mutations.planting import Fault

TRACES = "tests/core/test_traces.py"
EXPORTER = "tests/operations/test_exporter.py"

FAULTS = (
    Fault(
        "a_trace_tells_the_payments_id",
        "A receiver that passes the trace on gives nobody the page of the payment.",
        "core/trace_places.py",
        "Place(_number(subject.bytes, _TRACE_BYTES), ",
        "Place(subject.int, ",
        (f"{TRACES}::test_the_numbers_follow_from_the_row_alone_and_tell_nothing_of_it",),
    ),
    Fault(
        "a_span_quotes_an_error",
        "A span names an error, and holds nothing that the error quotes.",
        "core/trace_sender.py",
        "record_exception=False,",
        "record_exception=True,",
        (f"{TRACES}::test_an_error_is_named_and_never_quoted",),
    ),
    Fault(
        "strangers_requests_are_traced",
        "What is answered to strangers is no span of anybody's payment.",
        "config/request_notes.py",
        "or answer.status in _UNTRACED",
        "or answer.status == 401",
        (f"{TRACES}::test_what_only_reads_or_is_nobodys_is_no_span",),
    ),
    Fault(
        "a_span_stands_in_anothers_trace",
        "What is done for one payment inside another's step is a span of its own payment.",
        "core/trace_sender.py",
        "if get_current_span().get_span_context().trace_id == root.trace else",
        "if get_current_span().get_span_context().is_valid else",
        (f"{TRACES}::test_spans_stand_under_the_open_one_of_their_own_trace_only",),
    ),
    Fault(
        "what_is_read_is_added_up",
        "Of what is read the newest holds.",
        "core/metrics.py",
        '"total = excluded.total"',
        '"total = {table}.total + excluded.total"',
        (f"{EXPORTER}::test_of_what_is_read_the_newest_holds_whoever_read_it",),
    ),
)
