"""POST /payment-intents: every field with its bounds and default; what is refused leaves nothing behind."""

import uuid

import pytest

from tests.conftest import ApiClient, Reply
from tests.core.error_form import KEYS
from tests.factories.payments import ANNS_EVM, ANNS_SOLANA
from tests.factories.rows import all_rows
from tests.payments.world import World, create, events, history, read

TEST_ADDRESS = "0x7e57000000000000000000000000000000000001"


def refused(api: ApiClient, body: object, **headers: str) -> Reply:
    """A create that must fail with 400 and leave every table as it was."""
    before = all_rows()
    reply = api.post("/payment-intents", body, **headers)
    assert reply.status == 400, reply.body
    assert set(reply.body) == KEYS
    assert reply.body["request_id"] == reply.headers["Request-Id"]
    assert all_rows() == before
    return reply


def problems(reply: Reply) -> list[tuple[str, str]]:
    assert reply.body["code"] == "invalid_request"
    return [(problem["field"], problem["code"]) for problem in reply.body["details"]["fields"]]


@pytest.mark.spec("PaymentIntent: fields; create: defaults; Idempotency: failures are not stored")
def test_only_an_amount_is_needed(world: World, api: ApiClient) -> None:
    assert api.post("/payment-intents", {"amount": 0}, Idempotency_Key="k").status == 400
    reply = api.post("/payment-intents", {"amount": 25}, Idempotency_Key="k")
    assert reply.status == 201
    identifier = reply.body["id"]
    assert (str(uuid.UUID(identifier)), uuid.UUID(identifier).version) == (identifier, 4)
    assert reply.body == {
        **{"id": identifier, "checkout_url": f"http://localhost:8000/checkout/{identifier}", "mode": "test"},
        **{"amount": "25.00", "currency": "USD", "status": "created", "metadata": {}},
        **{"settlement_chain": "base", "settlement_token": "USDC", "settlement_address": TEST_ADDRESS},
        **{"created_at": "2026-05-04T12:00:00.000Z", "expires_at": "2026-05-04T12:30:00.000Z"},
        **{"amount_received": "0.00", "amount_due": "25.00", "overpaid_usd": "0.00", "amount_refunded_usd": "0.00"},
        **{"partially_funded": False, "in_doubt": False, "platform_fee_usd": None, "last_error": None},
        **dict.fromkeys(("failure_reason", "settled_at", "settled_reason", "cancelled_at"), None),
        **dict.fromkeys(("customer_email", "reference", "return_url"), None),
    }
    assert history(reply.body) == ["created"]
    assert events(reply.body) == ["created"]
    assert api.post(f"/payment-intents/{identifier}/cancel").status == 200
    assert api.post("/payment-intents", {"amount": 25}, Idempotency_Key="k").raw == reply.raw, "whatever became of it"


@pytest.mark.spec("Contract 21.14; Create body: every field; Create body: optional fields")
def test_every_field_is_taken_and_shown_and_null_is_the_same_as_leaving_out(world: World, api: ApiClient) -> None:
    fields = {
        **{"currency": "USD", "metadata": {"order": 17}, "customer_email": "ann@buyer.example"},
        **{"settlement_chain": "solana", "settlement_token": "usdt", "settlement_address": ANNS_SOLANA},
        **{"reference": "INV-2026/17", "return_url": "https://shop.example/thanks?order=17"},
    }
    body = create(api, **fields, expires_in_seconds=3600)
    shown = {**fields, "settlement_token": "USDT", "expires_at": "2026-05-04T13:00:00.000Z"}
    assert {name: body[name] for name in shown} == shown
    assert read(api, body) == body
    left_out, nulled = create(api), create(api, **dict.fromkeys([*fields, "expires_in_seconds"]))
    assert nulled == left_out | {name: nulled[name] for name in ("id", "checkout_url")}


@pytest.mark.spec("Limits: amount 0.01 to 1000000")
def test_amounts_within_bounds(api: ApiClient) -> None:
    taken = {
        **{"0.01": "0.01", "1000000": "1000000.00", "1000000.00": "1000000.00", "1e2": "100.00", "1E+2": "100.00"},
        **{"2.5e1": "25.00", "49.9": "49.90", "0.10": "0.10", "19.990000": "19.99", "999999.99": "999999.99"},
    }
    for written, shown in taken.items():
        reply = api.post("/payment-intents", f'{{"amount":{written}}}'.encode())
        assert (reply.status, reply.body["amount"], reply.body["amount_due"]) == (201, shown, shown)
        assert read(api, reply.body)["amount"] == shown


REFUSED_AMOUNTS = {
    "out_of_range": ("0.009", "0", "-1", "1000000.01", "1e300", "1" + "0" * 200, "1e-300"),
    "precision": ("25.001", "0.011", "999999.999", "25." + "0" * 60 + "1"),
    "type": ('"25"', '"1e5"', "true", "false", "null", "[25]", '{"value":25}', '"٢٥"'),
}


@pytest.mark.spec("Contract 1.4; Limits: amount 0.01 to 1000000")
def test_amounts_that_are_refused(api: ApiClient) -> None:
    for code, texts in REFUSED_AMOUNTS.items():
        for written in texts:
            assert problems(refused(api, f'{{"amount":{written}}}'.encode())) == [("amount", code)], written
    assert problems(refused(api, {})) == [("amount", "required")]


@pytest.mark.spec("Contract 0.1; Limits: expires_in_seconds 60 to 2592000")
def test_lifetimes(world: World, api: ApiClient) -> None:
    for seconds, expires_at in ((60, "2026-05-04T12:01:00.000Z"), (2_592_000, "2026-06-03T12:00:00.000Z")):
        assert create(api, expires_in_seconds=seconds)["expires_at"] == expires_at
    bad = {"out_of_range": (59, 2_592_001, 0, -60), "type": (60.0, 60.5, "60", True, [60])}
    for code, values in bad.items():
        for value in values:
            found = problems(refused(api, {"amount": 25, "expires_in_seconds": value}))
            assert found == [("expires_in_seconds", code)], value


@pytest.mark.spec("Rulings A7.3; Contract 5.8; Create body: currency, default USD")
def test_other_currencies_are_refused(api: ApiClient) -> None:
    for currency in ("EUR", "eur", "USDC", "US", "ZZZ"):
        reply = refused(api, {"amount": 25, "currency": currency})
        assert (reply.body["code"], reply.body["details"]) == ("currency_unsupported", {"supported": ["USD"]})
    assert create(api, currency="usd")["currency"] == "USD"


LONG_LOCAL = "a" * 64
LONGEST_EMAIL = f"{LONG_LOCAL}@{'b' * 61}.{'c' * 61}.{'d' * 61}.xyz"


PLACE = ("settlement_chain", "settlement_token", "settlement_address")
REFUSED_FIELDS: dict[tuple[str, str], list[object]] = {
    ("customer_email", "format"): [
        *("no-at-sign", "a@b", "a@b@c.example", "Ann <ann@buyer.example>", "ann@buyer.example\nBcc: x@y.example", "")
    ],
    ("customer_email", "too_long"): [f"x{LONGEST_EMAIL}"],
    ("customer_email", "type"): [7],
    **{(name, "too_long"): ["r" * 129] for name in ("reference", *PLACE)},
    **{(name, "format"): [""] for name in ("reference", "settlement_chain", "currency")},
    **{(name, "type"): [17, False, ["0x"]] for name in ("reference", "currency", *PLACE)},
    ("metadata", "type"): [[], "text", 1],
    **{(name, "unknown_field"): ["live"] for name in ("amuont", "status", "mode")},
}


@pytest.mark.spec("Contract 12.2; Contract 5.3; Create body: customer_email, email format")
def test_fields_that_are_refused(api: ApiClient) -> None:
    for (field, code), values in REFUSED_FIELDS.items():
        for value in values:
            assert problems(refused(api, {"amount": 25, field: value})) == [(field, code)], value
    assert len(LONGEST_EMAIL) == 254
    first = create(api, customer_email=LONGEST_EMAIL, reference="ü" * 128)
    assert (first["customer_email"], first["reference"]) == (LONGEST_EMAIL, "ü" * 128)
    every = refused(api, {"amount": 0, "expires_in_seconds": 1, "customer_email": "x"})
    named = [("amount", "out_of_range"), ("customer_email", "format"), ("expires_in_seconds", "out_of_range")]
    assert sorted(problems(every)) == named


BAD_URLS = (
    *("http://shop.example/", "javascript:alert(1)", "data:text/html,hi", "//shop.example/", "shop.example"),
    *("https://", "https:///path", "https://user@shop.example/", "https://user:secret@shop.example/"),
    *("https://:secret@shop.example/", "https://@shop.example/", "https://shop.example:99999/", "https://[::1/"),
    *("https://shop.example:https/", "https://shop.example/ x", "https://shop.example\\@evil.example/"),
    *("https://shop.example/\u202eexe", "https://shop.example/\x7f", 'https://shop.example/"onclick'),
    *("https://shop.example/<x>", "ftp://shop.example/"),
)
ON_THIS_MACHINE = ("http://localhost:3000/thanks", "http://127.0.0.1/thanks", "http://[::1]:3000/thanks")
GOOD_URLS = ("https://shop.example", "https://shop.example:8443/a/b?c=d&e=%20#f")


@pytest.mark.spec("Contract 21.14; Create body: reference and return_url")
def test_return_urls(api: ApiClient, live_api: ApiClient) -> None:
    """Of our own machine in test mode alone."""
    live = {"settlement_chain": "base", "settlement_address": ANNS_EVM}
    longest = "https://shop.example/".ljust(2048, "a")
    for caller, place, good, bad in (
        (api, {}, (*GOOD_URLS, *ON_THIS_MACHINE, longest), ("http://localhost.evil.example/", "http://10.0.0.1/")),
        (live_api, live, GOOD_URLS, ON_THIS_MACHINE),
    ):
        for url in good:
            assert create(caller, **place, return_url=url)["return_url"] == url
        for url in (*BAD_URLS, *bad):
            fields = {"amount": 25, "return_url": url}
            assert problems(refused(caller, fields | place)) == [("return_url", "format")], url
    assert problems(refused(api, {"amount": 25, "return_url": f"{longest}a"})) == [("return_url", "too_long")]
