"""Who may act for a payer: the page's token, or a publishable key that opens a session."""

from typing import Any

import pytest

from core.modes import Mode
from merchants.models import ApiKey
from merchants.principal import Principal
from merchants.services.origins import allow_origin
from tests.conftest import ApiClient, Reply
from tests.factories.payments import ANNS_EVM
from tests.factories.rows import all_rows
from tests.payments.payer import EVM_WALLET, Payer
from tests.payments.world import World, create, history, read

LIVE = {"settlement_chain": "base", "settlement_token": "USDC", "settlement_address": ANNS_EVM}
ATTEMPT = "5b1f6bb8-43bc-4e6e-9d3a-000000000000"
GUARDED: list[tuple[str, str, dict[str, Any] | None]] = [
    ("GET", "/state", None),
    ("POST", "/session", None),
    ("POST", "/wallet", {"family": "evm", "address": EVM_WALLET}),
    ("POST", "/quote", {"chain": "base", "token_address": EVM_WALLET}),
    ("POST", "/start", {"attempt_id": ATTEMPT}),
    ("POST", "/submitted", {"attempt_id": ATTEMPT, "leg_sequence": 1, "tx_hash": "0x" + "ab" * 32}),
    ("POST", "/rejected", {"attempt_id": ATTEMPT}),
    ("POST", "/simulated-wallet/transactions", {"attempt_id": ATTEMPT, "leg_sequence": 1}),
]


def session(key: str, intent: dict[str, Any], **headers: str) -> Reply:
    """Ask for a session with a key."""
    return ApiClient(key).post(f"/checkout/{intent['id']}/session", **headers)


def answers(key: str, intent: dict[str, Any], *headers: dict[str, str]) -> list[tuple[int, str]]:
    """How a session with a key is refused, with each of these headers."""
    replies = [session(key, intent, **sent) for sent in headers or ({},)]
    return [(reply.status, reply.body["code"]) for reply in replies]


@pytest.mark.spec("Contract 9.3")
@pytest.mark.spec("Checkout write actions: short-lived checkout token")
def test_what_is_no_token_of_this_payment_is_refused(world: World, api: ApiClient, account: Any) -> None:
    """So is a key: a secret one does not act for a payer, and a publishable one only opens a session."""
    intent, other = create(api), create(api)
    good, elsewhere = Payer.of(intent).token, Payer.of(other).token
    world.wait(901)
    fresh = Payer.of(intent).token
    tokens = ["", "x", good, elsewhere, f"{fresh}x", fresh[:-1], fresh.upper(), "é", "a:b:c", intent["id"]]
    tokens += [intent["id"].replace("-", ""), fresh.replace(":", "", 1)]
    carried = [{}, *({"Checkout_Token": token} for token in tokens)]
    keys = (account.test.secret_key, account.test.publishable_key)
    before = all_rows()
    for method, path, body in GUARDED:
        where = f"/checkout/{intent['id']}{path}"
        replies = [ApiClient("").send(method, where, body, **sent) for sent in carried]
        replies += [ApiClient(key).send(method, where, body) for key in keys if path != "/session"]
        told = {(reply.status, reply.body["code"], str(reply.body["details"])) for reply in replies}
        assert told == {(401, "checkout_token_invalid", "{}")}, path
        for nothing in ("x", ATTEMPT):
            reply = ApiClient("").send(method, f"/checkout/{nothing}{path}", body, Checkout_Token=fresh)
            assert (reply.status, reply.body["details"]) == (404, {"resource": "payment_intent"}), path
    assert all_rows() == before


@pytest.mark.spec("Contract 2.1")
@pytest.mark.spec("created: checkout opened: requires_payment")
def test_a_session_opens_the_payment(world: World, api: ApiClient) -> None:
    intent = create(api)
    payer = Payer.of(intent)
    assert read(api, intent)["status"] == "created"
    world.wait(60)
    reply = payer.send("POST", "/session")
    assert reply.status == 200
    assert set(reply.body) == {"checkout_token", "expires_at"}
    assert reply.body["expires_at"] == "2026-05-04T12:16:00.000Z"
    assert reply.headers["Cache-Control"] == "no-store"
    assert history(intent) == ["created", "requires_payment"]
    payer.renew()
    assert history(intent) == ["created", "requires_payment"]


@pytest.mark.spec("Contract 9.3")
def test_a_token_lives_a_quarter_of_an_hour(world: World, api: ApiClient) -> None:
    payer = Payer.of(create(api, expires_in_seconds=7200))
    for _ in range(3):
        world.wait(900)
        assert payer.send("GET", "/state").status == 200
        payer.renew()
    world.wait(901)
    assert payer.send("GET", "/state").status == 401
    assert payer.send("POST", "/session").status == 401


@pytest.mark.spec("Contract 9.3; Contract 14.3")
@pytest.mark.spec("Publishable keys initialise the embedded checkout")
def test_a_publishable_key_opens_a_session(world: World, api: ApiClient, account: Any) -> None:
    intent = create(api)
    reply = session(account.test.publishable_key, intent, Origin="https://anything.example")
    assert reply.status == 200
    payer = Payer(intent_id=intent["id"], token=reply.body["checkout_token"])
    payer.pay(payer.start(world))
    world.run(4)
    assert read(api, intent)["status"] == "settled"


@pytest.mark.spec("Test and live keys and intents cannot cross environments")
def test_keys_of_others_and_other_credentials_open_nothing(
    world: World, api: ApiClient, live_api: ApiClient, account: Any, other_account: Any
) -> None:
    mine, live = create(api), create(live_api, **LIVE)
    before = all_rows()
    for intent, key in (
        *((mine, other_account.test.publishable_key), (mine, account.live.publishable_key)),
        *((live, other_account.live.publishable_key), (live, account.test.publishable_key)),
    ):
        reply = session(key, intent, Origin="https://shop.example")
        assert (reply.status, reply.body["details"]) == (404, {"resource": "payment_intent"})
    for key in (account.test.secret_key, account.live.secret_key):
        assert answers(key, mine) == [(401, "publishable_key_required")]
    for key in ("pk_test_nobody", "nonsense"):
        assert answers(key, mine) == [(401, "invalid_api_key")]
    assert all_rows() == before
    ApiKey.objects.filter(publishable_value=account.test.publishable_key).update(revoked_at="2026-05-04T12:00:00Z")
    assert answers(account.test.publishable_key, mine) == [(401, "revoked_api_key")]


def allow(account: Any, mode: Mode, origin: str) -> None:
    """The merchant lists an origin."""
    allow_origin(Principal(merchant_id=account.merchant.pk, mode=mode, actor="user:1"), origin)


@pytest.mark.spec("Contract 5.13; Contract 14.3")
@pytest.mark.spec("Publishable keys: allowed origins, live at least one configured")
def test_live_sessions_need_a_listed_origin(live_api: ApiClient, account: Any) -> None:
    intent, key, shop = create(live_api, **LIVE), account.live.publishable_key, "https://shop.example"
    before = all_rows()

    def refused(*origins: str) -> None:
        for origin in origins:
            reply = session(key, intent, **({"Origin": origin} if origin else {}))
            assert (reply.status, reply.body["code"]) == (403, "origin_not_allowed")
            assert reply.body["details"] == {"origin": origin}

    refused(shop, "")
    allow(account, Mode.LIVE, shop)
    refused("https://evil.example", "http://shop.example", f"{shop}:8443", "https://sub.shop.example")
    refused(f"{shop}.evil.example", "null", f"{shop}/", "")
    assert all_rows() == before
    assert session(key, intent, Origin=shop).status == 200


def test_test_sessions_come_from_anywhere_until_an_origin_is_listed(api: ApiClient, account: Any) -> None:
    intent, key = create(api), account.test.publishable_key
    mine = {"Origin": "http://localhost:3000"}
    assert [session(key, intent, **sent).status for sent in ({}, mine)] == [200, 200]
    allow(account, Mode.TEST, mine["Origin"])
    everybody = (mine, {"Origin": "https://evil.example"}, {})
    assert [session(key, intent, **sent).status for sent in everybody] == [200, 403, 403]
