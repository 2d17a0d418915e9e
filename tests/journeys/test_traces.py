"""Traces on the production form: one payment from the request to the webhook, and what an ill collector costs."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import UUID

import pytest

from core.trace_places import place_of_event, root_of
from tests.journeys.collector import Collector, Seen, collecting
from tests.journeys.http_caller import Caller, soon
from tests.journeys.production import Production, production
from tests.journeys.recipe import Delivery, Receiver, receiving
from tests.journeys.stories import is_settled, paid, register
from tests.machine import PATIENCE_SECONDS, own_port

pytestmark = [pytest.mark.postgres, pytest.mark.exhaustive]

CALLERS_TRACE, CALLERS_SPAN = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
EVENTS = ("created", "quoted", "executing", "settled")
SHORTEST_DELAY = {"OTEL_BSP_SCHEDULE_DELAY": "200", "OTEL_EXPORTER_OTLP_TIMEOUT": "1"}


@contextmanager
def traced(folder: Path, collector: Collector, **more: str) -> Iterator[tuple[Production, Caller]]:
    settings = {"OTEL_EXPORTER_OTLP_ENDPOINT": collector.url, **SHORTEST_DELAY, **more}
    with production(folder, own_port(), **settings) as service:
        yield service, service.merchant()


def pay(merchant: Caller) -> str:
    header = f"00-{CALLERS_TRACE}-{CALLERS_SPAN}-01"
    made = merchant.post("/payment-intents", {"amount": 25}, Traceparent=header, Idempotency_Key="once")
    again = merchant.post("/payment-intents", {"amount": 25}, Traceparent=header, Idempotency_Key="once")
    assert (made.status, again.status, again.raw) == (201, 201, made.raw)
    intent: str = made.body["id"]
    assert merchant.post(f"/test-helpers/payment-intents/{intent}/pay").status == 200
    soon(lambda: is_settled(merchant, intent), f"intent {intent} settled")
    return intent


def test_one_payment_is_one_trace_from_the_request_to_the_webhook(tmp_path: Path) -> None:
    with collecting() as collector, traced(tmp_path, collector) as (service, merchant), receiving() as receiver:
        register(merchant, receiver)
        intent = pay(merchant)
        receiver.wait_for(lambda got: got.sequences(intent) == [1, 2, 3, 4], PATIENCE_SECONDS)
        root = root_of(UUID(intent))
        trace, first = f"{root.trace:032x}", f"{root.span:016x}"
        posts = [one for one in receiver.deliveries if one.event["resource"]["id"] == intent]
        soon(lambda: len(named(collector.of(trace), "webhook post")) >= len(posts), "the last span")
        spans = collector.of(trace)
        merchant_is_asked(spans, first)
        workers_take_steps(spans, first)
        receivers_are_posted_to(spans, first, UUID(intent), posts)
        assert {one.trace for one in collector.spans} >= {trace}
        assert f"trace={trace}" not in service.printed()  # nothing went wrong, so no line has one


def named(spans: list[Seen], name: str) -> list[Seen]:
    return [one for one in spans if one.name == name]


def merchant_is_asked(spans: list[Seen], first: str) -> None:
    """The request that made it is the trace's first span; the same again, and what came later, stand under it."""
    made = named(spans, "POST /api/public/v1/payment-intents")
    assert sorted(one.above for one in made) == ["", first]
    [root] = [one for one in made if not one.above]
    assert (root.program, root.span, root.links) == ("web", first, (f"{CALLERS_TRACE}-{CALLERS_SPAN}",))
    assert (root.facts["causeway.status"], root.facts["causeway.method"]) == ("201", "POST")
    assert root.facts["causeway.request"].startswith("req_")
    [paid] = named(spans, "POST /api/public/v1/test-helpers/payment-intents/{id}/pay")
    assert (paid.above, paid.facts["causeway.status"]) == (first, "200")


def workers_take_steps(spans: list[Seen], first: str) -> None:
    """Each step of a worker stands under the first span, and what it does under the step."""
    steps = {one.span for one in named(spans, "payment step")}
    assert {one.above for one in named(spans, "payment step")} == {first}
    for name in ("payment plan", "payment observe", "payment confirm"):
        assert named(spans, name), name
        assert {one.above for one in named(spans, name)} <= steps
    moments = [moment for one in spans if one.program == "worker" for moment in one.moments]
    assert moments.count("settle") == 1
    [settled] = [one for one in spans if "settle" in one.moments]
    assert settled.name == "payment confirm"


def receivers_are_posted_to(spans: list[Seen], first: str, intent: UUID, posts: list[Delivery]) -> None:
    """Each event under the first span, each post under its event, and the receiver is told where."""
    events = {one.facts["causeway.event"]: one for one in spans if one.name.startswith("event ")}
    assert sorted(one.name for one in events.values()) == sorted(f"event payment_intent.{name}" for name in EVENTS)
    assert {one.above for one in events.values()} == {first}
    told = {one.headers["traceparent"]: one.headers["svc-event-id"] for one in posts}
    made = {f"00-{one.trace}-{one.span}-01": one for one in named(spans, "webhook post")}
    assert set(told) == set(made)
    for traceparent, event_id in told.items():
        place = place_of_event(intent, event_id)
        assert (made[traceparent].above, events[event_id].span) == (f"{place.span:016x}", f"{place.span:016x}")
        assert made[traceparent].facts["causeway.status"] == "200"


def test_a_collector_that_is_ill_costs_nobody_anything(tmp_path: Path) -> None:
    """It refuses, then hangs, with more than the queue holds; payments settle, and programs end as they always do."""
    tight = {"OTEL_BSP_MAX_QUEUE_SIZE": "16", "OTEL_BSP_MAX_EXPORT_BATCH_SIZE": "8", "RATE_LIMIT_SCALE": "100"}
    with (
        collecting() as collector,
        traced(tmp_path, collector, **tight) as (service, merchant),
        receiving() as receiver,
    ):
        register(merchant, receiver)
        collector.status = 503
        told_of_a_payment_among_others(merchant, receiver, collector)
        collector.hangs.set()
        told_of_a_payment_among_others(merchant, receiver, collector)
        codes = {name: program.stop() for name, program in service.programs.items()}
        assert codes == dict.fromkeys(codes, 0)
        assert collector.spans == []


def told_of_a_payment_among_others(merchant: Caller, receiver: Receiver, collector: Collector) -> None:
    asked = collector.asked
    for _ in range(20):
        assert merchant.post("/payment-intents", {"amount": 25}).status == 201
    intent = paid(merchant)
    receiver.wait_for(lambda got: got.sequences(intent) == [1, 2, 3, 4], PATIENCE_SECONDS)
    soon(lambda: collector.asked > asked, "somebody who asks the collector")
