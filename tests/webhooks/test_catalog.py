"""The table of event types and who wants which."""

import pytest

from webhooks.catalog import EVENT_NAMES, EVENT_TYPES, SUBSCRIBABLE, covers, types_covered_by, unknown_names


@pytest.mark.spec("Contract 10.2")
@pytest.mark.spec("Events: event types")
def test_the_specified_types_are_there_and_every_row_says_when() -> None:
    assert {"payment_intent.settled", "payment_intent.failed", "payout.paid", "payout.failed"} <= EVENT_NAMES
    assert len(EVENT_NAMES) == len(EVENT_TYPES) == 29
    assert all(entry.when.endswith(".") and entry.since for entry in EVENT_TYPES)


@pytest.mark.spec("Contract 10.3")
def test_wildcards_cover_their_resource_only() -> None:
    assert covers(["payout.*"], "payout.paid")
    assert not covers(["payout.*"], "payment_intent.settled")
    assert covers(["*"], "ping")
    assert not covers(["payment_intent.settled"], "payment_intent.settlement_reversed")
    assert types_covered_by(["refund.*", "ping"]) == [
        "refund.created",
        "refund.missing_destination",
        "refund.processing",
        "refund.paid",
        "refund.failed",
        "refund.cancelled",
        "ping",
    ]


def test_only_what_exists_can_be_subscribed_to() -> None:
    assert unknown_names(SUBSCRIBABLE) == []
    assert unknown_names(["payout.*", "payout.gone", "*.paid", "PING", "", "ping.*"]) == [
        "payout.gone",
        "*.paid",
        "PING",
        "",
        "ping.*",
    ]
