"""Restricted keys: what they may do, from where, until when, and that their words are those of agents."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from core.clock import now
from core.errors import InvalidRequest
from core.modes import Mode
from mcp.scopes import Scope
from merchants.addresses import is_listed, network_text
from merchants.errors import KeyLimit, KeysChanged
from merchants.key_terms import KeyTerms
from merchants.models import ApiKey, Change, KeyKind
from merchants.principal import Principal
from merchants.scopes import KEY_SCOPE_TEXTS, KeyScope
from merchants.services import (
    NewMerchant,
    change_key,
    create_restricted_key,
    revoke_every_key,
    revoke_key,
    roll_key_pair,
    roll_restricted_key,
)
from merchants.services.keys import MOST_RESTRICTED_KEYS, NewKey, newest_key_id
from tests.conftest import ApiClient
from tests.core.error_form import assert_refused
from tests.payments.world import World

LIST = "/payment-intents"
READ: tuple[str, ...] = (KeyScope.READ_INTENTS,)


def make(principal: Principal, scopes: tuple[str, ...] = READ, **terms: Any) -> NewKey:
    agreed = KeyTerms(**{"name": "Nightly report", "scopes": scopes, **terms})
    return create_restricted_key(principal, agreed, shown_key_id=newest_key_id(principal))


def secret_key(account: NewMerchant, mode: Mode = Mode.TEST) -> ApiKey:
    return ApiKey.objects.get(merchant=account.merchant, mode=mode, kind=KeyKind.SECRET, replaced_at=None)


def deeds(account: NewMerchant) -> list[tuple[str, str]]:
    return list(Change.objects.filter(merchant_id=account.merchant.pk).order_by("pk").values_list("action", "subject"))


@pytest.mark.spec("Contract 14.2")
def test_the_words_are_those_of_agents() -> None:
    assert {str(scope) for scope in KeyScope} < {str(scope) for scope in Scope}
    assert list(KEY_SCOPE_TEXTS) == list(KeyScope)


@pytest.mark.spec("Rulings A5.1")
def test_a_key_that_reads_cannot_write(principal: Principal) -> None:
    """A path that lacks the method is as closed."""
    made = make(principal)
    assert made.secret.startswith("rk_test_")
    assert (made.key.publishable_value, made.key.last_four) == ("", made.secret[-4:])
    client = ApiClient(made.secret)
    assert client.get(LIST).status == 200
    refused = client.post(LIST, {"amount": 25})
    assert_refused(refused, 403, "insufficient_scope")
    assert refused.body["details"] == {"required": ["payment_intents:write"]}
    closed = client.get("/webhook-endpoints")
    assert_refused(closed, 403, "insufficient_scope")
    assert closed.body["details"] == {"required": []}
    assert closed.body["error"] == "No restricted key may do that. Use a secret key on your server."
    client = ApiClient(make(principal, tuple(KeyScope)).secret)
    assert_refused(client.send("DELETE", LIST), 403, "insufficient_scope")
    assert_refused(client.send("PATCH", "/test-helpers/clock/advance"), 403, "insufficient_scope")


def test_its_answers_are_those_of_a_secret_key(api: ApiClient, principal: Principal) -> None:
    """Nothing is left out, so that what is read can be sent back. See ADR 28."""
    intent = api.post(LIST, {"amount": 25, "customer_email": "ann@shop.example", "metadata": {"order": 1}}).body
    assert ApiClient(make(principal).secret).get(f"{LIST}/{intent['id']}").body == intent
    first = api.post(LIST, {"amount": 25}, Idempotency_Key="once")
    again = ApiClient(make(principal, (KeyScope.WRITE_INTENTS,)).secret).post(
        LIST, {"amount": 25}, Idempotency_Key="once"
    )
    assert (again.status, again.raw, again.headers["Idempotent-Replayed"]) == (201, first.raw, "true")
    refused = ApiClient(make(principal).secret).post(LIST, {"amount": 25}, Idempotency_Key="once")
    assert_refused(refused, 403, "insufficient_scope")


@pytest.mark.spec("Rulings A5.1")
def test_a_chosen_end(world: World, account: NewMerchant, principal: Principal) -> None:
    made = make(principal, expires_at=now() + timedelta(hours=1))
    change_key(principal, secret_key(account), KeyTerms(expires_at=now() + timedelta(hours=1)))
    clients = [ApiClient(made.secret), ApiClient(account.test.secret_key)]
    world.wait(3599.999)
    assert [client.get(LIST).status for client in clients] == [200, 200]
    world.wait(0.001)
    for client in clients:
        assert_refused(client.get(LIST), 401, "revoked_api_key")


@pytest.mark.spec("Rulings A5.1; Contract 14.1")
@pytest.mark.parametrize("kind", ["sk", "rk"])
def test_only_from_listed_addresses(account: NewMerchant, principal: Principal, kind: str) -> None:
    if kind == "rk":
        made = make(principal)
        row, client = made.key, ApiClient(made.secret)
    else:
        row, client = secret_key(account), ApiClient(account.test.secret_key)
    scopes = READ if kind == "rk" else ()
    change_key(principal, row, KeyTerms(name="x", scopes=scopes, allowed_addresses=("203.0.113.7", "2001:db8::/32")))
    refused = client.get(LIST)
    assert_refused(refused, 403, "address_not_allowed")
    assert refused.body["details"] == {"address": "127.0.0.1"}
    change_key(principal, row, KeyTerms(name="x", scopes=scopes, allowed_addresses=("127.0.0.0/8",)))
    assert client.get(LIST).status == 200


def test_addresses() -> None:
    listed = {
        "203.0.113.7": ("203.0.113.7", "::ffff:203.0.113.7"),
        "::ffff:203.0.113.7": ("203.0.113.7",),
        "203.0.113.0/24": ("::ffff:203.0.113.9",),
        "::ffff:203.0.113.0/120": ("203.0.113.255",),
        "2001:DB8::/32": ("2001:db8:ffff::1",),
        "2001:db8::1": ("2001:0db8:0:0:0:0:0:1",),
    }
    strange = {
        "203.0.113.7": ("203.0.113.8",),
        "::ffff:203.0.113.0/120": ("203.0.114.0",),
        "2001:db8::1": ("2001:db8::2",),
        "10.0.0.0/8": ("::10.0.0.1", "", "unknown", "10.0.0.1, 10.0.0.2", "010.0.0.1"),
    }
    for rows, is_in in ((listed, True), (strange, False)):
        for network, address in ((network, address) for network, found in rows.items() for address in found):
            assert is_listed([network_text(network)], address) is is_in, (network, address)
    assert network_text("10.0.0.0/255.0.0.0\n") == "10.0.0.0/8"


NO_ADDRESSES = (
    *("", "x", "10.0.0", "10.0.0.256", "010.0.0.1", "10.0.0.1/", "10.0.0.1/33", "10.0.0.1/8", "1.2.3.4:80"),
    *("0.0.0.0/0", "::/0", "::ffff:0:0/96", "fe80::1%eth0", "2001:db8::g", "[::1]", "٣.٣.٣.٣", "1" * 100),
    *("10.0.0.1-10.0.0.9", "shop.example", "10.0.0.1 10.0.0.2"),
)


def test_terms_that_cannot_be(world: World, principal: Principal) -> None:
    refused: dict[str, tuple[Any, ...]] = {
        "name": ("", "   ", "x" * 81, "a\nb"),
        "scopes": ((), ("payment_intents:read", "*"), ("customer_data:read",)),
        "expires_at": (now(), now() + timedelta(days=3651)),
        "allowed_addresses": (("10.0.0.1",) * 51, *((text,) for text in NO_ADDRESSES)),
    }
    for field, terms in ((field, value) for field, values in refused.items() for value in values):
        with pytest.raises(InvalidRequest) as refusal:
            make(principal, **{field: terms})
        assert [problem["field"] for problem in refusal.value.details["fields"]] == [field], terms
    assert not ApiKey.objects.filter(kind=KeyKind.RESTRICTED).exists()
    assert not Change.objects.exists()


def test_kinds_have_no_more_than_is_theirs(account: NewMerchant, principal: Principal) -> None:
    publishable = ApiKey.objects.get(publishable_value=account.test.publishable_key)
    for key, terms in (
        (publishable, KeyTerms(allowed_addresses=("10.0.0.1",))),
        (publishable, KeyTerms(expires_at=now() + timedelta(days=1))),
        (publishable, KeyTerms(scopes=READ)),
        (secret_key(account), KeyTerms(scopes=READ)),
    ):
        with pytest.raises(InvalidRequest):
            change_key(principal, key, terms)
    assert not Change.objects.exists()
    assert change_key(principal, publishable, KeyTerms(name="Shop")).name == "Shop"


def test_a_rolled_key_goes_on_for_its_grace_and_is_no_mightier(world: World, principal: Principal) -> None:
    """Rolling never prolongs a key."""
    ends = now() + timedelta(days=3)
    old = make(principal, expires_at=ends, allowed_addresses=("127.0.0.1",))
    fresh = roll_restricted_key(principal, old.key, timedelta(hours=1))
    assert (fresh.key.name, fresh.key.scopes, fresh.key.allowed_addresses, fresh.key.expires_at) == (
        *("Nightly report", ["payment_intents:read"], ["127.0.0.1"]),
        ends,
    )
    assert [ApiClient(one.secret).get(LIST).status for one in (old, fresh)] == [200, 200]
    world.wait(3600)
    assert [ApiClient(one.secret).get(LIST).status for one in (old, fresh)] == [401, 200]
    with pytest.raises(KeysChanged):
        roll_restricted_key(principal, old.key, timedelta(0))
    old = make(principal, expires_at=now() + timedelta(minutes=10))
    roll_restricted_key(principal, old.key, timedelta(hours=72))
    world.wait(600)
    assert_refused(ApiClient(old.secret).get(LIST), 401, "revoked_api_key")


def test_a_rolled_pair_keeps_names_and_addresses(account: NewMerchant, principal: Principal) -> None:
    key = change_key(principal, secret_key(account), KeyTerms(name="Server", allowed_addresses=("127.0.0.1",)))
    fresh = roll_key_pair(principal, timedelta(0), shown_key_id=key.pk)
    row = secret_key(account)
    assert (row.name, row.allowed_addresses, row.rolled_from_id) == ("Server", ["127.0.0.1"], key.pk)
    assert ApiClient(fresh.secret_key).get(LIST).status == 200


def test_a_form_sent_twice_makes_one_key(principal: Principal) -> None:
    shown = newest_key_id(principal)
    create_restricted_key(principal, KeyTerms(name="x", scopes=READ), shown_key_id=shown)
    with pytest.raises(KeysChanged):
        create_restricted_key(principal, KeyTerms(name="x", scopes=READ), shown_key_id=shown)
    assert ApiKey.objects.filter(kind=KeyKind.RESTRICTED).count() == 1


@pytest.mark.spec("Contract 12.3")
def test_a_hundred_in_a_mode(account: NewMerchant, principal: Principal) -> None:
    rows = [
        ApiKey(merchant=account.merchant, mode=Mode.TEST, kind=KeyKind.RESTRICTED, digest=f"{number:064}")
        for number in range(MOST_RESTRICTED_KEYS)
    ]
    ApiKey.objects.bulk_create(rows)
    with pytest.raises(KeyLimit):
        make(principal)
    make(Principal(merchant_id=principal.merchant_id, mode=Mode.LIVE, actor="user:1"))
    revoke_key(principal, ApiKey.objects.get(digest=f"{0:064}"))
    make(principal)


def test_every_key_ends_when_one_has_leaked(
    account: NewMerchant, other_account: NewMerchant, principal: Principal
) -> None:
    restricted, ending = make(principal), account.test.secret_key
    kept = [account.live.secret_key, other_account.test.secret_key]
    fresh = roll_key_pair(principal, timedelta(hours=24), shown_key_id=secret_key(account).pk)
    shown = newest_key_id(principal)
    ended = revoke_every_key(principal, shown_key_id=shown)
    assert ended.ended == 5
    for key in (ending, fresh.secret_key, restricted.secret):
        assert_refused(ApiClient(key).get(LIST), 401, "revoked_api_key")
    assert [ApiClient(key).get(LIST).status for key in (*kept, ended.pair.secret_key)] == [200] * 3
    with pytest.raises(KeysChanged):
        revoke_every_key(principal, shown_key_id=shown)
    assert ApiClient(ended.pair.secret_key).get(LIST).status == 200


def test_every_change_is_in_the_audit(account: NewMerchant, principal: Principal) -> None:
    made = make(principal)
    change_key(principal, made.key, KeyTerms(name="Weekly", scopes=READ))
    change_key(principal, made.key, KeyTerms(name="Weekly", scopes=READ))
    fresh = roll_restricted_key(principal, made.key, timedelta(0))
    revoke_key(principal, fresh.key)
    revoke_key(principal, fresh.key)
    revoke_every_key(principal, shown_key_id=newest_key_id(principal))
    assert deeds(account) == [
        ("key.created", str(made.key)),
        ("key.changed", str(made.key)),
        ("key.rolled", str(fresh.key)),
        ("key.revoked", str(fresh.key)),
        ("keys.panic", ""),
    ]
    changed = Change.objects.get(action="key.changed")
    assert (changed.before["name"], changed.after["name"], changed.actor) == ("Nightly report", "Weekly", "key:test")
    assert made.secret not in repr(list(Change.objects.values_list()))


def test_a_refused_change_leaves_no_line(account: NewMerchant, principal: Principal) -> None:
    made = make(principal)
    before = len(deeds(account))
    calls: list[Callable[[], object]] = [
        lambda: make(principal, scopes=("nothing",)),
        lambda: roll_key_pair(principal, timedelta(0), shown_key_id=0),
        lambda: revoke_every_key(principal, shown_key_id=1),
        lambda: change_key(principal, made.key, KeyTerms(name="")),
    ]
    for call in calls:
        with pytest.raises(Exception, match=r"(?i)not valid|Nothing was changed"):
            call()
    assert len(deeds(account)) == before


def test_a_stranger_changes_nothing(account: NewMerchant, other_account: NewMerchant, principal: Principal) -> None:
    made = make(principal)
    stranger = Principal(merchant_id=other_account.merchant.pk, mode=Mode.TEST, actor="user:9")
    with pytest.raises(KeysChanged):
        change_key(stranger, made.key, KeyTerms(name="x", scopes=READ))
    with pytest.raises(KeysChanged):
        roll_restricted_key(stranger, made.key, timedelta(0))
    revoke_key(stranger, made.key)
    assert ApiClient(made.secret).get(LIST).status == 200
