"""What is kept how long: somebody decided it for every table, and what operators read of it is true."""

from django.apps import apps
from django.conf import settings

from config.retention import FOR_EVER, KEPT, PAGE, Kept, written
from config.schedule import SCHEDULE


def undecided(kept: tuple[Kept, ...]) -> set[str]:
    """The models that the table does not name, and those that it names and nobody has."""
    models = {f"{one._meta.app_label}.{one.__name__}" for one in apps.get_models(include_auto_created=True)}
    return models ^ {name for row in kept for name in row.models}


def test_every_model_is_kept_for_ever_with_a_reason_or_for_so_long() -> None:
    assert undecided(KEPT) == set()
    assert undecided(KEPT[1:]) == {"webhooks.Event", "webhooks.Delivery", "webhooks.DeliveryAttempt"}
    names = [name for row in KEPT for name in row.models]
    assert len(names) == len(set(names))
    assert [row.what for row in KEPT if row.until == FOR_EVER and (row.job or not row.why)] == []
    assert [row.what for row in KEPT if bool(row.until) == bool(row.setting)] == []
    assert [row.what for row in KEPT if row.setting and not row.job] == []


def test_what_purges_it_is_done_by_the_clock_and_what_says_how_long_is_a_setting() -> None:
    assert {row.job for row in KEPT if row.job} - set(SCHEDULE) == set()
    assert {name for name in SCHEDULE if ".purge_" in name} - {row.job for row in KEPT} == set()
    named = {row.setting for row in KEPT if row.setting}
    assert {name for name in dir(settings) if name.startswith("KEEP_")} == named


def test_the_table_that_operators_read_is_current() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert written(page) == page, "make retention"
    assert "| 30 days (`KEEP_EVENTS_DAYS`) | `webhooks.purge_old_events`" in page
