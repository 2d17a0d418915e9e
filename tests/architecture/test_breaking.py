"""A client made from the last release's description works with the next: the gate, and that it refuses each break.

``DECIDED`` holds what a person looked at: why it breaks nobody.
"""

import json
from collections.abc import Callable
from copy import deepcopy
from typing import Any

import pytest

from payments.events import event_fields
from scripts.released import wire
from tests.architecture.breaking import breaks, last_release
from tests.contract.conformity import document
from webhooks.catalog import NAMES_IN_ORDER

HELPERS = "POST /api/public/v1/test-helpers"
_REFUSED_BEFORE = "Other words were refused by the service before; now the description has the list."
DECIDED = {
    f"{HELPERS}/events/trigger: body.type: does not take anything": _REFUSED_BEFORE,
    f"{HELPERS}/payment-intents/{{intent_id}}/pay: body.scenario: does not take anything": _REFUSED_BEFORE,
}

_OF_PULL = "Null only for endpoints that the merchant made to be fetched from."
_ENDPOINTS = "/api/public/v1/webhook-endpoints"
DECIDED |= {
    f"{where}url: is null, string and was string": _OF_PULL
    for where in (
        *(f"POST {_ENDPOINTS}: 201.", f"GET {_ENDPOINTS}: 200.data[].", f"GET {_ENDPOINTS}/{{endpoint_id}}: 200."),
        *(f"PATCH {_ENDPOINTS}/{{endpoint_id}}: 200.", f"POST {_ENDPOINTS}/{{endpoint_id}}/rotate-secret: 200."),
    )
}
OF_SOME_EVENTS = ("amount_due", "partially_funded", "overpaid_usd", "owed_usd")
_NEVER_SENT = "Said to be possible in every event, and sent with one alone; each event is described by itself now."
DECIDED |= {
    f"{event}: data.data.{name}: removed": _NEVER_SENT
    for event in NAMES_IN_ORDER
    for name in OF_SOME_EVENTS
    if event.startswith("payment_intent.") and name not in event_fields(event)
}

INTENTS = "/api/public/v1/payment-intents"
ONE = f"{INTENTS}/{{intent_id}}"
CREATE, CREATE_BODY = f"POST {INTENTS}", "CreatePaymentIntentRequest"
SHOWN = f"GET {ONE}: 200"


def test_nothing_that_the_last_release_promised_is_broken() -> None:
    assert set(breaks(last_release(), document())) ^ set(DECIDED) == set(), "docs/guides/versions.md"


def path(document: Any, *names: str) -> Any:
    for name in names:
        document = document[name]
    return document


def properties(document: Any, schema: str) -> Any:
    return path(document, "components", "schemas", schema, "properties")


def limit(document: Any) -> Any:
    return next(one for one in path(document, "paths", INTENTS, "get", "parameters") if one["name"] == "limit")


def required(schema: str, name: str) -> Callable[[Any], Any]:
    return lambda found: found["components"]["schemas"][schema].setdefault("required", []).append(name)


def optional(schema: str, name: str) -> Callable[[Any], Any]:
    return lambda found: found["components"]["schemas"][schema]["required"].remove(name)


def without_parameter(found: Any) -> None:
    found["paths"][INTENTS]["get"]["parameters"].remove(limit(found))


BREAKS: list[tuple[Callable[[Any], Any], str]] = [
    (lambda found: found["paths"].pop(INTENTS), f"{CREATE}: removed"),
    (lambda found: path(found, "paths", ONE).pop("get"), f"GET {ONE}: removed"),
    (
        lambda found: path(found, "paths", ONE, "get").update(operationId="readPaymentIntent"),
        f"GET {ONE}: is called readPaymentIntent and was getPaymentIntent",
    ),
    (lambda found: found["webhooks"].pop("payment_intent.settled"), "payment_intent.settled: removed"),
    (without_parameter, f"GET {INTENTS}: limit: parameter removed"),
    (lambda found: limit(found).update(required=True), f"GET {INTENTS}: limit: parameter is required"),
    (lambda found: limit(found)["schema"].update(maximum=50), f"GET {INTENTS}: limit: maximum is 50 and was 100"),
    (
        lambda found: limit(found)["schema"].update(type="string"),
        f"GET {INTENTS}: limit: takes string and took integer",
    ),
    (lambda found: properties(found, CREATE_BODY).pop("reference"), f"{CREATE}: body.reference: removed"),
    (required(CREATE_BODY, "reference"), f"{CREATE}: body.reference: is required"),
    (
        lambda found: properties(found, CREATE_BODY)["reference"].update(type="string"),
        f"{CREATE}: body.reference: takes string and took null, string",
    ),
    (
        lambda found: properties(found, CREATE_BODY)["amount"].update(minimum=1),
        f"{CREATE}: body.amount: minimum is 1 and was 0.01",
    ),
    (
        lambda found: properties(found, CREATE_BODY)["reference"].update(pattern="^[A-Z]+$"),
        f"{CREATE}: body.reference: pattern is ^[A-Z]+$ and was None",
    ),
    (
        lambda found: path(found, "components", "schemas", "EventSubscription", "enum").remove("ping"),
        "POST /api/public/v1/webhook-endpoints: body.events[]: does not take ping",
    ),
    (lambda found: properties(found, "PaymentIntent").pop("checkout_url"), f"{SHOWN}.checkout_url: removed"),
    (optional("PaymentIntent", "checkout_url"), f"{SHOWN}.checkout_url: may be missing"),
    (
        lambda found: properties(found, "PaymentIntent")["amount"].update(type="number"),
        f"{SHOWN}.amount: is number and was string",
    ),
    (
        lambda found: properties(found, "PaymentIntent")["amount"].update(type=["string", "null"]),
        f"{SHOWN}.amount: is null, string and was string",
    ),
    (
        lambda found: properties(found, "PaymentIntent")["expires_at"].pop("format"),
        f"{SHOWN}.expires_at: is no date-time any more",
    ),
    (
        lambda found: path(found, "components", "schemas", "Mode", "enum").append("sandbox"),
        f"{SHOWN}.mode: may be sandbox",
    ),
    (lambda found: path(found, "paths", ONE, "get", "responses").pop("200"), f"{SHOWN}: answer removed"),
    (
        lambda found: path(found, "paths", ONE, "get", "responses", "200", "headers").pop("Request-Id"),
        f"{SHOWN}: header Request-Id removed",
    ),
    (lambda found: path(found, "paths", ONE, "get").update(security=[]), ""),
    (
        lambda found: path(found, "paths", "/api/public/v1/tokens", "get").update(security=[{"bearerAuth": []}]),
        "GET /api/public/v1/tokens: needs a credential",
    ),
    (
        lambda found: path(found, "paths", ONE, "get").update(security=[{"checkoutToken": []}]),
        f"GET {ONE}: no longer takes bearerAuth",
    ),
]


@pytest.mark.parametrize(("change", "said"), [pytest.param(*one, id=one[1] or "open to all") for one in BREAKS])
def test_a_break_is_refused(change: Callable[[Any], Any], said: str) -> None:
    changed = deepcopy(document())
    change(changed)
    found = set(breaks(document(), changed))
    assert said in found if said else not found


def test_additions_new_names_and_new_texts_are_none() -> None:
    changed = deepcopy(document())
    schemas = changed["components"]["schemas"]
    properties(changed, CREATE_BODY)["colour"] = {"type": "string"}
    properties(changed, CREATE_BODY)["amount"].update(minimum=0.001, maximum=2_000_000)
    properties(changed, "PaymentIntent")["colour"] = {"type": "string"}
    required("PaymentIntent", "colour")(changed)
    schemas["IntentStatus"]["enum"].append("on_hold")
    schemas["EventSubscription"]["enum"].append("dispute.opened")
    schemas["PaymentIntent"]["description"] = "Other words."
    schemas["Payment"] = schemas.pop("PaymentIntent")
    renamed = json.loads(json.dumps(changed).replace('schemas/PaymentIntent"', 'schemas/Payment"'))
    renamed["paths"]["/api/public/v1/colours"] = renamed["paths"]["/api/public/v1/tokens"]
    limit(renamed)["schema"]["maximum"] = 500
    assert list(breaks(document(), renamed)) == []


def test_what_is_kept_of_a_release_is_its_wire_and_no_text() -> None:
    kept = wire(document())
    assert list(breaks(document(), kept)) == list(breaks(kept, document())) == []
    assert "description" not in kept["components"]["schemas"]["IntentStatus"]
    assert "description" not in str(kept["paths"][INTENTS]["post"])
    assert kept["components"]["schemas"]["IntentStatus"]["x-open-enum"] is True
    assert "429" not in kept["paths"][INTENTS]["post"]["responses"]
