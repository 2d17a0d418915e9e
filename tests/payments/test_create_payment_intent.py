"""POST /payment-intents: every field with its bounds and default; what is refused leaves nothing behind."""

import uuid
from typing import Any

import pytest

from payments.models import PaymentIntent
from tests.conftest import ApiClient, Reply
from tests.factories.rows import all_rows
from tests.payments.world import World, create, events, history, read

TEST_ADDRESS = "0x7e57000000000000000000000000000000000001"


def refused(api: ApiClient, body: object, **headers: str) -> Reply:
    """A create that must fail with 400 and leave every table as it was."""
    before = all_rows()
    reply = api.post("/payment-intents", body, **headers)
    assert reply.status == 400, reply.body
    assert set(reply.body) == {"error", "code", "details", "request_id"}
    assert reply.body["request_id"] == reply.headers["Request-Id"]
    assert all_rows() == before
    return reply


def problems(reply: Reply) -> list[tuple[str, str]]:
    """The fields complained about, each with its code."""
    assert reply.body["code"] == "invalid_request"
    return [(problem["field"], problem["code"]) for problem in reply.body["details"]["fields"]]


@pytest.mark.spec("PaymentIntent: fields; create: defaults")
def test_only_an_amount_is_needed(world: World, api: ApiClient) -> None:
    reply = api.post("/payment-intents", {"amount": 25})
    assert reply.status == 201
    identifier = reply.body["id"]
    assert str(uuid.UUID(identifier)) == identifier
    assert uuid.UUID(identifier).version == 4
    assert reply.body == {
        "id": identifier,
        "amount": "25.00",
        "currency": "USD",
        "mode": "test",
        "status": "created",
        "checkout_url": f"http://localhost:8000/checkout/{identifier}",
        "settlement_chain": "base",
        "settlement_token": "USDC",
        "settlement_address": TEST_ADDRESS,
        "customer_email": None,
        "expires_at": "2026-05-04T12:30:00.000Z",
        "created_at": "2026-05-04T12:00:00.000Z",
        "metadata": {},
        "amount_received": "0.00",
        "amount_due": "25.00",
        "overpaid_usd": "0.00",
        "platform_fee_usd": None,
        "amount_refunded_usd": "0.00",
        "partially_funded": False,
        "in_doubt": False,
        "last_error": None,
        "failure_reason": None,
        "settled_at": None,
        "settled_reason": None,
        "cancelled_at": None,
        "reference": None,
        "return_url": None,
    }
    assert history(reply.body) == ["created"]
    assert events(reply.body) == ["created"]


@pytest.mark.spec("Create body: every field")
def test_every_field_is_taken_and_shown(world: World, api: ApiClient) -> None:
    fields = {
        "currency": "USD",
        "settlement_chain": "solana",
        "settlement_token": "usdt",
        "settlement_address": "J9tn74B4BA78YEUYLzyNp3mrXGXioseW77haZeXpmCg",
        "customer_email": "ann@buyer.example",
        "expires_in_seconds": 3600,
        "metadata": {"order": 17},
        "reference": "INV-2026/17",
        "return_url": "https://shop.example/thanks?order=17",
    }
    body = create(api, **fields)
    shown = {**fields, "settlement_token": "USDT", "expires_at": "2026-05-04T13:00:00.000Z"}
    del shown["expires_in_seconds"]
    assert {name: body[name] for name in shown} == shown
    assert read(api, body) == body


@pytest.mark.spec("Create body: optional fields")
def test_null_is_the_same_as_leaving_out(world: World, api: ApiClient) -> None:
    optional = (
        *("currency", "settlement_chain", "settlement_token", "settlement_address", "customer_email"),
        *("expires_in_seconds", "metadata", "reference", "return_url"),
    )
    left_out, nulled = create(api), create(api, **dict.fromkeys(optional))
    own = {"id", "checkout_url"}
    assert {name: value for name, value in nulled.items() if name not in own} == {
        name: value for name, value in left_out.items() if name not in own
    }


@pytest.mark.spec("Limits: amount 0.01 to 1000000")
@pytest.mark.parametrize(
    ("written", "shown"),
    [
        (b"0.01", "0.01"),
        (b"1000000", "1000000.00"),
        (b"1000000.00", "1000000.00"),
        (b"1e2", "100.00"),
        (b"1E+2", "100.00"),
        (b"2.5e1", "25.00"),
        (b"49.9", "49.90"),
        (b"0.10", "0.10"),
        (b"19.990000", "19.99"),
        (b"999999.99", "999999.99"),
    ],
)
def test_amounts_within_bounds(api: ApiClient, written: bytes, shown: str) -> None:
    reply = api.post("/payment-intents", b'{"amount":' + written + b"}")
    assert (reply.status, reply.body["amount"], reply.body["amount_due"]) == (201, shown, shown)
    assert read(api, reply.body)["amount"] == shown


@pytest.mark.spec("Limits: amount 0.01 to 1000000")
@pytest.mark.parametrize(
    ("written", "code"),
    [
        (b"0.009", "out_of_range"),
        (b"0", "out_of_range"),
        (b"-1", "out_of_range"),
        (b"1000000.01", "out_of_range"),
        (b"1e300", "out_of_range"),
        (b"1" + b"0" * 200, "out_of_range"),
        (b"1e-300", "out_of_range"),
        (b"25.001", "precision"),
        (b"0.011", "precision"),
        (b"999999.999", "precision"),
        (b"25." + b"0" * 60 + b"1", "precision"),
        (b'"25"', "type"),
        (b'"1e5"', "type"),
        (b"true", "type"),
        (b"false", "type"),
        (b"null", "type"),
        (b"[25]", "type"),
        (b'{"value":25}', "type"),
        ('"٢٥"'.encode(), "type"),
    ],
)
def test_amounts_that_are_refused(api: ApiClient, written: bytes, code: str) -> None:
    assert problems(refused(api, b'{"amount":' + written + b"}")) == [("amount", code)]


def test_the_amount_is_required(api: ApiClient) -> None:
    assert problems(refused(api, {})) == [("amount", "required")]


@pytest.mark.spec("Errors: 400 create intent, invalid input")
@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b'{"amount":1e400}', "number_out_of_range"),
        (b'{"amount":1e-400}', "number_out_of_range"),
        (b'{"amount":NaN}', "not_a_number"),
        (b'{"amount":Infinity}', "not_a_number"),
        (b'{"amount":25,"amount":26}', "duplicate_key"),
        (b'{"amount":25,"metadata":{"a":1,"a":2}}', "duplicate_key"),
        (b'{"amount":25,"reference":"a\\u0000b"}', "nul_character"),
        (b'{"amount":25,"metadata":{"a\\u0000":1}}', "nul_character"),
        (b'{"amount":25,"metadata":{"a":"\\ud800"}}', "lone_surrogate"),
        (b'{"amount":25,"reference":"\xff"}', "not_utf8"),
        (b'{"amount":25', "not_json"),
        (b'{"amount":' + b"9" * 5000 + b"}", "number_out_of_range"),
        ('{"amount":٢٥}'.encode(), "not_json"),
        (b"[25]", "not_an_object"),
        (b"null", "not_an_object"),
        (b'{"amount":25,"metadata":' + b"[" * 100_000, "too_deep"),
    ],
    ids=lambda value: value if isinstance(value, str) else repr(value[:40]),
)
def test_bodies_that_are_no_safe_json(api: ApiClient, body: bytes, reason: str) -> None:
    reply = refused(api, body)
    assert (reply.body["code"], reply.body["details"]) == ("invalid_json", {"reason": reason})


def test_a_body_that_is_too_large(api: ApiClient) -> None:
    before = all_rows()
    reply = api.post("/payment-intents", b'{"amount":25,"reference":"' + b"a" * 300_000 + b'"}')
    assert (reply.status, reply.body["code"]) == (413, "payload_too_large")
    assert reply.body["details"] == {"limit_bytes": 262_144}
    assert all_rows() == before


@pytest.mark.spec("Limits: expires_in_seconds 60 to 2592000")
@pytest.mark.parametrize(
    ("seconds", "expires_at"), [(60, "2026-05-04T12:01:00.000Z"), (2_592_000, "2026-06-03T12:00:00.000Z")]
)
def test_lifetimes_within_bounds(world: World, api: ApiClient, seconds: int, expires_at: str) -> None:
    assert create(api, expires_in_seconds=seconds)["expires_at"] == expires_at


@pytest.mark.spec("Limits: expires_in_seconds 60 to 2592000")
@pytest.mark.parametrize(
    ("value", "code"),
    [
        (59, "out_of_range"),
        (2_592_001, "out_of_range"),
        (0, "out_of_range"),
        (-60, "out_of_range"),
        (60.0, "type"),
        (60.5, "type"),
        ("60", "type"),
        (True, "type"),
        ([60], "type"),
    ],
)
def test_lifetimes_that_are_refused(api: ApiClient, value: object, code: str) -> None:
    assert problems(refused(api, {"amount": 25, "expires_in_seconds": value})) == [("expires_in_seconds", code)]


@pytest.mark.spec("Create body: currency, default USD")
@pytest.mark.parametrize("currency", ["EUR", "eur", "USDC", "US", "ZZZ"])
def test_other_currencies_are_refused(api: ApiClient, currency: str) -> None:
    reply = refused(api, {"amount": 25, "currency": currency})
    assert (reply.body["code"], reply.body["details"]) == ("currency_unsupported", {"supported": ["USD"]})


def test_the_currency_is_taken_in_any_case(api: ApiClient) -> None:
    assert create(api, currency="usd")["currency"] == "USD"


LONG_LOCAL = "a" * 64
LONGEST_EMAIL = f"{LONG_LOCAL}@{'b' * 61}.{'c' * 61}.{'d' * 61}.xyz"


def test_the_longest_email_is_taken(api: ApiClient) -> None:
    assert len(LONGEST_EMAIL) == 254
    assert create(api, customer_email=LONGEST_EMAIL)["customer_email"] == LONGEST_EMAIL


@pytest.mark.spec("Create body: customer_email, email format")
@pytest.mark.parametrize(
    ("field", "value", "codes"),
    [
        ("customer_email", "no-at-sign", ["format"]),
        ("customer_email", "a@b", ["format"]),
        ("customer_email", "a@b@c.example", ["format"]),
        ("customer_email", "Ann <ann@buyer.example>", ["format"]),
        ("customer_email", "ann@buyer.example\nBcc: x@y.example", ["format"]),
        ("customer_email", "", ["format"]),
        ("customer_email", f"x{LONGEST_EMAIL}", ["too_long"]),
        ("customer_email", 7, ["type"]),
        ("reference", "r" * 129, ["too_long"]),
        ("reference", "", ["format"]),
        ("reference", 17, ["type"]),
        ("settlement_chain", "c" * 129, ["too_long"]),
        ("settlement_chain", "", ["format"]),
        ("settlement_chain", 8453, ["type"]),
        ("settlement_token", "t" * 129, ["too_long"]),
        ("settlement_token", False, ["type"]),
        ("settlement_address", "a" * 129, ["too_long"]),
        ("settlement_address", ["0x"], ["type"]),
        ("currency", "", ["format"]),
        ("currency", 840, ["type"]),
        ("metadata", [], ["type"]),
        ("metadata", "text", ["type"]),
        ("metadata", 1, ["type"]),
        ("amuont", 25, ["unknown_field"]),
        ("status", "settled", ["unknown_field"]),
        ("mode", "live", ["unknown_field"]),
    ],
)
def test_fields_that_are_refused(api: ApiClient, field: str, value: object, codes: list[str]) -> None:
    found = problems(refused(api, {"amount": 25, field: value}))
    assert sorted(found) == [(field, code) for code in codes]


def test_every_problem_is_named_at_once(api: ApiClient) -> None:
    reply = refused(api, {"amount": 0, "expires_in_seconds": 1, "customer_email": "x"})
    assert sorted(problems(reply)) == [
        ("amount", "out_of_range"),
        ("customer_email", "format"),
        ("expires_in_seconds", "out_of_range"),
    ]


def test_the_longest_reference_is_taken(api: ApiClient) -> None:
    assert create(api, reference="ü" * 128)["reference"] == "ü" * 128


@pytest.mark.spec("Create body: reference and return_url")
@pytest.mark.parametrize(
    "url",
    [
        "https://shop.example",
        "https://shop.example:8443/a/b?c=d&e=%20#f",
        "http://localhost:3000/thanks",
        "http://127.0.0.1/thanks",
        "http://[::1]:3000/thanks",
    ],
)
def test_return_urls_of_test_mode(api: ApiClient, url: str) -> None:
    assert create(api, return_url=url)["return_url"] == url


BAD_URLS = [
    "http://shop.example/",
    "javascript:alert(1)",
    "data:text/html,hi",
    "//shop.example/",
    "shop.example",
    "https://",
    "https:///path",
    "https://user@shop.example/",
    "https://user:secret@shop.example/",
    "https://:secret@shop.example/",
    "https://@shop.example/",
    "https://shop.example:99999/",
    "https://shop.example:https/",
    "https://[::1/",
    "https://shop.example/ x",
    "https://shop.example\\@evil.example/",
    "https://shop.example/\u202eexe",
    "https://shop.example/\x7f",
    'https://shop.example/"onclick',
    "https://shop.example/<x>",
    "ftp://shop.example/",
]


@pytest.mark.spec("Create body: reference and return_url")
@pytest.mark.parametrize("url", [*BAD_URLS, "http://localhost.evil.example/", "http://10.0.0.1/"])
def test_return_urls_that_are_refused(api: ApiClient, url: str) -> None:
    assert problems(refused(api, {"amount": 25, "return_url": url})) == [("return_url", "format")]


def test_a_return_url_has_an_end(api: ApiClient) -> None:
    longest = "https://shop.example/".ljust(2048, "a")
    assert create(api, return_url=longest)["return_url"] == longest
    assert problems(refused(api, {"amount": 25, "return_url": f"{longest}a"})) == [("return_url", "too_long")]


LIVE_BODY: dict[str, Any] = {
    "amount": 25,
    "settlement_chain": "base",
    "settlement_token": "USDC",
    "settlement_address": "0x52908400098527886E0F7030069857D2E4169EE7",
}


@pytest.mark.parametrize("url", [*BAD_URLS, "http://localhost:3000/thanks", "http://127.0.0.1/thanks"])
def test_live_return_urls_are_https_only(live_api: ApiClient, url: str) -> None:
    assert problems(refused(live_api, {**LIVE_BODY, "return_url": url})) == [("return_url", "format")]


def test_a_live_return_url_is_taken(live_api: ApiClient) -> None:
    assert create(live_api, **LIVE_BODY, return_url="https://shop.example/")["return_url"] == "https://shop.example/"


def test_two_creates_make_two_intents(api: ApiClient) -> None:
    assert create(api)["id"] != create(api)["id"]
    assert PaymentIntent.objects.count() == 2
