"""Who may act for a payer: the page's token, or a session that a publishable key opened on a merchant's page."""

from datetime import timedelta
from typing import Any

import pytest
from django.conf import settings
from django.test import override_settings

from core.modes import Mode
from merchants.models import AllowedOrigin, ApiKey, RefusedOrigin
from merchants.principal import Principal
from merchants.refused_origins import refused
from merchants.services import roll_key_pair
from merchants.services.origins import allow_origin, remove_origin
from tests.checkout.pages import LIVE
from tests.conftest import ApiClient, Reply
from tests.factories.rows import all_rows
from tests.payments.payer import EVM_WALLET, Payer
from tests.payments.world import World, create, history, read

SHOP = "https://shop.example"
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
    return ApiClient(key).post(f"/checkout/{intent['id']}/session", **headers)


def expect_refused(reply: Reply, status: int, code: str, **details: str) -> None:
    assert (reply.status, reply.body["code"]) == (status, code), reply.body
    assert not details or reply.body["details"] == details


@pytest.mark.spec("Contract 9.3")
@pytest.mark.spec("Checkout write actions: short-lived checkout token")
def test_what_is_no_token_of_this_payment_is_refused(world: World, api: ApiClient) -> None:
    """Which credentials open nothing at all stands in tests/authorization/test_matrix.py."""
    intent = create(api)
    good, elsewhere = Payer.of(intent).token, Payer.of(create(api)).token
    world.wait(901)
    fresh = Payer.of(intent).token
    tokens = ["", good, elsewhere, f"{fresh}x", fresh[:-1], fresh.upper(), "é", "a:b:c", intent["id"]]
    tokens += [intent["id"].replace("-", ""), fresh.replace(":", "", 1)]
    before = all_rows()
    for method, path, body in GUARDED:
        where = f"/checkout/{intent['id']}{path}"
        replies = [ApiClient("").send(method, where, body, Checkout_Token=token) for token in tokens]
        told = {(reply.status, reply.body["code"], str(reply.body["details"])) for reply in replies}
        assert told == {(401, "checkout_token_invalid", "{}")}, path
        for nothing in ("x", ATTEMPT):
            reply = ApiClient("").send(method, f"/checkout/{nothing}{path}", body, Checkout_Token=fresh)
            expect_refused(reply, 404, "not_found", resource="payment_intent")
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


def allow(account: Any, mode: Mode, origin: str) -> None:
    allow_origin(Principal(merchant_id=account.merchant.pk, mode=mode, actor="user:1"), origin)


@pytest.mark.spec("Contract 5.13; Contract 14.3")
@pytest.mark.spec("Publishable keys: allowed origins, live at least one configured")
def test_live_sessions_need_a_listed_origin(live_api: ApiClient, account: Any) -> None:
    intent, key = create(live_api, **LIVE), account.live.publishable_key
    before = all_rows()

    def expect_all_refused(*origins: str) -> None:
        for origin in origins:
            reply = session(key, intent, **({"Origin": origin} if origin else {}))
            expect_refused(reply, 403, "origin_not_allowed", origin=origin)

    expect_all_refused(SHOP, "")
    allow(account, Mode.LIVE, SHOP)
    expect_all_refused("https://evil.example", "http://shop.example", f"{SHOP}:8443", "https://sub.shop.example")
    expect_all_refused(f"{SHOP}.evil.example", "null", f"{SHOP}/", "")
    assert all_rows() == before
    assert session(key, intent, Origin=SHOP).status == 200


def test_test_sessions_come_from_anywhere_until_an_origin_is_listed(api: ApiClient, account: Any) -> None:
    intent, key = create(api), account.test.publishable_key
    mine = {"Origin": "http://localhost:3000"}
    assert [session(key, intent, **sent).status for sent in ({}, mine)] == [200, 200]
    allow(account, Mode.TEST, mine["Origin"])
    everybody: tuple[dict[str, str], ...] = (mine, {"Origin": "https://evil.example"}, {})
    assert [session(key, intent, **sent).status for sent in everybody] == [200, 403, 403]


def token_on(key: str, intent: dict[str, Any], origin: str = SHOP) -> str:
    reply = session(key, intent, **({"Origin": origin} if origin else {}))
    assert reply.status == 200, reply.body
    token: str = reply.body["checkout_token"]
    return token


def renew(intent: dict[str, Any], token: str, **headers: str) -> Reply:
    """Ask for a fresh token with one that still works, as the frame does."""
    return ApiClient("").post(f"/checkout/{intent['id']}/session", Checkout_Token=token, **headers)


def look(intent: dict[str, Any], token: str, **headers: str) -> Reply:
    return ApiClient("").get(f"/checkout/{intent['id']}/state", Checkout_Token=token, **headers)


@pytest.mark.spec("Contract 9.3; Contract 14.3")
@pytest.mark.spec("Publishable keys initialise the embedded checkout")
def test_a_payment_from_a_page_of_another_origin(world: World, api: ApiClient, account: Any) -> None:
    allow(account, Mode.TEST, SHOP)
    intent = create(api)
    payer = Payer(intent_id=intent["id"], token=token_on(account.test.publishable_key, intent))
    world.wait(800)
    again = renew(intent, payer.token, Origin=settings.BASE_URL)
    assert (again.status, set(again.body)) == (200, {"checkout_token", "expires_at"})
    payer.token = again.body["checkout_token"]
    world.wait(800)
    payer.pay(payer.start(world))
    world.run(4)
    assert read(api, intent)["status"] == "settled"


@pytest.mark.slow
def test_a_token_works_where_it_was_opened_and_in_our_frame(api: ApiClient, account: Any) -> None:
    intent, other = create(api), create(api)
    token = token_on(account.test.publishable_key, intent)
    tricks = ["https://evil.example", "null", "http://shop.example", f"{SHOP}:8443", "https://www.shop.example"]
    tricks += [f"{SHOP}/", f"{SHOP}.evil.example", "http://localhost:8001", "https://localhost:8000", f"{SHOP} {SHOP}"]

    def ask(of: dict[str, Any], **headers: str) -> list[Reply]:
        return [
            ApiClient("").send(method, f"/checkout/{of['id']}{path}", body, Checkout_Token=token, **headers)
            for method, path, body in GUARDED
        ]

    before = all_rows()
    for origin in tricks:
        for reply in ask(intent, Origin=origin):
            expect_refused(reply, 403, "origin_not_allowed", origin=origin)
    for reply in ask(other, Origin=SHOP):
        expect_refused(reply, 401, "checkout_token_invalid")
    assert all_rows() == before
    for headers in ({"Origin": SHOP}, {"Origin": settings.BASE_URL}, {"Origin": "http://testserver"}, {}):
        assert not {reply.status for reply in ask(intent, **headers)} & {401, 403}, headers


def test_the_hosted_pages_token_is_for_our_own_pages(api: ApiClient, account: Any) -> None:
    intent = create(api)
    token = Payer.of(intent).token
    assert look(intent, token).status == 200
    assert look(intent, token, Origin=settings.BASE_URL).status == 200
    assert look(intent, token, Origin=SHOP).body["code"] == "origin_not_allowed"
    by_program = token_on(account.test.publishable_key, intent, origin="")
    assert look(intent, by_program).status == 200
    assert look(intent, by_program, Origin=SHOP).body["code"] == "origin_not_allowed"


def test_nothing_of_a_token_can_be_changed(api: ApiClient, account: Any) -> None:
    intent, other = create(api), create(api)
    token, key = token_on(account.test.publishable_key, intent), account.test.publishable_key
    key_id = ApiKey.objects.get(publishable_value=key).pk
    own = Payer.of(intent).token
    bound, signature = token.split(":", 1)[0], token.rsplit(":", 2)[-2:]
    assert token.startswith(f"{intent['id'].replace('-', '')}.{key_id}.{SHOP}:")
    before = all_rows()
    for forged in (
        token.replace(SHOP, "https://evil.example"),
        token.replace(f".{key_id}.", f".{key_id + 1}."),
        token.replace(intent["id"].replace("-", ""), other["id"].replace("-", "")),
        token.replace(f".{key_id}.{SHOP}", ""),
        own.replace(":", f".{key_id}.{SHOP}:", 1),
        ":".join((bound, *signature)),
        f"{own}.{key_id}.{SHOP}",
        token.replace(SHOP, f"{SHOP}.evil.example"),
    ):
        for reply in (look(intent, forged), renew(intent, forged), look(other, forged)):
            expect_refused(reply, 401, "checkout_token_invalid")
    assert all_rows() == before
    assert key not in token
    assert len(token) < 160


def test_a_renewal_asks_whether_the_key_still_works(world: World, api: ApiClient, account: Any) -> None:
    intent = create(api, expires_in_seconds=7200)
    token = token_on(account.test.publishable_key, intent)
    owner = Principal(merchant_id=account.merchant.pk, mode=Mode.TEST, actor="user:1")
    secret = ApiKey.objects.get(merchant=account.merchant, mode=Mode.TEST, kind="sk")
    roll_key_pair(owner, timedelta(minutes=10), shown_key_id=secret.pk)
    again = renew(intent, token, Origin=settings.BASE_URL)
    assert again.status == 200, "a rolled key has its grace"
    world.wait(601)
    before = all_rows()
    expect_refused(renew(intent, again.body["checkout_token"], Origin=settings.BASE_URL), 401, "revoked_api_key")
    assert all_rows() == before
    assert look(intent, again.body["checkout_token"]).status == 200, "what was begun may be told to its end"
    world.wait(300)
    for ask in (look, renew):
        expect_refused(ask(intent, again.body["checkout_token"]), 401, "checkout_token_invalid")


@pytest.mark.spec("Publishable keys: allowed origins, live at least one configured")
def test_a_renewal_asks_whether_the_page_is_still_listed(live_api: ApiClient, account: Any) -> None:
    intent, key = create(live_api, **LIVE), account.live.publishable_key
    allow(account, Mode.LIVE, SHOP)
    token = token_on(key, intent)
    assert renew(intent, token, Origin=SHOP).status == 200
    owner = Principal(merchant_id=account.merchant.pk, mode=Mode.LIVE, actor="user:1")
    remove_origin(owner, AllowedOrigin.objects.get().pk)
    for headers in ({"Origin": SHOP}, {"Origin": settings.BASE_URL}, {}):
        expect_refused(renew(intent, token, **headers), 403, "origin_not_allowed", origin=SHOP)
    refused.flush()
    assert [(row.origin, row.mode) for row in RefusedOrigin.objects.all()] == [(SHOP, "live")]


def test_what_is_below_a_star_may_and_is_bound_to_itself(live_api: ApiClient, account: Any) -> None:
    intent, key = create(live_api, **LIVE), account.live.publishable_key
    allow(account, Mode.LIVE, "https://*.shop.example")
    token = token_on(key, intent, "https://de.shop.example")
    assert look(intent, token, Origin="https://de.shop.example").status == 200
    assert look(intent, token, Origin="https://fr.shop.example").status == 403
    assert session(key, intent, Origin=SHOP).status == 403


def test_sessions_of_one_key_are_counted_apart_from_the_merchants_requests(api: ApiClient, account: Any) -> None:
    intent = create(api)
    with override_settings(RATE_LIMIT_SCALE=0.08):
        for _ in range(2):
            token_on(account.test.publishable_key, intent)
        reply = session(account.test.publishable_key, intent, Origin=SHOP)
        expect_refused(reply, 429, "rate_limited")
        assert reply.headers["Access-Control-Allow-Origin"] == SHOP
        assert int(reply.headers["Retry-After"]) >= 1
        assert create(api)["status"] == "created"
