"""What ends is said on each answer to whoever uses it, and in the description; nothing else is."""

from collections.abc import Iterable
from copy import deepcopy
from datetime import date
from typing import Any

import pytest

from config.description.headers import HEADERS, with_endings
from core import deprecations
from core.deprecations import NOTICE, Deprecation
from tests.conftest import ApiClient
from tests.contract import conformity
from tests.contract.conformity import document
from tests.payments.world import create

INTENTS = "/api/public/v1/payment-intents"
DATES: Any = {"since": date(2027, 1, 1), "until": date(2028, 1, 1)}
BY_EMAIL = Deprecation(method="GET", path=INTENTS, parameter="customer_email", instead="Use `q`.", **DATES)
EXPLAINED = Deprecation(method="GET", path=f"{INTENTS}/{{intent_id}}/explain", instead="Read the intent.", **DATES)
COLOUR = Deprecation(method="POST", path=INTENTS, field="reference", instead="Use `metadata`.", **DATES)
WARNED = {"Deprecation": "@1798761600", "Sunset": "Sat, 01 Jan 2028 00:00:00 GMT"}
LINK = '</docs/versions>; rel="deprecation"'


@pytest.fixture
def planted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three things that end; and no answer is refused for the link that says so."""
    monkeypatch.setattr(deprecations, "DEPRECATIONS", (BY_EMAIL, EXPLAINED, COLOUR))
    monkeypatch.setattr(conformity, "HEADERS", {name: one for name, one in HEADERS.items() if name != "Link"})


def warned(response: Any) -> dict[str, str]:
    return {name: response.headers[name] for name in ("Deprecation", "Sunset", "Link") if name in response.headers}


@pytest.mark.spec("Contract 19.2")
@pytest.mark.spec("Versioning 3 (not shown)")
@pytest.mark.usefixtures("planted")
def test_answers_to_whoever_uses_it_carry_both_dates_and_others_none(api: ApiClient) -> None:
    intent = create(api, customer_email="ann@shop.example")
    create(api, customer_email="ann@shop.example")
    assert warned(api.get("/payment-intents?customer_email=ann@shop.example")) == {**WARNED, "Link": LINK}
    paged = warned(api.get("/payment-intents?customer_email=ann@shop.example&limit=1"))
    assert paged["Link"].startswith("</api/public/v1/payment-intents?")
    assert paged["Link"].endswith(f'; rel="next", {LINK}')
    assert warned(api.get("/payment-intents?customer_email=")) == {**WARNED, "Link": LINK}
    assert warned(api.get("/payment-intents")) == {}
    assert warned(api.get(f"/payment-intents/{intent['id']}/explain")) == {**WARNED, "Link": LINK}
    assert warned(api.get(f"/payment-intents/{intent['id']}")) == {}
    assert warned(api.post("/payment-intents", {"amount": 0})) == {**WARNED, "Link": LINK}


@pytest.mark.usefixtures("planted")
def test_the_description_marks_it_with_its_dates_and_headers() -> None:
    described = deepcopy(document())
    with_endings(described)
    listing = described["paths"][INTENTS]["get"]
    parameter = next(one for one in listing["parameters"] if one["name"] == "customer_email")
    assert parameter["deprecated"] is True
    assert parameter["description"].endswith("Deprecated since 2027-01-01; it ends on 2028-01-01. Use `q`.")
    assert "deprecated" not in listing
    assert described["paths"][EXPLAINED.path]["get"]["deprecated"] is True
    body = described["components"]["schemas"]["CreatePaymentIntentRequest"]["properties"]
    assert {name for name, field in body.items() if field.get("deprecated")} == {"reference"}
    assert {"Deprecation", "Sunset"} <= set(listing["responses"]["200"]["headers"])
    assert {"Deprecation", "Sunset"} <= set(described["components"]["headers"])


def too_soon(rows: Iterable[Deprecation]) -> list[Deprecation]:
    return [row for row in rows if row.until - row.since < NOTICE]


@pytest.mark.spec("Contract 19.2")
def test_everything_that_ends_was_announced_a_year_before_and_is_in_the_description() -> None:
    hasty = Deprecation(method="GET", path=INTENTS, instead="Go.", since=date(2027, 1, 1), until=date(2027, 12, 31))
    assert too_soon((BY_EMAIL, hasty)) == [hasty]
    assert too_soon(deprecations.DEPRECATIONS) == []
    with_endings(deepcopy(document()))


def test_of_two_that_end_the_first_end_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    later = Deprecation(method="GET", path=INTENTS, instead="Go.", since=date(2027, 1, 1), until=date(2029, 1, 1))
    monkeypatch.setattr(deprecations, "DEPRECATIONS", (later, BY_EMAIL))
    said = dict(deprecations.warnings_of("GET", INTENTS, "customer_email=a"))
    assert said["Sunset"] == WARNED["Sunset"]
    assert dict(deprecations.warnings_of("GET", INTENTS, ""))["Sunset"] == "Mon, 01 Jan 2029 00:00:00 GMT"
    assert dict(deprecations.warnings_of("POST", INTENTS, "customer_email=a")) == {}
