"""GET /checkout/{id}: what anybody with the link may see; and a publishable key, which acts nowhere but there."""

import re
from itertools import product
from typing import Any

import pytest
from django.urls import URLPattern, URLResolver, get_resolver
from rest_framework.views import APIView

from merchants.authentication import SecretKeyAuthentication
from tests.conftest import ApiClient
from tests.factories.rows import all_rows
from tests.payments.payer import Payer
from tests.payments.world import World, create, pay

ANY_ID = "5b1f6bb8-43bc-4e6e-9d3a-000000000000"


def seen(anonymous: ApiClient, intent: dict[str, Any]) -> dict[str, Any]:
    """The public view."""
    reply = anonymous.get(f"/checkout/{intent['id']}")
    assert reply.status == 200
    body: dict[str, Any] = reply.body
    return body


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


@pytest.mark.spec("Contract 21.5")
def test_it_is_read_only_and_keys_make_no_difference(
    world: World, api: ApiClient, account: Any, other_account: Any, anonymous: ApiClient
) -> None:
    intent = create(api)
    world.wait(86_400)
    before, expected = all_rows(), seen(anonymous, intent)
    assert expected["status"] == "created"
    for key in (account.test.publishable_key, account.live.secret_key, other_account.test.publishable_key, "rubbish"):
        assert ApiClient(key).get(f"/checkout/{intent['id']}").body == expected
    for method in ("POST", "PUT", "PATCH", "DELETE"):
        reply = anonymous.send(method, f"/checkout/{intent['id']}", {})
        assert (reply.status, reply.body["code"]) == (405, "method_not_allowed"), method
    assert all_rows() == before


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


def _routes(resolver: URLResolver, prefix: str = "") -> list[tuple[str, Any]]:
    found = []
    for entry in resolver.url_patterns:
        path = prefix + str(entry.pattern)
        if isinstance(entry, URLResolver):
            found += _routes(entry, path)
        elif isinstance(entry, URLPattern):
            found.append((path, entry.callback))
    return found


def secret_endpoints() -> set[tuple[str, str]]:
    """Every method and path that asks for a secret key."""
    found = set()
    for path, callback in _routes(get_resolver()):
        view = getattr(callback, "cls", None) or getattr(callback, "view_class", None)
        if view is None or not issubclass(view, APIView) or not path.startswith("api/public/"):
            continue
        if SecretKeyAuthentication in view.authentication_classes:
            own = [name for name in ("get", "post", "put", "patch", "delete") if hasattr(view, name)]
            filled, methods = "/" + re.sub(r"<[^>]+>", ANY_ID, path), getattr(callback, "actions", None) or own
            found |= {(method.upper(), filled) for method in methods if method != "head"}
    return found


@pytest.mark.spec("Contract 5.12; Contract 14.3")
@pytest.mark.spec("Publishable keys: elsewhere 401 secret_key_required")
def test_publishable_keys_are_refused_wherever_a_secret_key_is_asked_for(api: ApiClient, account: Any) -> None:
    intents, hooks = "/api/public/v1/payment-intents", "/api/public/v1/webhook-endpoints"
    assert {
        *((method, path) for path in (intents, hooks) for method in ("POST", "GET")),
        *(("GET", f"{intents}/{ANY_ID}{below}") for below in ("", "/transactions", "/routing")),
        *((method, f"{hooks}/{ANY_ID}") for method in ("PATCH", "DELETE")),
        *(("POST", f"{intents}/{ANY_ID}/cancel"), ("POST", f"{hooks}/{ANY_ID}/rotate-secret")),
    } <= secret_endpoints()
    intent = create(api)
    before = all_rows()
    for (method, path), pair in product(sorted(secret_endpoints()), (account.test, account.live)):
        for target in (path, path.replace(ANY_ID, intent["id"])):
            body = {"amount": 25} if method == "POST" else None
            reply = ApiClient(pair.publishable_key).send(method, target, body)
            assert (reply.status, reply.body["code"]) == (401, "secret_key_required"), (method, target)
            assert reply.headers["WWW-Authenticate"] == "Bearer"
    assert all_rows() == before
