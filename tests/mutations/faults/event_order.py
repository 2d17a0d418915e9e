"""Faults of the one order of events: what is committed later stands before what was seen, or is seen by others."""

from tests.mutations.planting import Fault

_LIST = "tests/webhooks/test_event_list.py::"
_RACES = "tests/webhooks/test_event_order_races.py::"

FAULTS = (
    Fault(
        "several_give_places",
        "Who gives places to events does so alone until they are committed.",
        "webhooks/order.py",
        "    return EventOrder.objects.select_for_update().get(pk=_ONLY)",
        "    return EventOrder.objects.get(pk=_ONLY)",
        (_RACES + "test_one_gives_places_at_a_time_so_that_they_are_seen_in_their_order",),
        needs_postgres=True,
    ),
    Fault(
        "what_follows_a_held_event_goes_first",
        "What happened to a resource after an event that somebody holds waits for it.",
        "webhooks/delivery/fan_out.py",
        "event.sequence < left.get(event.resource_id, event.sequence + 1)])",
        "True])",
        (_RACES + "test_what_somebody_holds_waits_with_all_that_comes_after_it_of_the_same_resource",),
        needs_postgres=True,
    ),
    Fault(
        "places_are_numbers",
        "A place is a time, so that a restored database gives none again.",
        "webhooks/order.py",
        "    first = max(order.last + 1, microseconds(moment))",
        "    first = order.last + 1",
        (_LIST + "test_a_database_of_before_gives_no_place_that_was_seen",),
    ),
    Fault(
        "places_go_back_with_the_clock",
        "A place is never below one that was given.",
        "webhooks/order.py",
        "    first = max(order.last + 1, microseconds(moment))",
        "    first = microseconds(moment)",
        (_LIST + "test_a_clock_that_is_set_back_gives_no_place_before_what_was_seen",),
    ),
    Fault(
        "steps_go_by_their_clocks",
        "Events of a resource stand in the order of its steps.",
        "webhooks/order.py",
        "    for event in sorted(events, key=lambda event: event.sequence):",
        "    for event in events:",
        (_LIST + "test_steps_of_a_resource_stand_in_their_order_whatever_their_clocks_said",),
    ),
    Fault(
        "events_of_everybody",
        "A list of events holds those of one merchant and mode.",
        "webhooks/event_pages.py",
        "    own = Event.objects.visible_to(principal)",
        "    own = Event.objects.all()",
        (_LIST + "test_nobody_sees_what_is_of_another_merchant_or_mode",),
    ),
    Fault(
        "restricted_keys_see_addresses_of_endpoints",
        "A restricted key sees no news of endpoints.",
        "webhooks/event_pages.py",
        "    return own.exclude(resource_type=OF_ENDPOINTS) if is_restricted else own",
        "    return own",
        (_LIST + "test_a_restricted_key_needs_its_scope_and_sees_no_addresses_of_endpoints",),
    ),
    Fault(
        "what_was_purged_is_passed_in_silence",
        "A cursor whose events may have been deleted is refused.",
        "webhooks/event_pages.py",
        "        raise CursorExpired",
        "        return place",
        (_LIST + "test_a_cursor_from_before_what_is_kept_is_refused_unless_nothing_came_since",),
    ),
    Fault(
        "a_crash_passes_over_a_page",
        "Who stops in the middle of a page goes on behind what was done.",
        "webhooks/event_pages.py",
        "[cursor_at(place) for place, _ in self.rows]",
        "[cursor_at(self.place) for _ in self.rows]",
        (
            "tests/webhooks/test_event_list.py::test_each_event_has_a_cursor_that_goes_on_behind_it",
            "tests/sdks/test_catch_up.py::test_a_receiver_that_crashes_does_each_once_in_order",
        ),
    ),
    Fault(
        "catching_up_forgets_where_it_was",
        "The cursor that is saved is behind the event that was handed on.",
        "sdks/python/src/causeway_sdk/cursors.py",
        "            self.cursor, values = self._given.pop(0)",
        "            _, values = self._given.pop(0)",
        ("tests/sdks/test_catch_up.py::test_a_handler_that_raises_ends_it_and_is_asked_again_at_that_event",),
    ),
    Fault(
        "what_came_before_is_handed_on_again",
        "What a service that was put back lists again is known by its id.",
        "sdks/python/src/causeway_sdk/cursors.py",
        'if values["id"] not in self._known:',
        'if values["id"]:',
        ("tests/sdks/test_catch_up.py::test_following_survives_an_outage_and_knows_what_came_before",),
    ),
)
