"""The short way of the ordinary requests and the long one give the same answers, headers, rows and lines of the log."""

import json
import re
from collections.abc import Callable, Iterator
from functools import cache
from io import BytesIO
from secrets import token_hex
from typing import Any, NamedTuple
from uuid import UUID, uuid4

import orjson
import pytest
import time_machine
from django.db import transaction
from django.http import HttpResponse
from django.test.client import ClientHandler
from hypothesis import given
from hypothesis import strategies as st

from core import rate_limits
from core.buckets import MemoryBuckets
from core.clock import now
from core.modes import Mode
from core.money import usd
from core.secrets import decrypt, lookup_digest
from merchants.authentication import usage
from merchants.models import AllowedOrigin, ApiKey, IdempotencyRecord, KeyKind
from merchants.principal import Principal
from merchants.request_log import request_log
from merchants.services import NewMerchant
from payments.fast_path import caller as callers
from payments.fast_path import merchant
from payments.fast_path.door import PATH, fast_answer, learn
from payments.models import IntentTransition, PaymentIntent, SettlementProfile
from payments.services.create import NewIntent, create_intent
from tests.properties import search
from webhooks.models import Event

pytestmark = pytest.mark.postgres

TABLES = (PaymentIntent, IntentTransition, Event, IdempotencyRecord)
PAYEE = "0x52908400098527886E0F7030069857D2E4169EE7"
ADDRESS = "0x7e57000000000000000000000000000000000001"


class Sent(NamedTuple):
    """A request as a caller sends it."""

    method: str = "POST"
    path: str = PATH
    key: str = ""
    body: bytes = b""
    idempotency_key: str | None = None
    media: str = "application/json"
    query: str = ""

    def environment(self) -> dict[str, Any]:
        """As WSGI says it."""
        optional = {} if self.idempotency_key is None else {"HTTP_IDEMPOTENCY_KEY": self.idempotency_key}
        return {
            "REQUEST_METHOD": self.method, "PATH_INFO": self.path, "SCRIPT_NAME": "", "QUERY_STRING": self.query,
            "SERVER_NAME": "localhost", "SERVER_PORT": "80", "HTTP_HOST": "localhost", "REMOTE_ADDR": "203.0.113.7",
            "HTTP_USER_AGENT": "shop/1.0", "HTTP_AUTHORIZATION": self.key, "CONTENT_TYPE": self.media,
            "CONTENT_LENGTH": str(len(self.body)), "wsgi.input": BytesIO(self.body), "wsgi.url_scheme": "http",
            **optional,
        }  # fmt: skip


Answered = tuple[int, list[tuple[str, str]], bytes]


class Ways:
    """Both ways, over the same database."""

    def __init__(self) -> None:
        self._django = ClientHandler(enforce_csrf_checks=True)  # which leaves connections alone
        self.handed_on = 0

    def _long(self, environment: dict[str, Any]) -> Answered:
        response: HttpResponse = self._django(environment)  # type: ignore[assignment]  # none of these is streamed
        return response.status_code, list(response.items()), response.content

    def _short(self, environment: dict[str, Any]) -> Answered:
        if (given := fast_answer(environment)) is not None:
            return given[0].http_status, given[1], given[0].body
        self.handed_on += 1
        answered = self._long(environment)
        learn(environment)
        return answered

    def both(self, requests: list[Sent]) -> tuple[list[str], list[str]]:
        """What comes of these requests, one after the other, by the short way and by the long one; nothing is kept."""
        return _outcome(self._short, requests), _outcome(self._long, requests)


def _outcome(way: Callable[[dict[str, Any]], Answered], requests: list[Sent]) -> list[str]:
    """All that can be seen of requests: their answers, lines in the log and keys' uses, and the rows that they left."""
    rate_limits.forget()
    before: dict[Any, set[Any]] = {model: set(model.objects.values_list("pk", flat=True)) for model in TABLES}
    with transaction.atomic():
        seen = [_seen(way, request) for request in requests]
        rows = [_columns(row) for model in TABLES for row in model.objects.exclude(pk__in=before[model])]
        transaction.set_rollback(True)
    drawn = [name for names, _ in seen for name in names]
    return [*(_unnamed(drawn, text) for _, text in seen), *sorted(_unnamed(drawn, repr(row)) for row in rows)]


def _seen(way: Callable[[dict[str, Any]], Answered], request: Sent) -> tuple[list[str], str]:
    """The names that were drawn by lot for a request, and what it was answered, wrote into the log and noted."""
    request_log.forget()
    usage.forget()
    status, headers, body = way(request.environment())
    lines = [line._replace(duration_ms=0) for line in request_log._waiting]
    made = [line.object_id for line in lines if line.object_id]
    names = [dict(headers)["Request-Id"], *(str(UUID(one)) for one in made), *made]
    return names, repr((request, status, sorted(headers), body, lines, usage._seen))


def _columns(row: Any) -> dict[str, Any]:
    columns = {field.attname: getattr(row, field.attname) for field in row._meta.concrete_fields}
    if isinstance(row, IdempotencyRecord):
        columns["answer"] = decrypt(row.answer)
    if not isinstance(row, PaymentIntent | Event):
        del columns["id"]
    return columns


def _unnamed(drawn: list[str], text: str) -> str:
    """With names that are drawn by lot, and differ each time, replaced by which they are."""
    for place, name in enumerate(dict.fromkeys(drawn)):
        text = text.replace(name, f"NAME{place}")
    return re.sub("evt_[0-9a-f]{32}", "EVENT", text)


@pytest.fixture
def ways() -> Iterator[Ways]:
    """Both ways, at a moment that stands still, with the limits that we ship."""
    callers.forget_callers()
    merchant.forget_all_settings()
    with time_machine.travel("2026-01-31T12:00:00.123Z", tick=False), pytest.MonkeyPatch.context() as patch:
        patch.setattr(rate_limits, "shared", cache(MemoryBuckets))
        yield Ways()


_ordinary_texts = st.sampled_from(["order-1", "Größe 7", "A", "x" * 128])
_ODD: list[Any] = [None, "", " a ", "x" * 129, 7, True, [], {}, "a\x00b", "\ud800", "ß" * 128, "1e3"]
_odd = st.sampled_from(_ODD)
RETURN_URLS = [
    "https://shop.example/done?a=1", "https://shop.example", "https://other.example/", "http://shop.example/",
    "https://a:b@shop.example/", "http://localhost:8000/", "https://shop.example/a b", "",
]  # fmt: skip
PLAYED = [{"simulate": "fail"}, {"simulate": "fial"}, {"simulate": None}, {"simulate": ["fail"]}]
_ordinary_bodies = st.fixed_dictionaries(
    {"amount": st.sampled_from([25, 0.01, 19.99, 1_000_000, 3, 1234.5])},
    optional={
        "currency": st.just("USD"),
        "settlement_chain": st.sampled_from(["base", "Base", "ethereum", "solana", "nowhere"]),
        "settlement_token": st.sampled_from(["USDC", "usdc", "ETH", "WHAT"]),
        "settlement_address": st.sampled_from([ADDRESS, "anything"]),
        "customer_email": st.sampled_from(["buyer@shop.example", "a.b+c@mail.shop.example"]),
        "expires_in_seconds": st.sampled_from([60, 1800, 2_592_000]),
        "metadata": st.sampled_from([{}, {"order": "A-1"}, {"b": 1, "a": [1.50, {"c": None}], "ä": "ö"}, *PLAYED]),
        "reference": _ordinary_texts,
        "return_url": st.sampled_from(RETURN_URLS),
    },
)
_odd_bodies = st.tuples(
    _ordinary_bodies,
    st.dictionaries(
        st.sampled_from(
            ["amount", "currency", "settlement_chain", "settlement_token", "customer_email", "expires_in_seconds"]
            + ["metadata", "reference", "return_url", "stranger"]
        ),
        _odd | st.sampled_from([0, -1, 0.001, 1e12, "25", "eur", "EUR", "https://shop.example/", 59, 10**30]),
        max_size=2,
    ),
).map(lambda both: both[0] | both[1])
_raw_bodies = st.sampled_from(
    [b"", b"{", b"[]", b'{"amount": 25, "amount": 26}', b'{"amount": 1e2}', b'{"amount": NaN}']
)
_bodies = st.one_of(
    _ordinary_bodies.map(orjson.dumps),
    _ordinary_bodies.map(orjson.dumps),
    _odd_bodies.map(json.dumps).map(str.encode),
    _raw_bodies,
)


def _creations(keys: list[str]) -> st.SearchStrategy[Sent]:
    return st.builds(
        Sent,
        method=st.just("POST"),
        path=st.just(PATH),
        key=st.sampled_from(keys),
        body=_bodies,
        idempotency_key=st.sampled_from([None, "one", "two", "one", "é", "x" * 256, ""]),
        media=st.sampled_from(["application/json"] * 4 + ["application/json; charset=utf-8", "text/plain", ""]),
        query=st.sampled_from(["", "", "", "a=b"]),
    )


def _retrievals(keys: list[str], ids: list[str]) -> st.SearchStrategy[Sent]:
    return st.builds(
        Sent,
        method=st.sampled_from(["GET"] * 6 + ["HEAD", "DELETE"]),
        path=st.sampled_from(ids).map(lambda one: f"{PATH}/{one}"),
        key=st.sampled_from(keys),
        body=st.just(b""),
        idempotency_key=st.none(),
        media=st.just("application/json"),
        query=st.sampled_from(["", "", "", "a=b"]),
    )


@search(50)
@given(data=st.data())
def test_both_ways_are_one(data: st.DataObject, ways: Ways, account: NewMerchant, other_account: NewMerchant) -> None:
    """A thousand requests in the everyday tier, ordinary ones and all others."""
    keys, ids = _world(account, other_account)
    requests = data.draw(st.lists(_creations(keys) | _retrievals(keys, ids), min_size=20, max_size=20))
    short, long = ways.both(requests)
    assert short == long


def test_the_ordinary_is_answered_before_django(ways: Ways, account: NewMerchant) -> None:
    """Only the first request of a key goes on, which is how this process learns of it."""
    key = f"Bearer {account.test.secret_key}"
    settled = {"settlement_chain": "base", "settlement_token": "USDC", "settlement_address": ADDRESS}
    create = Sent(key=key, body=orjson.dumps({"amount": 25, **settled}), idempotency_key="one")
    ways.both([create, create, create._replace(idempotency_key=None), Sent(key=key, body=b'{"amount": 25}')])
    assert ways.handed_on == 1


def test_a_scenario_that_test_mode_does_not_know_is_refused_by_both_ways(ways: Ways, account: NewMerchant) -> None:
    settled = {"settlement_chain": "base", "settlement_token": "USDC", "settlement_address": ADDRESS}
    for key in (account.test.secret_key, account.live.secret_key):
        sent = [
            Sent(key=f"Bearer {key}", body=orjson.dumps({"amount": 25, **settled, "metadata": metadata}))
            for metadata in ({}, *PLAYED)
        ]
        short, long = ways.both(sent)
        assert short == long
        refused = ["metadata.simulate" in text and "unknown_value" in text for text in short[: len(sent)]]
        assert refused == [False, False, *([True, False, True] if "test" in key else [False] * 3)]


def _world(account: NewMerchant, other: NewMerchant) -> tuple[list[str], list[str]]:
    """Headers of every kind of key, and ids of every kind; one merchant has chosen where it is paid."""
    ours = [Principal(merchant_id=account.merchant.pk, mode=mode, actor="key:1") for mode in Mode]
    strangers = Principal(merchant_id=other.merchant.pk, mode=Mode.TEST, actor="key:1")
    for principal in ours:
        SettlementProfile.objects.get_or_create(
            merchant_id=principal.merchant_id, mode=principal.mode, family="evm",
            defaults={"chain": "base", "token": "USDC", "address": PAYEE, "is_default": True},
        )  # fmt: skip
    AllowedOrigin.objects.get_or_create(merchant=account.merchant, mode=Mode.TEST, origin="https://shop.example")
    new = NewIntent(
        amount_usd=usd("25"), settlement_chain="base", settlement_token="USDC", settlement_address=PAYEE,
        metadata={"a": [1, {"b": None}]}, reference="order-1",
    )  # fmt: skip
    ids = [str(create_intent(principal, new).pk) for principal in (*ours, strangers)]
    keys = [_key(account, KeyKind.SECRET, revoked_at=now()), _key(account, KeyKind.SECRET, expires_at=now())]
    keys += [_key(account, KeyKind.SECRET, allowed_addresses=["198.51.100.0/24"]), _key(account, KeyKind.RESTRICTED)]
    known = [account.test.secret_key, account.live.secret_key, other.test.secret_key]
    headers = [f"Bearer {key}" for key in [*known * 4, *keys, account.test.publishable_key, "sk_test_unknown"]]
    odd_ids = [f"pi_{ids[0]}", ids[0].replace("-", ""), ids[0].upper(), str(uuid4()), "7", f"{ids[0]}/explain"]
    return [*headers, "", f"bearer {known[0]}", f"Bearer  {known[0]}"], [*ids * 3, *odd_ids]


def _key(account: NewMerchant, kind: KeyKind, **columns: Any) -> str:
    secret = f"{kind}_test_{token_hex(16)}"
    ApiKey.objects.create(
        merchant=account.merchant, mode=Mode.TEST, kind=kind, digest=lookup_digest(secret), last_four="0000", **columns
    )
    return secret
