"""Two merchants, one with something to steal in each mode, and everybody who might try."""

import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

import time_machine
from django.test import Client

from checkout.views.access import LIFETIME_SECONDS, issue_token
from core.clock import now
from core.modes import Mode
from core.secrets import lookup_digest
from merchants.key_terms import KeyTerms
from merchants.models import ApiKey
from merchants.principal import Principal
from merchants.scopes import KeyScope
from merchants.services import (
    KeyPair,
    NewMerchant,
    change_key,
    create_merchant,
    create_restricted_key,
    issue_key_pair,
    revoke_key,
)
from merchants.services.keys import NewKey, newest_key_id
from tests.authorization.doors import OPERATIONS, PAYEE, RECEIVER, SETTLEMENT, is_a_name
from tests.authorization.routes import filled
from tests.conftest import ApiClient, Reply
from tests.factories.payouts import failed_payout
from tests.factories.refunds import paid_intent
from tests.payments.world import World
from tests.theatre.files import LAPSED
from tests.told import told_once
from theatre.models import Replay
from webhooks.delivery.fan_out import fan_out
from webhooks.models import Delivery

Headers = dict[str, str]
UNKNOWN_TAIL = "A" * 43


def other_than(mode: Mode) -> Mode:
    return Mode.LIVE if mode == Mode.TEST else Mode.TEST


def keys_of(merchant: NewMerchant, mode: Mode) -> KeyPair:
    return merchant.test if mode == Mode.TEST else merchant.live


@dataclass(frozen=True, kw_only=True)
class Stage:
    """The first merchant's rows in one mode, and who else is there."""

    mode: Mode
    account: NewMerchant
    stranger: NewMerchant
    ids: dict[str, str]
    other_intent_id: str
    session_cookie: str
    made: dict[str, Headers] = field(default_factory=dict)

    def keys(self, whose: str = "account", *, own_mode: bool = True) -> KeyPair:
        """A merchant's keys, of the rows' mode or of the other one."""
        merchant: NewMerchant = getattr(self, whose)
        return keys_of(merchant, self.mode if own_mode else other_than(self.mode))

    def credentials(self, caller: str) -> Headers:
        """What a caller sends. Made once, because some callers need rows of their own."""
        if caller not in self.made:
            self.made[caller] = CALLERS[caller](self)
        return self.made[caller]

    def send(self, operation: str, headers: Headers, **ids: str) -> Reply:
        """Call an operation with a good body; ids stand for those of the owner's rows."""
        method, _, path = operation.partition(" ")
        parameters = {**self.ids, **ids}
        return self.send_plain(method, filled(path, parameters), headers, filled_body(operation, parameters))

    def send_plain(self, method: str, path: str, headers: Headers, body: dict[str, Any] | None = None) -> Reply:
        return ApiClient("").send(method, path, body, **headers)

    def nowhere(self) -> dict[str, str]:
        return {name: str(uuid.uuid4()) for name in self.ids}


def filled_body(operation: str, ids: dict[str, str]) -> dict[str, Any] | None:
    body = OPERATIONS[operation].body
    if body is None:
        return None
    return {name: ids[value.strip("<>")] if is_a_name(value) else value for name, value in body.items()}


def set_the_stage(mode: Mode) -> Stage:
    """The stage with merchants that are made for it. Each caller comes when its credentials are asked for."""
    account = create_merchant("Corner Shop", "owner@shop.example", "correct horse battery")
    stranger = create_merchant("Other Shop", "owner@other.example", "correct horse battery")
    return _built(mode, account, stranger)


def told_stage(world: World, mode: Mode, account: NewMerchant, stranger: NewMerchant) -> Stage:
    """The stage with these merchants and with every caller on it.

    Why every caller: a key that is made while something is tried is taken back with it.
    """
    api = ApiClient(keys_of(account, mode).secret_key)
    return Stage(
        mode=mode, account=account, stranger=stranger, **_with_all_callers(world, api, mode, account, stranger)
    )


@told_once
def _with_all_callers(
    world: World, api: ApiClient, /, mode: Mode, account: NewMerchant, stranger: NewMerchant
) -> dict[str, Any]:
    stage = _built(mode, account, stranger)
    made = {caller: stage.credentials(caller) for caller in CALLERS}
    return {
        **{"ids": stage.ids, "other_intent_id": stage.other_intent_id, "session_cookie": stage.session_cookie},
        "made": made,
    }


def _built(mode: Mode, account: NewMerchant, stranger: NewMerchant) -> Stage:
    """One intent, one endpoint and one delivery of the first merchant; another intent.

    And an intent whose payer is known, one that is paid, with a refund that waits for its destination, and one whose
    payout failed.
    """
    api = ApiClient(keys_of(account, mode).secret_key)
    endpoint = _created(api, "/webhook-endpoints", {"url": RECEIVER, "events": ["*"]})
    wish = {"amount": 25, **SETTLEMENT, "settlement_address": PAYEE}
    intents = [_created(api, "/payment-intents", wish) for _ in range(3)]
    paid = str(paid_intent(account.merchant, mode=mode).pk)
    repayable = paid_intent(account.merchant, mode=mode)
    repayable.credits.update(payer=PAYEE, payer_proof="sender", value_usd=repayable.received_usd)
    refund = _created(api, "/refunds", {"intent_id": paid, "amount_usd": 1})
    payout = failed_payout(intents[2])
    fan_out()
    delivery = Delivery.objects.filter(endpoint_id=uuid.UUID(endpoint)).latest("created_at", "pk")
    replay = Replay.objects.create(merchant=account.merchant, mode=mode, scenario=LAPSED)
    browser = Client()
    browser.force_login(account.owner)
    return Stage(
        mode=mode,
        account=account,
        stranger=stranger,
        ids={
            **{"intent_id": intents[0], "paid_intent_id": paid, "repayable_intent_id": str(repayable.pk)},
            **{"refund_id": refund, "payout_id": str(payout.pk)},
            **{"endpoint_id": endpoint, "delivery_id": str(delivery.pk), "event_id": delivery.event_id},
            "replay_id": str(replay.pk),
        },
        other_intent_id=intents[1],
        session_cookie=f"sessionid={browser.cookies['sessionid'].value}",
    )


def _created(api: ApiClient, path: str, body: dict[str, Any]) -> str:
    reply = api.post(path, body)
    assert reply.status == 201, reply.body
    made: str = reply.body["id"]
    return made


def _bearer(secret: str) -> Headers:
    return {"Authorization": f"Bearer {secret}"}


def _token(intent_id: str) -> Headers:
    return {"Checkout_Token": issue_token(uuid.UUID(intent_id))}


def _old_token(stage: Stage) -> Headers:
    with time_machine.travel(now() - timedelta(seconds=LIFETIME_SECONDS + 1), tick=False):
        return _token(stage.ids["intent_id"])


def _row(secret: str) -> ApiKey:
    return ApiKey.objects.get(digest=lookup_digest(secret))


def _new(stage: Stage, kind: str) -> str:
    """Another key of the owner's: of a pair, or one that may do all that restricted keys may."""
    if kind == "restricted_key":
        return _restricted_key(_owner(stage), *KeyScope).secret
    secret: str = getattr(issue_key_pair(stage.account.merchant, stage.mode), kind)
    return secret


def _over(kind: str, *, by: str) -> Callable[[Stage], Headers]:
    """A key that was revoked, or whose time has passed."""

    def make(stage: Stage) -> Headers:
        secret = _new(stage, f"{kind}_key")
        if by == "revoked":
            revoke_key(_owner(stage), _row(secret))
        else:
            ApiKey.objects.filter(pk=_row(secret).pk).update(expires_at=now() - timedelta(milliseconds=1))
        return _bearer(secret)

    return make


def _owner(stage: Stage) -> Principal:
    return Principal(merchant_id=stage.account.merchant.pk, mode=stage.mode, actor=f"user:{stage.account.owner.pk}")


def _restricted_key(owner: Principal, *scopes: str, **terms: Any) -> NewKey:
    agreed = KeyTerms(name="Made for a test", scopes=scopes, **terms)
    return create_restricted_key(owner, agreed, shown_key_id=newest_key_id(owner))


def _restricted_to(*scopes: str) -> Callable[[Stage], Headers]:
    return lambda stage: _bearer(_restricted_key(_owner(stage), *scopes).secret)


def _restricted_elsewhere(stage: Stage) -> Headers:
    return _bearer(_restricted_key(_owner(stage), *KeyScope, allowed_addresses=("203.0.113.7",)).secret)


def _secret_elsewhere(stage: Stage) -> Headers:
    secret = _new(stage, "secret_key")
    change_key(_owner(stage), _row(secret), KeyTerms(allowed_addresses=("203.0.113.7",)))
    return _bearer(secret)


def _foreign_restricted(whose: str, *, own_mode: bool) -> Callable[[Stage], Headers]:
    """A key that may do everything, of the other mode or of the other merchant."""

    def make(stage: Stage) -> Headers:
        mode = stage.mode if own_mode else other_than(stage.mode)
        merchant = getattr(stage, whose).merchant
        owner = Principal(merchant_id=merchant.pk, mode=mode, actor="user:1")
        return _bearer(_restricted_key(owner, *KeyScope).secret)

    return make


CALLERS: dict[str, Callable[[Stage], Headers]] = {
    "nobody": lambda stage: {},
    "session cookie only": lambda stage: {"Cookie": stage.session_cookie},
    "another scheme": lambda stage: {"Authorization": f"Basic {stage.keys().secret_key}"},
    "a scheme without a key": lambda stage: {"Authorization": "Bearer"},
    "a malformed key": lambda stage: _bearer("letmein"),
    "the stored digest": lambda stage: _bearer("sk_test_" + lookup_digest(stage.keys().secret_key)),
    "an unknown test secret": lambda stage: _bearer("sk_test_" + UNKNOWN_TAIL),
    "an unknown live secret": lambda stage: _bearer("sk_live_" + UNKNOWN_TAIL),
    "an unknown publishable": lambda stage: _bearer("pk_test_" + UNKNOWN_TAIL),
    **{
        f"{by} {kind}": _over(kind, by=by)
        for by in ("revoked", "expired")
        for kind in ("secret", "publishable", "restricted")
    },
    **{f"restricted to {scope}": _restricted_to(scope) for scope in KeyScope},
    **{
        f"restricted to all but {scope}": _restricted_to(*(other for other in KeyScope if other != scope))
        for scope in KeyScope
    },
    "restricted elsewhere": _restricted_elsewhere,
    "own secret elsewhere": _secret_elsewhere,
    "own restricted of the wrong mode": _foreign_restricted("account", own_mode=False),
    "a stranger's restricted": _foreign_restricted("stranger", own_mode=True),
    "own secret": lambda stage: _bearer(stage.keys().secret_key),
    "own secret of the wrong mode": lambda stage: _bearer(stage.keys(own_mode=False).secret_key),
    "own publishable": lambda stage: _bearer(stage.keys().publishable_key),
    "own publishable of the wrong mode": lambda stage: _bearer(stage.keys(own_mode=False).publishable_key),
    "a stranger's secret": lambda stage: _bearer(stage.keys("stranger").secret_key),
    "a stranger's secret of the other mode": lambda stage: _bearer(stage.keys("stranger", own_mode=False).secret_key),
    "a stranger's publishable": lambda stage: _bearer(stage.keys("stranger").publishable_key),
    "a stranger's publishable of the other mode": lambda stage: _bearer(
        stage.keys("stranger", own_mode=False).publishable_key
    ),
    "own checkout token": lambda stage: _token(stage.ids["intent_id"]),
    "checkout token of another intent": lambda stage: _token(stage.other_intent_id),
    "expired checkout token": _old_token,
    "forged checkout token": lambda stage: {
        "Checkout_Token": uuid.UUID(stage.ids["intent_id"]).hex + ":1abcde:" + UNKNOWN_TAIL
    },
    "own secret as checkout token": lambda stage: {"Checkout_Token": stage.keys().secret_key},
}
"""Every column of the matrix, by what the caller holds."""
