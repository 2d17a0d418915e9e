"""The Python SDK judges webhooks as the service does, on every vector and on 10,000 headers made by chance."""

import json
import random
from collections.abc import Callable
from typing import Any

import pytest
from causeway_sdk import CausewayError, webhooks
from causeway_sdk.testing import sign, tampered

from sdks.generator import vectors
from webhooks.signatures import sign as sign_by_service
from webhooks.signatures import verify as verify_by_service

VECTORS: list[dict[str, Any]] = json.loads((vectors.FOLDER / "webhooks.json").read_text(encoding="utf-8"))["vectors"]
FUZZED = 10_000


def verdict(raw: bytes, headers: dict[str, str], secrets: list[str], now: float) -> str | None:
    try:
        webhooks.verify(raw, headers, secrets, now=now)
    except webhooks.WebhookVerificationError as error:
        return error.reason
    return None


def test_there_are_enough_vectors_and_both_verdicts() -> None:
    assert len(VECTORS) >= 60
    assert len({vector["name"] for vector in VECTORS}) == len(VECTORS)
    assert sum(vector["refusal"] is None for vector in VECTORS) >= 20


@pytest.mark.parametrize("vector", VECTORS, ids=[vector["name"] for vector in VECTORS])
def test_the_verdict_is_the_services(vector: dict[str, Any]) -> None:
    given = verdict(vector["body"].encode(), vector["headers"], vector["secrets"], vector["now"])
    assert given == vector["refusal"]


def test_ten_thousand_headers_made_by_chance_get_the_services_verdict_and_none_is_believed(
    record_property: Callable[[str, object], None],
) -> None:
    chance = random.Random(20261128)  # noqa: S311 - the same headers in every run
    bits = ["t=", "v1=", "v0=", ",", " ", "=", ";", "²", "é", "☕", "\x00", "\ud800", "\t", "0" * 64, "a", "-", "1e9"]
    bits += [str(vectors.NOW), sign_by_service(vectors.SECRET, vectors.NOW, b"another"), str(vectors.NOW - 400)]
    body = vectors.BODY.encode()
    record_property("asked", FUZZED)
    for _ in range(FUZZED):
        header = "".join(chance.choices(bits, k=chance.randint(0, 12)))
        given = verdict(body, {"Svc-Signature": header}, [vectors.SECRET], vectors.NOW)
        refusal = verify_by_service(header, body, [vectors.SECRET], vectors.NOW).refusal
        assert given is not None, header
        assert given == refusal, header


def test_a_body_that_was_parsed_already_is_refused_by_its_name() -> None:
    for body in ({"id": "evt"}, "text", None):
        with pytest.raises(TypeError, match="request.body"):
            webhooks.verify(body, {}, "whsec_x")  # type: ignore[arg-type]  # what is refused


def test_what_is_signed_for_a_test_unwraps_to_its_type_and_tampered_does_not() -> None:
    raw = b'{"id":"evt_1","type":"payment_intent.settled","data":{"id":"a","amount":"19.99"},"sequence":3}'
    headers = sign(raw, vectors.SECRET)
    event = webhooks.unwrap(raw, headers, vectors.SECRET)
    assert event.type == "payment_intent.settled"
    assert str(event.data.amount) == "19.99"
    with pytest.raises(webhooks.WebhookVerificationError, match="signature_mismatch"):
        webhooks.unwrap(raw, tampered(headers), vectors.SECRET)


def test_an_event_of_tomorrow_is_a_plain_event_and_what_is_no_event_is_refused() -> None:
    raw = b'{"id":"evt_1","type":"payment_intent.of_tomorrow","data":{"a":1}}'
    event = webhooks.unwrap(raw, sign(raw, vectors.SECRET), vectors.SECRET)
    assert isinstance(event, webhooks.UnknownEvent)
    assert event.to_dict()["type"] == "payment_intent.of_tomorrow"
    with pytest.raises(CausewayError, match="no event"):
        webhooks.unwrap(b"[]", sign(b"[]", vectors.SECRET), vectors.SECRET)
