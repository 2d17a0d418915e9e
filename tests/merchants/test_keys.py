"""Keys: who may do what with which, how long they work, and that no database holds a usable secret."""

import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from itertools import product
from typing import Any

import pytest
from django.apps import apps
from django.db import connection

from core.clock import now
from core.modes import Mode
from core.secrets import lookup_digest
from merchants.authentication import KeyUsage, usage
from merchants.models import ApiKey, KeyKind
from merchants.principal import Principal
from merchants.services import NewMerchant, current_keys, revoke_key, roll_key_pair
from tests.conftest import ApiClient
from tests.core.error_form import assert_refused
from tests.machine import PATIENCE_SECONDS
from tests.payments.world import World, create

LIST = "/payment-intents"


def key_of(account: NewMerchant, mode: Mode, kind: KeyKind) -> ApiKey:
    return current_keys(account.merchant, mode).get(kind=kind)


@pytest.mark.spec("Authentication 1-3: secret and publishable keys of two modes")
@pytest.mark.spec("Authentication 1: bearer secret key")
def test_two_pairs_of_the_named_kinds(account: NewMerchant) -> None:
    for pair, mode in ((account.test, "test"), (account.live, "live")):
        assert pair.mode == mode
        assert pair.secret_key.startswith(f"sk_{mode}_")
        assert pair.publishable_key.startswith(f"pk_{mode}_")
        assert len(pair.secret_key) == len("sk_test_") + 43
        assert pair.secret_key.isascii()
        assert pair.secret_key.replace("_", "").isalnum()
    for scheme in ("Bearer", "bearer", "BEARER"):
        reply = ApiClient("").get(LIST, Authorization=f"{scheme} {account.test.secret_key}")
        assert (reply.status, reply.body["data"]) == (200, [])


def test_no_cache_keeps_what_a_key_was_told(account: NewMerchant) -> None:
    for key, path, status in (
        (account.test.secret_key, LIST, 200),
        (account.test.secret_key, f"{LIST}/nothing", 404),
        (account.test.publishable_key, LIST, 401),
        ("sk_test_unknown", LIST, 401),
    ):
        reply = ApiClient(key).get(path)
        assert (reply.status, reply.headers["Cache-Control"]) == (status, "no-store"), (path, reply.raw)
    made = ApiClient(account.test.secret_key).post(LIST, {"amount": 25}, Idempotency_Key="k")
    again = ApiClient(account.test.secret_key).post(LIST, {"amount": 25}, Idempotency_Key="k")
    assert [reply.headers["Cache-Control"] for reply in (made, again)] == ["no-store", "no-store"]


@pytest.mark.spec("Contract 5.12")
@pytest.mark.spec("Errors: 401")
def test_no_or_an_unknown_key(account: NewMerchant) -> None:
    missing = ("", "Bearer", "Bearer ", "Basic c2tfdGVzdDo=", "sk_test_abc", "Token sk_test_abc")
    unknown = ("x", "sk_test_", "sk_test_unknown", "sk_test_\x00", "sk_test_\xff\xfe", "sk_test_a b", "whsec_abc")
    secret = account.test.secret_key
    almost = (secret[:-1], secret + "a", secret.swapcase(), secret.replace("sk_test", "sk_live"), secret[3:])
    for header, code in (
        *((header, "missing_api_key") for header in (None, *missing)),
        *((f"Bearer {key}", "invalid_api_key") for key in (*unknown, *almost, f"sk_test_{'x' * 100_000}")),
    ):
        reply = ApiClient("").get(LIST, **({} if header is None else {"Authorization": header}))
        assert_refused(reply, 401, code)
        assert reply.headers["WWW-Authenticate"] == "Bearer"


@pytest.mark.spec("Authentication 2: publishable keys")
def test_a_publishable_key_acts_for_nobody(account: NewMerchant, django_assert_num_queries: Any) -> None:
    """And one read finds the caller."""
    asked = (
        ("GET", LIST),
        ("POST", LIST),
        ("GET", f"{LIST}/x"),
        ("POST", f"{LIST}/x/cancel"),
        ("GET", "/webhook-endpoints"),
    )
    for key, (method, path) in product((account.test.publishable_key, account.live.publishable_key), asked):
        with django_assert_num_queries(1):
            assert_refused(ApiClient(key).send(method, path, {}), 401, "secret_key_required")


@pytest.mark.spec("Rulings A5.3; Contract 14.1")
def test_no_table_holds_a_usable_secret(account: NewMerchant, api: ApiClient) -> None:
    create(api)
    secrets = (account.test.secret_key, account.live.secret_key, "correct horse battery")
    for model in apps.get_models():
        with connection.cursor() as cursor:
            cursor.execute(f'SELECT * FROM "{model._meta.db_table}"')  # noqa: S608 - our own table names
            stored = repr(cursor.fetchall())
        assert [secret for secret in secrets if secret in stored] == [], model._meta.label
    row = ApiKey.objects.get(digest=lookup_digest(account.test.secret_key))
    assert (row.publishable_value, row.last_four) == ("", account.test.secret_key[-4:])


@pytest.mark.spec("Contract 5.12")
def test_a_revoked_key_ends_at_once(
    account: NewMerchant, principal: Principal, api: ApiClient, live_api: ApiClient
) -> None:
    revoke_key(principal, key_of(account, Mode.TEST, KeyKind.SECRET))
    assert_refused(api.get(LIST), 401, "revoked_api_key")
    assert live_api.get(LIST).status == 200


@pytest.mark.spec("Contract 14.1")
def test_a_rolled_key_works_until_its_grace_ends(
    world: World, account: NewMerchant, principal: Principal, api: ApiClient
) -> None:
    shown = key_of(account, Mode.TEST, KeyKind.SECRET)
    fresh = roll_key_pair(principal, timedelta(hours=1), shown_key_id=shown.pk)
    world.wait(3599.999)
    assert [client.get(LIST).status for client in (api, ApiClient(fresh.secret_key))] == [200, 200]
    world.wait(0.001)
    assert_refused(api.get(LIST), 401, "revoked_api_key")
    assert ApiClient(fresh.secret_key).get(LIST).status == 200
    assert key_of(account, Mode.TEST, KeyKind.SECRET).rolled_from == shown


def test_a_roll_without_grace_ends_the_old_keys_of_that_mode_and_merchant_at_once(
    account: NewMerchant, principal: Principal, api: ApiClient, live_api: ApiClient, other_api: ApiClient
) -> None:
    fresh = roll_key_pair(principal, timedelta(0), shown_key_id=key_of(account, Mode.TEST, KeyKind.SECRET).pk)
    assert_refused(api.get(LIST), 401, "revoked_api_key")
    assert [client.get(LIST).status for client in (live_api, other_api, ApiClient(fresh.secret_key))] == [200] * 3


def test_an_expired_key(world: World, account: NewMerchant, api: ApiClient) -> None:
    ApiKey.objects.filter(kind=KeyKind.SECRET, mode=Mode.TEST).update(expires_at=now() + timedelta(seconds=10))
    world.wait(9.999)
    assert api.get(LIST).status == 200
    world.wait(0.001)
    assert_refused(api.get(LIST), 401, "revoked_api_key")


@pytest.mark.spec("Contract 14.1")
@pytest.mark.spec("Rulings A5.2")
def test_last_use_is_written_down_once_a_minute(world: World, account: NewMerchant, api: ApiClient) -> None:
    usage.flush()
    ApiKey.objects.update(last_used_at=None)
    api.get(LIST)
    usage.flush()
    assert key_of(account, Mode.TEST, KeyKind.SECRET).last_used_at == now()
    assert key_of(account, Mode.LIVE, KeyKind.SECRET).last_used_at is None
    own, key = KeyUsage(), key_of(account, Mode.TEST, KeyKind.SECRET)
    ApiKey.objects.update(last_used_at=None)
    own.note(key.pk)
    used_at = now()
    world.wait(59)
    own.flush_if_due()
    assert key_of(account, Mode.TEST, KeyKind.SECRET).last_used_at is None
    world.wait(1)
    own.flush_if_due()
    assert key_of(account, Mode.TEST, KeyKind.SECRET).last_used_at == used_at


@pytest.mark.spec("Rulings A5.2")
def test_uses_from_many_threads_are_all_kept(account: NewMerchant) -> None:
    own = KeyUsage()
    keys = [key.pk for key in ApiKey.objects.all()]

    begin = threading.Barrier(8)

    def note_all(_: int) -> None:
        begin.wait(PATIENCE_SECONDS)
        for key in keys * 200:
            own.note(key)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(note_all, range(8)))
    own.flush()
    assert ApiKey.objects.filter(last_used_at__isnull=False).count() == len(keys) == 4
    own.flush_if_due()
