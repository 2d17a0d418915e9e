"""GET /checkout/{id}: what anybody with the link may see; and a publishable key, which acts nowhere but there."""

import re
from itertools import product
from typing import Any

import pytest

from tests.conftest import ApiClient
from tests.core.error_form import assert_refused
from tests.factories.rows import all_rows
from tests.payments.payer import Payer
from tests.payments.world import World, create, pay

ANY_ID = "5b1f6bb8-43bc-4e6e-9d3a-000000000000"


@pytest.mark.spec("CheckoutView: legs")
def test_a_leg(world: World, api: ApiClient, anonymous: ApiClient) -> None:
    intent = create(api)
    assert anonymous.get(f"/checkout/{intent['id']}").body["legs"] == []
    pay(api, intent)
    world.run(4)
    reply = anonymous.get(f"/checkout/{intent['id']}")
    assert reply.body["legs"] == [{"chain": "base", "token": "USDC", "amount_usd": 25, "status": "confirmed"}]
    assert b'"amount_usd":25.00' in reply.raw


@pytest.mark.spec("GET checkout: no authentication")
@pytest.mark.spec("Errors: 404 checkout view")
def test_forms_of_the_link_and_links_to_nothing(api: ApiClient, anonymous: ApiClient) -> None:
    identifier = create(api)["id"]
    for written in (identifier, identifier.replace("-", "")):
        assert anonymous.get(f"/checkout/{written}").body["id"] == identifier
        assert anonymous.get(f"/checkout/pi_{written}").body["id"] == identifier
    for written in ("x", "pi_", ANY_ID, "%00", f"re_{identifier}", f"{identifier}%20"):
        reply = anonymous.get(f"/checkout/{written}")
        assert (reply.status, reply.body["code"]) == (404, "not_found"), written
        assert reply.body["details"] == {"resource": "payment_intent"}


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


@pytest.mark.spec("Contract 5.12; Contract 14.3")
@pytest.mark.spec("Publishable keys: elsewhere 401 secret_key_required")
def test_a_publishable_key_acts_nowhere_else(api: ApiClient, account: Any) -> None:
    """At every door there is: tests/authorization/test_matrix.py."""
    create(api)
    before = all_rows()
    for pair, method in product((account.test, account.live), ("GET", "POST")):
        reply = ApiClient(pair.publishable_key).send(method, "/payment-intents", {"amount": 25})
        assert_refused(reply, 401, "secret_key_required")
        assert reply.headers["WWW-Authenticate"] == "Bearer"
    assert all_rows() == before
