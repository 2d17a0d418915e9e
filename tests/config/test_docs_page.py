"""The description of the API: one document for programs, one page for people, both from here alone."""

import re
from pathlib import Path
from typing import Any

import orjson
import pytest
import yaml
from django.conf import settings
from django.contrib.staticfiles import finders
from django.test import Client
from openapi_spec_validator import OpenAPIV31SpecValidator

from tests.conftest import ApiClient
from tests.merchants.test_sign_in import INLINE, STRICT_POLICY, policy_of
from webhooks.catalog import EVENT_NAMES

DESCRIPTION = "/api/public/openapi.json"
UNAUTHENTICATED = {"/api/public/health", "/api/public/v1/tokens", "/api/public/v1/checkout/{intent_id}"}


@pytest.fixture
def served(anonymous: ApiClient, db: None) -> dict[str, Any]:
    """The document as a program gets it."""
    answer = anonymous.get(DESCRIPTION)
    assert (answer.status, answer.headers["Content-Type"]) == (200, "application/json")
    body: dict[str, Any] = answer.body
    return body


@pytest.mark.spec("Versioning: the machine-readable description carries the version 1.2.0")
def test_the_document_names_its_version(served: dict[str, Any]) -> None:
    assert (served["openapi"], served["info"]["version"]) == ("3.1.0", "1.2.0")


def test_the_document_is_valid(served: dict[str, Any]) -> None:
    assert [error.message for error in OpenAPIV31SpecValidator(served).iter_errors()] == []


@pytest.mark.spec("Contract 19.1")
def test_what_is_served_is_what_is_committed(served: dict[str, Any]) -> None:
    committed = Path(settings.BASE_DIR, "docs", "openapi.yaml").read_text(encoding="utf-8")
    assert orjson.loads(orjson.dumps(yaml.safe_load(committed))) == served


@pytest.mark.spec("Authentication: Authorization: Bearer <SECRET_KEY>")
def test_operations_name_their_credential(served: dict[str, Any]) -> None:
    scheme = served["components"]["securitySchemes"]["bearerAuth"]
    assert (scheme["type"], scheme["scheme"]) == ("http", "bearer")
    for path, operations in served["paths"].items():
        for method, operation in operations.items():
            if path in UNAUTHENTICATED:
                assert not any(operation.get("security", [])), (method, path)
    create = served["paths"]["/api/public/v1/payment-intents"]["post"]
    assert create["security"] == [{"bearerAuth": []}]


def test_every_operation_has_a_name_a_summary_and_a_known_tag(served: dict[str, Any]) -> None:
    operations = [one for path in served["paths"].values() for one in path.values()]
    names = [one["operationId"] for one in operations]
    assert len(set(names)) == len(names)
    assert [one["operationId"] for one in operations if not one.get("summary")] == []
    known = {tag["name"] for tag in served["tags"]}
    assert {tag for one in operations for tag in one["tags"]} <= known


@pytest.mark.spec("Limits: amount 0.01 to 1000000")
def test_bounds_of_the_amount_are_described(served: dict[str, Any]) -> None:
    amount = served["components"]["schemas"]["CreatePaymentIntentRequest"]["properties"]["amount"]
    assert (amount["type"], amount["minimum"], amount["maximum"]) == ("number", 0.01, 1000000)


@pytest.mark.spec("Errors: body with error, code, details")
def test_refusals_share_one_shape(served: dict[str, Any]) -> None:
    create = served["paths"]["/api/public/v1/payment-intents"]["post"]["responses"]
    shape = {"$ref": "#/components/schemas/Error"}
    assert {"201", "400", "401", "409", "413", "415", "429", "500", "503"} <= create.keys()
    for status in ("400", "401", "409", "413", "415", "429", "500", "503"):
        assert create[status]["content"]["application/json"]["schema"] == shape


@pytest.mark.spec("Events: envelope and types")
def test_every_event_is_described(served: dict[str, Any]) -> None:
    assert set(served["webhooks"]) == EVENT_NAMES
    settled = served["webhooks"]["payment_intent.settled"]["post"]
    assert settled["requestBody"]["content"]["application/json"]["schema"] == {
        "$ref": "#/components/schemas/IntentEvent"
    }
    assert set(settled["responses"]) == {"200", "401", "410"}
    assert {"id", "type", "created_at", "data"} <= set(served["components"]["schemas"]["IntentEvent"]["required"])


def test_programs_ask_again_cheaply(anonymous: ApiClient, db: None) -> None:
    first = anonymous.get(DESCRIPTION)
    again = anonymous.get(DESCRIPTION, If_None_Match=first.headers["ETag"])
    assert (again.status, again.raw) == (304, b"")


def test_the_document_is_only_read(anonymous: ApiClient, db: None) -> None:
    answer = anonymous.post(DESCRIPTION, {})
    assert (answer.status, answer.body["code"]) == (405, "method_not_allowed")


def test_the_page_is_strict_and_asks_nobody_else(db: None) -> None:
    page = Client().get("/api/docs/")
    text = page.content.decode()
    assert page.status_code == 200
    assert policy_of(page) == STRICT_POLICY
    assert page.headers["X-Frame-Options"] == "DENY"
    assert INLINE.findall(text) == []
    assert re.findall(r"""(?:src|href)=["'](?:https?:)?//""", text) == []
    assert f'data-url="{DESCRIPTION}"' in text


def test_everything_the_page_needs_is_here(db: None) -> None:
    text = Client().get("/api/docs/").content.decode()
    files = re.findall(r'(?:src|href)="/static/([^"]+)"', text)
    assert len(files) >= 5
    assert [name for name in files if finders.find(name) is None] == []
