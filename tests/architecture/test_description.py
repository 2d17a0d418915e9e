"""What clients are made from: the description refuses nothing that is good, and says what programs need to know."""

from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal
from typing import Any

from jsonschema import Draft202012Validator

import payouts.states
import refunds.states
from core.errors import ServiceError
from payments.explanation.situations import Situation
from payments.routing.registry import PROVIDERS
from payments.scenarios import scenarios
from payments.states import IntentStatus
from payouts.explanation import PAYOUT_WORDS
from payouts.states import PayoutStatus
from refunds.explanation import BEYOND_STATUS, REFUND_WORDS
from refunds.states import RefundStatus
from tests.architecture.source import APPS
from tests.contract.conformity import document
from webhooks.catalog import EVENT_TYPES

PRICES = [Decimal(cents) / 100 for cents in range(1, 10_001)]
SIXTHS = [Decimal(millionths) / 1_000_000 for millionths in range(1, 1_000_000, 97)]
MOVE_MONEY = {
    *("acceptPartialPaymentIntent", "claimRefund", "createRefund", "refundToPayers", "replayPayout"),
    *("reportCheckoutTransaction", "setRefundDestination"),
}
OF_OTHER_DOORS = {
    *("account_exists", "already_member", "invitation_over", "key_limit", "key_pair_changed", "keys_changed"),
    *("last_operator", "last_owner", "origin_limit", "role_not_allowed", "too_many_invitations"),
    *("may_still_land", "not_for_a_wallet", "sender_is_recipient", "shown_to_another_wallet", "wallet_not_awaited"),
    *("second_person_required", "settlement_change_over", "settlement_change_waits", "settlement_signature_wrong"),
    *("settlement_unchanged", "signing_secret_changed", "webhook_endpoint_exists"),
    *("payer_asked_already", "payer_unknown", "refund_not_for_wallet", "refund_not_held"),
    *("payout_destination_outdated", "payout_not_cancellable", "payout_not_resumable"),
    *("agents_paused", "approval_denied", "approval_not_pending", "approval_outdated", "approval_required"),
    *("connection_ended", "limit_exceeded", "payout_not_possible", "unauthorized"),
    *("authorization_already_used", "authorization_not_offered", "authorization_unfit", "authorization_unsigned"),
    *("authorization_untimely", "authorization_unused", "payment_malformed"),
}
"""Codes of the dashboard, of the agents' door, of a payment's address for programs, and of the terminal."""
OF_NO_DOOR = {"conflict", "invalid_transition", "upstream_unavailable"}
"""What is raised by subclasses alone, by workers, or where a door has looked already."""
WHOLE = {"listPaymentIntentPayers", "listTestScenarios", "listTokens", "listWebhookEndpoints"}
"""Lists that are never paged."""


def everything_in(value: Any) -> Iterator[Mapping[str, Any]]:
    """Every object in the description."""
    if isinstance(value, Mapping):
        yield value
    inner = value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else ()
    for one in inner:
        yield from everything_in(one)


def operations() -> dict[str, tuple[str, dict[str, Any]]]:
    """Method and description of each operation, by its name."""
    paths = document()["paths"].values()
    return {found["operationId"]: (method, found) for methods in paths for method, found in methods.items()}


def with_mark(name: str) -> dict[str, Any]:
    return {operation: found[name] for operation, (_, found) in operations().items() if name in found}


def refused(schema: str, name: str, amounts: list[Decimal]) -> list[float]:
    """The amounts that a validator refuses which computes as every JSON parser reads: in binary floats."""
    judge = Draft202012Validator(document()["components"]["schemas"][schema]["properties"][name])
    return [float(amount) for amount in amounts if not judge.is_valid(float(amount))]


def test_no_price_is_refused_since_no_validator_is_asked_to_divide_floats(
    record_property: Callable[[str, object], None],
) -> None:
    assert [found for found in everything_in(document()) if "multipleOf" in found] == []
    wrong = refused("CreatePaymentIntentRequest", "amount", PRICES)
    wrong += refused("CreateRefundRequest", "amount_usd", [*PRICES, *SIXTHS])
    record_property("amounts", 2 * len(PRICES) + len(SIXTHS))
    record_property("wrong", len(wrong))
    assert wrong == []
    assert refused("CreatePaymentIntentRequest", "amount", [Decimal(0), Decimal(1_000_001)]) == [0.0, 1_000_001.0]
    dividing = Draft202012Validator({"type": "number", "multipleOf": 0.01})
    assert not dividing.is_valid(19.99)


def test_every_list_has_one_envelope() -> None:
    schemas = document()["components"]["schemas"]
    lists = {name for name in operations() if name.startswith("list")}
    for name in lists:
        [answer] = operations()[name][1]["responses"]["200"]["content"].values()
        schema = schemas[answer["schema"]["$ref"].rpartition("/")[2]]
        assert {"data", "has_more", "next_cursor"} <= set(schema["required"]), name
        assert schema["properties"]["data"]["type"] == "array"
        assert "null" in schema["properties"]["next_cursor"]["type"]
    paged = with_mark("x-pagination")
    assert paged.keys() == lists - WHOLE
    onward = {name: "after" if name == "listEvents" else "starting_after" for name in paged}
    assert paged == {
        name: {"cursor": cursor, "items": "data", "next": "next_cursor"} for name, cursor in onward.items()
    }


def test_every_post_of_merchants_takes_a_key_and_says_so() -> None:
    takes_key = {
        name
        for name, (_, found) in operations().items()
        if any(parameter["name"] == "Idempotency-Key" for parameter in found.get("parameters", ()))
    }
    posts = {
        name
        for name, (method, found) in operations().items()
        if method == "post" and {"bearerAuth": []} in found.get("security", [])
    }
    assert posts <= takes_key
    assert len(posts) >= 12
    assert with_mark("x-idempotent") == dict.fromkeys(takes_key, True)


def refusals(root: type[ServiceError] = ServiceError) -> Iterator[type[ServiceError]]:
    """Every refusal that the service knows."""
    yield root
    for one in root.__subclasses__():
        yield from refusals(one)


def test_every_refusal_is_declared_by_an_operation_or_belongs_to_another_door() -> None:
    declared = {code for codes in with_mark("x-codes").values() for code in codes}
    before_any_operation = {"method_not_allowed", "not_acceptable"}
    ours = {one.code for one in refusals() if one.__module__.partition(".")[0] in APPS}
    assert ours - declared - before_any_operation == OF_OTHER_DOORS | OF_NO_DOOR
    assert declared <= ours
    assert document()["components"]["schemas"]["ErrorCode"]["enum"] == sorted(declared | before_any_operation)


def test_the_statuses_of_an_operation_are_those_of_its_codes() -> None:
    status_of = {one.code: str(one.http_status) for one in refusals()}
    for name, (_, found) in operations().items():
        described = {status for status in found["responses"] if status >= "400"}
        assert {status_of[code] for code in found["x-codes"]} == described, name
        assert found["x-codes"] == sorted(set(found["x-codes"]))


def test_every_set_of_words_says_whether_it_may_grow() -> None:
    schemas = document()["components"]["schemas"]
    enums = {name: "x-open-enum" in schema for name, schema in schemas.items() if "enum" in schema}
    assert {name for name, is_open in enums.items() if not is_open} == {"Availability", "Mode"}
    assert {"ErrorCode", "IntentStatus", "RefundStatus"} <= enums.keys()


def open_words(schema: str, field: str) -> list[str]:
    """What the description says that a field may be, as one that may grow."""
    schemas = document()["components"]["schemas"]
    described = schemas[schema]["properties"][field]
    parts = (described, *described.get("allOf", ()), *described.get("oneOf", ()))
    [reference] = [part["$ref"] for part in parts if "$ref" in part]
    words = schemas[reference.rpartition("/")[2]]
    assert words["x-open-enum"] is True
    found: list[str] = words["enum"]
    return found


def test_words_of_our_own_tables_are_listed() -> None:
    situations = [one.value for one in Situation]
    afterwards = [*(f"payout_{status}" for status in PAYOUT_WORDS), *(f"refund_{status}" for status in REFUND_WORDS)]
    assert open_words("ExplanationLine", "code") == [*situations, *afterwards, *BEYOND_STATUS]
    assert open_words("Explanation", "code") == open_words("ExplanationLine", "code")
    assert open_words("ThreePartMessage", "code") == situations
    reasons = open_words("ExplanationFacts", "failure_reason")
    assert len(reasons) == len(set(reasons))
    assert set(reasons) == {*refunds.states.FAILURE_REASONS, *payouts.states.FAILURE_REASONS}
    assert open_words("LoggedRequest", "code") == open_words("ErrorBody", "code")
    providers = {provider.name for several in PROVIDERS.values() for provider in several}
    assert set(open_words("RouteCandidate", "provider")) == set(open_words("Leg", "provider")) == providers
    ends = open_words("Scenario", "ends_in")
    assert ends == sorted({one.ends_in for one in scenarios().values()})
    assert set(ends) <= {*IntentStatus.values, *PayoutStatus.values, *RefundStatus.values}


def test_an_event_is_told_apart_by_its_type_and_what_it_carries_follows() -> None:
    schemas, prefix = document()["components"]["schemas"], "#/components/schemas/"
    any_event = schemas["WebhookEvent"]
    assert any_event["discriminator"]["propertyName"] == "type"
    references = any_event["discriminator"]["mapping"]
    assert list(references) == [entry.name for entry in EVENT_TYPES]
    assert any_event["oneOf"] == [{"$ref": reference} for reference in references.values()]
    assert len(set(references.values())) == len(EVENT_TYPES)
    for name, reference in references.items():
        event = schemas[reference.removeprefix(prefix)]
        assert event["properties"]["type"]["const"] == name
        [sent] = document()["webhooks"][name]["post"]["requestBody"]["content"].values()
        assert sent["schema"] == {"$ref": reference}
        data = schemas[event["properties"]["data"]["$ref"].removeprefix(prefix)]
        assert set(data["required"]) == set(data["properties"]) >= {"id"}
    settled, created = schemas["PaymentIntentSettledEventData"], schemas["PaymentIntentEventData"]
    assert settled["properties"].keys() - created["properties"] == {"platform_fee_usd", "net_settlement_usd"}


def test_no_set_of_words_is_written_out_where_it_is_used() -> None:
    """Events and resources name the same sets: clients have one type for each."""
    schemas = document()["components"]["schemas"]
    inner = [found for schema in schemas.values() for found in everything_in(schema) if found is not schema]
    assert [found["enum"] for found in inner if "enum" in found] == []
    places = ("PaymentIntent", "PaymentIntentEventData")
    status = {name: {"$ref": schemas[name]["properties"]["status"]["$ref"]} for name in places}
    assert status == dict.fromkeys(status, {"$ref": "#/components/schemas/IntentStatus"})


def test_every_operation_says_what_it_does_to_money() -> None:
    effects = with_mark("x-effects")
    assert effects.keys() == operations().keys()
    assert {name for name, effect in effects.items() if effect == "money"} == MOVE_MONEY
    reads = {name for name, (method, _) in operations().items() if method == "get"}
    leases = {"pullWebhookDeliveries"}
    assert {name for name, effect in effects.items() if effect == "none"} == reads - leases
    assert set(effects.values()) == {"money", "state", "none"}
