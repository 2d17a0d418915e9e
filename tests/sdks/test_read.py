"""What the generator reads out of docs/openapi.yaml: every operation that a merchant's server calls, and no other."""

import functools
from typing import Any

import pytest
import yaml

from sdks.generator.ir import Api, Method
from sdks.generator.read import DESCRIPTION, api_of, method_name, read_api


@functools.cache
def document() -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.load(DESCRIPTION.read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)
    return loaded


@functools.cache
def api() -> Api:
    return read_api()


def method_called(name: str) -> Method:
    service, _, method = name.partition(".")
    found = {one.name: one for one in api().services}[service]
    return {one.name: one for one in found.methods}[method]


def test_every_operation_is_read_once_or_left_out_because_it_is_a_payers_or_the_commands() -> None:
    described = {
        operation["operationId"]: (path, operation.get("x-sdk"))
        for path, item in document()["paths"].items()
        for verb, operation in item.items()
        if verb != "parameters"
    }
    kept = [method.operation_id for service in api().services for method in service.methods]
    assert sorted([*kept, *api().left_out]) == sorted(described)
    of_the_command = {"getPaymentIntentScenario", "createTestScenarioReplay", "getTestScenarioReplay"}
    assert {name for name, (_, sdk) in described.items() if sdk == "command"} == of_the_command
    paths = [described[name][0] for name in api().left_out if name not in of_the_command]
    assert all("/checkout/" in path or "/refunds/{refund_id}/" in path for path in paths)


@pytest.mark.parametrize(
    ("operation_id", "tag", "name"),
    [
        ("createPaymentIntent", "Payment intents", "create"),
        ("listPaymentIntentTransactions", "Payment intents", "list_transactions"),
        ("rotateWebhookEndpointSecret", "Webhook endpoints", "rotate_secret"),
        ("setRefundDestination", "Refunds", "set_destination"),
        ("advanceTestClock", "Test helpers", "advance_clock"),
    ],
)
def test_a_method_is_called_by_its_operation_without_the_words_of_its_tag(
    operation_id: str, tag: str, name: str
) -> None:
    assert method_name(operation_id, tag) == name


def test_two_methods_of_one_name_are_refused() -> None:
    planted = {**document(), "paths": dict(document()["paths"])}
    planted["paths"]["/api/public/v1/refunds-again"] = document()["paths"]["/api/public/v1/refunds"]
    with pytest.raises(ValueError, match="Refunds has two methods called create, list"):
        api_of(planted)


def test_money_pages_and_keys_are_found_without_extensions() -> None:
    create = method_called("payment_intents.create")
    assert create.body is not None
    amount = create.body.fields[0]
    assert (amount.name, amount.type.kind, amount.type.wire) == ("amount", "decimal", "number")
    assert amount.is_required
    assert create.is_idempotent
    assert create.needs_key
    page = method_called("payment_intents.list").page
    assert page is not None
    assert (page.cursor, page.items, page.next) == ("starting_after", "data", "next_cursor")
    refund = method_called("refunds.create")
    assert refund.body is not None
    assert refund.body.variants == (("amount_usd", "intent_id"), ("intent_id", "stray_id"))
    assert not {method.operation_id for service in api().services for method in service.methods if _unsafe(method)}


def _unsafe(method: Method) -> bool:
    return method.verb == "POST" and not method.is_idempotent


def test_every_event_has_a_model_and_what_it_carries_but_ping() -> None:
    assert [event.type for event in api().events] == list(document()["webhooks"])
    assert {event.model for event in api().events} <= set(api().models)
    without = {event.type for event in api().events if event.data is None}
    assert without <= {"ping", "webhook_endpoint.disabled"}


def test_no_word_is_taken_for_an_amount() -> None:
    """A pattern with a point in it is not yet one of a decimal: event types have points, too."""
    kinds = {part.name: part.type.kind for part in method_called("events.list").in_query}
    assert (kinds["type"], kinds["limit"]) == ("text", "integer")
