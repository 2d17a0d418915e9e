"""GET /checkout/{id}: what anybody with the link may see, and nothing else."""

import re
from typing import Any

import pytest

from tests.conftest import ApiClient
from tests.factories.rows import all_rows
from tests.payments.payer import Payer
from tests.payments.statuses import STORIES, intent_in
from tests.payments.world import World, create, pay

KEYS = {"id", "amount", "currency", "status", "settlement_chain", "settlement_token", "expires_at", "legs"}
PRIVATE = {
    "customer_email": "ann@buyer.example",
    "reference": "secret-order-17",
    "metadata": {"secret-key": "secret-value"},
    "return_url": "https://shop.example/secret-path",
    "settlement_address": "0x8617E340B3D01FA5F11F306F4090FD50E238070D",
}


def seen(anonymous: ApiClient, intent: dict[str, Any]) -> dict[str, Any]:
    """The public view."""
    reply = anonymous.get(f"/checkout/{intent['id']}")
    assert reply.status == 200
    body: dict[str, Any] = reply.body
    return body


@pytest.mark.spec("Contract 9.1")
@pytest.mark.spec("CheckoutView: fields")
@pytest.mark.parametrize("status", STORIES)
def test_exact_keys_in_every_status(world: World, api: ApiClient, anonymous: ApiClient, status: str) -> None:
    intent = intent_in(world, api, status, **PRIVATE)
    reply = anonymous.get(f"/checkout/{intent['id']}")
    view = reply.body
    assert set(view) == KEYS
    assert {name: view[name] for name in KEYS - {"legs"}} == {name: intent[name] for name in KEYS - {"legs"}}
    assert isinstance(view["amount"], str)
    for leg in view["legs"]:
        assert set(leg) == {"chain", "token", "amount_usd", "status"}
        assert [type(leg[name]) for name in ("chain", "token", "amount_usd", "status")] == [str, str, float, str]
    text = reply.raw.decode()
    for secret in ("ann@", "secret", "8617E340", "0x7e57", "Corner Shop", "owner@"):
        assert secret.lower() not in text.lower()


@pytest.mark.spec("CheckoutView: legs")
def test_a_leg(world: World, api: ApiClient, anonymous: ApiClient) -> None:
    intent = create(api)
    assert seen(anonymous, intent)["legs"] == []
    pay(api, intent)
    world.run(4)
    reply = anonymous.get(f"/checkout/{intent['id']}")
    assert reply.body["legs"] == [{"chain": "base", "token": "USDC", "amount_usd": 25, "status": "confirmed"}]
    assert b'"amount_usd":25.00' in reply.raw


@pytest.mark.spec("GET checkout: no authentication")
def test_forms_of_the_id(api: ApiClient, anonymous: ApiClient) -> None:
    identifier = create(api)["id"]
    for written in (identifier, identifier.replace("-", "")):
        assert anonymous.get(f"/checkout/{written}").body["id"] == identifier
        assert anonymous.get(f"/checkout/pi_{written}").body["id"] == identifier


@pytest.mark.spec("Errors: 404 checkout view")
def test_unknown_links(api: ApiClient, anonymous: ApiClient) -> None:
    identifier = create(api)["id"]
    unknown = ("x", "pi_", "5b1f6bb8-43bc-4e6e-9d3a-000000000000", "%00", f"re_{identifier}", f"{identifier}%20")
    for written in unknown:
        reply = anonymous.get(f"/checkout/{written}")
        assert (reply.status, reply.body["code"]) == (404, "not_found"), written
        assert reply.body["details"] == {"resource": "payment_intent"}


def test_keys_make_no_difference(api: ApiClient, account: Any, other_account: Any, anonymous: ApiClient) -> None:
    intent = create(api)
    expected = seen(anonymous, intent)
    for key in (account.test.publishable_key, account.live.secret_key, other_account.test.publishable_key, "rubbish"):
        assert ApiClient(key).get(f"/checkout/{intent['id']}").body == expected


@pytest.mark.spec("Contract 9.2")
@pytest.mark.spec("GET checkout: ETag and no-store")
def test_an_unchanged_view_is_not_sent_again(world: World, api: ApiClient, anonymous: ApiClient) -> None:
    intent = create(api)
    path = f"/checkout/{intent['id']}"
    first = anonymous.get(path)
    tag = first.headers["ETag"]
    assert re.fullmatch(r'"[0-9a-f]{32}"', tag)
    assert first.headers["Cache-Control"] == "no-store"
    world.wait(5)
    for sent in (tag, f"W/{tag}", f'"other", {tag}'):
        reply = anonymous.get(path, If_None_Match=sent)
        assert (reply.status, reply.raw, reply.headers["ETag"]) == (304, b"", tag)
        assert reply.headers["Cache-Control"] == "no-store"
    assert anonymous.get(path, If_None_Match='"other"').status == 200
    Payer.of(intent).renew()
    changed = anonymous.get(path, If_None_Match=tag)
    assert (changed.status, changed.body["status"], changed.headers["ETag"] == tag) == (200, "requires_payment", False)


@pytest.mark.spec("Contract 21.5")
def test_reading_changes_nothing(world: World, api: ApiClient, anonymous: ApiClient) -> None:
    intent = create(api)
    world.wait(86_400)
    before = all_rows()
    assert seen(anonymous, intent)["status"] == "created"
    assert all_rows() == before


def test_it_is_read_only(api: ApiClient, anonymous: ApiClient) -> None:
    intent = create(api)
    before = all_rows()
    for method in ("POST", "PUT", "PATCH", "DELETE"):
        reply = anonymous.send(method, f"/checkout/{intent['id']}", {})
        assert (reply.status, reply.body["code"]) == (405, "method_not_allowed"), method
    assert all_rows() == before
