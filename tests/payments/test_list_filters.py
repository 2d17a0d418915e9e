"""Filters of GET /payment-intents: each finds exactly what it names."""

from itertools import product
from typing import Any
from urllib.parse import quote, urlencode

import pytest

from payments.states import IntentStatus
from tests.conftest import ApiClient
from tests.factories.payments import ANNS_EVM
from tests.payments.world import World, create, pay


def found(api: ApiClient, **query: str) -> list[str]:
    reply = api.get(f"/payment-intents?{urlencode(query)}")
    assert reply.status == 200, reply.body
    return [intent["id"] for intent in reply.body["data"]]


def refused(api: ApiClient, name: str, text: str) -> None:
    reply = api.get(f"/payment-intents?{quote(name, safe='[]')}={quote(text)}")
    assert (reply.status, reply.body["code"]) == (400, "invalid_parameter"), reply.body
    assert reply.body["details"] == {"parameter": name}


@pytest.mark.spec("Contract 6.5; List: status filter")
def test_status(world: World, api: ApiClient) -> None:
    settled, waiting, cancelled = create(api)["id"], create(api)["id"], create(api)["id"]
    pay(api, {"id": settled})
    world.run(4)
    api.post(f"/payment-intents/{cancelled}/cancel")
    assert found(api, status="settled") == [settled]
    assert found(api, status="created") == [waiting]
    assert set(found(api, status="settled,created")) == {settled, waiting}
    assert set(found(api, status="settled, cancelled")) == {settled, cancelled}
    assert found(api, status="refunded") == []
    assert len(found(api, status=",".join(IntentStatus.values))) == 3


NO_TIMES = (
    *("", "yesterday", "2026-05-04", "2026-05-04T12:00:00", "1777896000", "2026-13-01T00:00:00Z", "\x00"),
    *("9999-12-31T23:59:59-23:00", "0001-01-01T00:00:00+23:00", "2026-05-04T25:00:00Z", "2026-05-04T12:00:00+99:00"),
)


@pytest.mark.spec("Contract 5.4; List: status filter")
def test_what_no_filter_takes(api: ApiClient) -> None:
    for status in ("", "paid", "SETTLED", "settled,", "settled,paid", "settled;created", "\x00"):
        refused(api, "status", status)
    for name, text in product(("created_gte", "created_lt"), NO_TIMES):
        refused(api, name, text)
    for name in ("reference", "customer_email", "q", "metadata[a]"):
        refused(api, name, "a\x00b")
    for text in ("", "x" * 255):
        refused(api, "q", text)


@pytest.mark.spec("Contract 6.5")
def test_created_between(world: World, api: ApiClient) -> None:
    early = create(api)["id"]
    world.wait(60)
    late = create(api)["id"]
    assert found(api, created_gte="2026-05-04T12:00:00Z") == [late, early]
    assert found(api, created_gte="2026-05-04T12:00:00.001Z") == [late]
    assert found(api, created_lt="2026-05-04T12:01:00Z") == [early]
    assert found(api, created_lt="2026-05-04T12:01:00.001Z") == [late, early]
    assert found(api, created_gte="2026-05-04T14:01:00+02:00") == [late]
    assert found(api, created_gte="2026-05-04T12:00:00Z", created_lt="2026-05-04T12:01:00Z") == [early]


@pytest.mark.spec("Contract 6.5")
def test_reference_and_email(api: ApiClient) -> None:
    mine = create(api, reference="INV 17", customer_email="ann@buyer.example")["id"]
    create(api, reference="INV 170", customer_email="bob@buyer.example")
    create(api)
    assert found(api, reference="INV 17") == [mine]
    assert found(api, customer_email="ann@buyer.example") == [mine]
    assert found(api, reference="INV 17", customer_email="bob@buyer.example") == []
    assert found(api, reference="inv 17") == []
    assert found(api, reference="INV%") == []
    for name in ("metadata", "metadata[]", "metadata[a][b]", "metadata[a", "unknown"):
        assert len(found(api, **{name: "x"})) == 3, f"{name} is known to nobody, and finds everything"


METADATA: list[tuple[str, Any, str]] = [
    *(("order", "17", "17"), ("order", 17, "17"), ("0", "zero", "zero"), ("17", "seventeen", "seventeen")),
    *(("-1", "minus", "minus"), ("a b", "c d", "c d"), ("a.b", "dot", "dot"), ("$", "dollar", "dollar")),
    *(('a"b', "quote", "quote"), ("a'b", "quote", "quote"), ("a\\b", "slash", "slash")),
    *(("ключ", "значение", "значение"), ("paid", True, "true"), ("paid", False, "false")),
    *(("empty", "", ""), ("%s", "percent", "percent")),
]
"""A key, its value, and how a query writes it."""


@pytest.mark.spec("Contract 6.5")
@pytest.mark.slow
def test_metadata(api: ApiClient) -> None:
    for number, (key, value, text) in enumerate(METADATA):
        reference = str(number)
        mine = create(api, metadata={key: value}, reference=reference)["id"]
        for other in ({"another": text}, {key: f"{text}x"}, {key: None}, {key: [text]}, {}):
            create(api, metadata=other, reference=reference)
        assert found(api, reference=reference, **{f"metadata[{key}]": text}) == [mine], key


@pytest.mark.spec("Rulings B9.2; Contract 6.5")
def test_search(world: World, api: ApiClient) -> None:
    """By the hash of either leg, once."""
    mine = create(api, reference="INV 17", customer_email="ann@buyer.example", settlement_address=ANNS_EVM)
    create(api)
    for scenario in ("partial", "settle"):
        pay(api, mine, scenario)
        world.run(6)
    legs = api.get(f"/payment-intents/{mine['id']}/transactions").body["data"]
    assert len(legs) == 2
    bare = mine["id"].replace("-", "")
    for text in (
        *(mine["id"], f"pi_{mine['id']}", bare, f"pi_{bare}", mine["id"].upper(), "INV 17", "ann@buyer.example"),
        *(ANNS_EVM, *(leg[name] for leg in legs for name in ("tx_hash", "destination_tx_hash"))),
    ):
        assert found(api, q=text) == [mine["id"]], text
    for text in ("INV", "inv 17", "ann", "buyer.example", mine["id"][:8], legs[0]["tx_hash"][:20], "nothing"):
        assert found(api, q=text) == [], text
