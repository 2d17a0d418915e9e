"""What is written for TypeScript from the description."""

from dataclasses import replace

import pytest

from sdks.generator.ir import Api, Enum, Field, Model, Type
from sdks.generator.read import read_api
from sdks.generator.typescript import SKILL, files, generated


@pytest.fixture(scope="module")
def api() -> Api:
    return read_api()


def test_the_committed_files_are_what_would_be_written(api: Api) -> None:
    for path, text in files(api).items():
        assert path.read_text(encoding="utf-8") == text, f"run make sdks: {path.name}"


def test_the_skill_names_every_method_with_what_it_takes(api: Api) -> None:
    text = files(api)[SKILL]
    assert text.count("\n- `") == sum(len(service.methods) for service in api.services)
    assert "- `advanceClock({ seconds })`: " in text
    assert "- `resendDelivery(endpointId, deliveryId)`: " in text


def test_every_operation_stands_in_the_table_once_under_the_name_of_the_rule(api: Api) -> None:
    blocks = generated(api).split("export const OPERATIONS = `")[1].split("`")[0].split("\n\n")
    table = {block.split("\n")[0]: block.split("\n")[1:] for block in blocks}
    assert all(len(set(lines)) == len(lines) for lines in table.values())
    assert sum(map(len, table.values())) == sum(len(service.methods) for service in api.services)
    for resource, line in (
        ("paymentIntents payment-intents", "create POST . +"),
        ("paymentIntents payment-intents", "list LIST . starting_after"),
        ("refunds refunds", "setDestination POST ./{}/destination +"),
        ("refunds refunds", "listPaymentIntentPayers GET payment-intents/{}/payers"),
        ("webhookEndpoints webhook-endpoints", "resendDelivery POST ./{}/deliveries/{}/resend"),
        ("health ../health", "get GET ."),
        ("health ../health", "getReadiness GET ./ready"),
    ):
        assert line in table[resource]


def test_each_event_narrows_and_an_unknown_one_has_a_type_of_its_own(api: Api) -> None:
    text = generated(api)
    union = text.split("export type Event =")[1].split(";")[0]
    assert union.count("|") == len(api.events) + 1
    assert union.endswith("| UnknownEvent")
    assert 'export type PaymentIntentSettledEvent = EventOf<"payment_intent.settled", ' in text


def test_open_words_take_others_and_closed_ones_do_not(api: Api) -> None:
    enums = {
        "Mood": Enum(name="Mood", values=("good", "bad")),
        "Side": Enum(name="Side", values=("left",), is_open=False),
    }
    text = generated(replace(api, enums=enums))
    assert 'export type Mood = "good" | "bad" | (string & {});' in text
    assert 'export type Side = "left";' in text


def test_dollars_are_text_in_answers_and_other_numbers_are_numbers(api: Api) -> None:
    fields = tuple(
        Field(name=name, type=Type(kind="decimal", wire="number", nullable=True), is_required=False)
        for name in ("fee_usd", "score")
    )
    text = generated(replace(api, models={**api.models, "Cost": Model(name="Cost", fields=fields)}))
    assert "export interface Cost {\n  fee_usd?: string | null;\n  score?: number | null;\n}" in text


def test_one_name_with_two_numbers_of_decimals_is_refused(api: Api) -> None:
    service = next(service for service in api.services if service.name == "refunds")
    create = service.methods[0]
    assert create.body is not None
    fields = tuple(replace(part, decimals=3 if part.name == "amount_usd" else None) for part in create.body.fields)
    other = replace(create, name="other", body=replace(create.body, fields=fields))
    services = (replace(service, methods=(*service.methods, other)),)
    with pytest.raises(ValueError, match="amount_usd has 6 decimals in one request and 3 here"):
        generated(replace(api, services=services))


def test_a_post_that_could_take_effect_twice_is_refused(api: Api) -> None:
    service = next(service for service in api.services if service.name == "refunds")
    services = (replace(service, methods=(replace(service.methods[0], is_idempotent=False),)),)
    with pytest.raises(ValueError, match="createRefund takes no idempotency key"):
        generated(replace(api, services=services))


def test_what_a_description_says_cannot_end_the_comment_it_stands_in(api: Api) -> None:
    model = Model(name="Odd", fields=(), about="Ends */ here.")
    assert "/** Ends * / here. */\nexport interface Odd {\n}" in generated(
        replace(api, models={**api.models, "Odd": model})
    )
