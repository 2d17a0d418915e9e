"""The one search box: every key of a payment leads to it, and never to anybody else's."""

import re
from datetime import timedelta
from decimal import Decimal

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from dashboard.cards import SearchResult
from dashboard.search import SEARCHES
from merchants.models import Merchant, Role
from merchants.services import NewMerchant
from payments.filters import holds
from payments.models import PaymentAttempt, PaymentIntent
from tests.each import faults
from tests.factories.payments import ANNS_SOLANA, credit
from tests.factories.refunds import paid_leg
from tests.merchants.people import add_member, proven, sign_in, text_of
from tests.payments.dashboard.stored import HOSTILE, NOON, stored_intent

pytestmark = pytest.mark.slow
SEARCH = "/dashboard/test/search/"
FOUND = re.compile(r'<a href="(/dashboard/test/payments/[^"]+)"><bdi>')
SIGNATURE = "5VERv8NMvzbJMEkV8xnrLkEaWRtSz9CosKDYjCJjBRnbJLgp8uirBgmQpjKhoR4tjF3ZpRzrFmBV6UjKdiSZkQUW"
HASH, ARRIVAL, SEEN = "0x" + "ab" * 32, "0x" + "cd" * 32, "0x" + "ef" * 32
SENDER, TRIER = "0x8617E340B3D01FA5F11F306F4090FD50E238070D", "0xde709f2102306220921060314715629080e2fb77"
KEYS: dict[str, str] = {
    "id": "{pk}",
    "id with its prefix": "pi_{pk}",
    "id without hyphens": "{hex}",
    "reference": "Order 17/a",
    "e-mail": "ann@payer.example",
    "e-mail in capitals": "ANN@payer.example",
    "metadata text": "A-1042",
    "metadata deep inside": "Ünïcode \U0001f600",
    "metadata in a list": "blue",
    "metadata number": "4711",
    "metadata decimal": "2.50",
    "metadata with quotes": 'say "hi" \\ back',
    "leg": HASH,
    "leg in capitals": HASH.upper().replace("X", "x"),
    "leg without 0x": HASH[2:],
    "arrival": ARRIVAL,
    "Solana signature": SIGNATURE,
    "credit": SEEN,
    "sender": SENDER,
    "sender in small letters": SENDER.lower(),
    "who tried": TRIER.upper().replace("X", "x"),
    "settlement address": ANNS_SOLANA,
}
"""By kind of key: what somebody types to find the payment of ``known``."""
OF_CUSTOMERS = [name for name in KEYS if name.startswith(("e-mail", "metadata"))]


def known(merchant: Merchant, mode: str = "test") -> PaymentIntent:
    deep = {"er": "Ünïcode \U0001f600", "tags": ["red", "blue"]}
    metadata = {"order": "A-1042", "n": 4711, "price": Decimal("2.50"), "deep": deep, "quoted": 'say "hi" \\ back'}
    intent = stored_intent(
        merchant,
        mode=mode,
        reference="Order 17/a",
        customer_email="ann@payer.example",
        settlement_address=ANNS_SOLANA,
        metadata=metadata,
    )
    paid_leg(intent, tx_hash=HASH, destination_tx_hash=ARRIVAL)
    paid_leg(intent, tx_hash=SIGNATURE, chain="solana")
    network = "simulated" if mode == "test" else f"localnet-{mode}"[:12]
    credit(intent, 1, tx_hash=SEEN, sender=SENDER, block_time=NOON, network=network, position=f"{intent.pk}"[:8])
    facts = {"merchant_id": merchant.pk, "mode": mode, "family": "evm", "chain": "base", "token": "USDC"}
    PaymentAttempt.objects.create(intent=intent, number=1, payer_address=TRIER, status="abandoned", **facts)
    return intent


def typed(name: str, intent: PaymentIntent) -> str:
    return KEYS[name].format(pk=intent.pk, hex=intent.pk.hex)


@pytest.fixture
def owner(account: NewMerchant) -> Client:
    return proven(factor=True)


def test_every_key_leads_there_in_one_step(owner: Client, merchant: Merchant) -> None:
    """And is told to nobody who may not see customers."""
    intent = known(merchant)
    stored_intent(merchant, 1, metadata={"order": "A-10421", "n": 47110})

    def check(name: str) -> None:
        answer = owner.get(SEARCH, {"q": f"  {typed(name, intent)}\n"})
        assert (answer.status_code, answer.headers.get("Location")) == (302, f"/dashboard/test/payments/{intent.pk}/")

    assert faults(check, KEYS) == {}
    add_member(merchant, "viewer@shop.example", Role.VIEWER)
    viewer = sign_in("viewer@shop.example")
    assert faults(lambda name: assert_not_found(viewer, typed(name, intent)), OF_CUSTOMERS) == {}
    assert viewer.get(SEARCH, {"q": "Order 17/a"}).status_code == 302


def test_others_and_the_other_modes_are_never_found(
    owner: Client, merchant: Merchant, other_account: NewMerchant
) -> None:
    theirs, real = known(other_account.merchant), stored_intent(merchant, 3, mode="live")
    theirs.legs.update(merchant=merchant)  # whatever a child's own columns say, the payment's decide
    assert_not_found(owner, HASH)
    theirs.legs.update(merchant=other_account.merchant)
    assert faults(lambda name: assert_not_found(owner, typed(name, theirs)), KEYS) == {}
    PaymentIntent.objects.filter(pk=theirs.pk).update(merchant=merchant, mode="live")
    for model in (theirs.legs, theirs.credits, theirs.payment_attempts):
        model.update(merchant=merchant, mode="live")
    assert_not_found(owner, str(real.pk))

    def check(name: str) -> None:
        assert_not_found(owner, typed(name, theirs))
        assert owner.get("/dashboard/live/search/", {"q": typed(name, theirs)}).status_code == 302

    assert faults(check, KEYS) == {}


def assert_not_found(client: Client, text: str) -> None:
    answer = client.get(SEARCH, {"q": text})
    page = text_of(answer)
    assert answer.status_code == 200
    assert "Nothing in test mode is exactly" in page
    assert "What can be found" in page


def test_what_very_many_share_shows_the_newest(owner: Client, merchant: Merchant) -> None:
    first = stored_intent(merchant)
    fields = {field.attname: getattr(first, field.attname) for field in PaymentIntent._meta.concrete_fields}
    fields |= {"metadata": {"shop": "Berlin"}, "reference": "A-1", "customer_email": "ann@payer.example"}
    del fields["id"]
    PaymentIntent.objects.bulk_create(
        PaymentIntent(**fields | {"created_at": NOON + timedelta(seconds=number)}) for number in range(700)
    )
    newest = PaymentIntent.objects.order_by("-created_at", "-pk").values_list("pk", flat=True)[:20]
    for text in ("Berlin", "A-1", "ann@payer.example", first.settlement_address):
        page = text_of(owner.get(SEARCH, {"q": text}))
        assert FOUND.findall(page) == [f"/dashboard/test/payments/{key}/" for key in newest], text


def test_what_names_nothing_finds_nothing(owner: Client, merchant: Merchant) -> None:
    known(merchant)
    for text in ("", "   ", "\x00", "%", "_", "*", "'", '"', "\\", "[", "true", "null", "{}", "--", "0x"):
        answer = owner.get(SEARCH, {"q": text})
        assert (answer.status_code, "What can be found" in text_of(answer)) == (200, True), text
    with CaptureQueriesContext(connection) as queries:
        owner.get(SEARCH, {"q": "nothing like that"})
    assert len(queries) <= 15
    page = text_of(owner.get(SEARCH, {"q": "y" * 9000}))
    assert ("y" * 512 in page, "y" * 513 in page) == (True, False)


def test_hostile_texts_are_searched_as_texts(owner: Client, merchant: Merchant) -> None:
    def check(name: str) -> None:
        text = HOSTILE[name]
        for number in (1, 2):
            stored_intent(merchant, number, metadata={"k": text[:512].strip()}, reference=text[:128])
        answer = owner.get(SEARCH, {"q": text})
        page = text_of(answer)
        assert (answer.status_code, len(FOUND.findall(page))) == (200, 2)
        assert "<script>alert" not in page
        assert '" onmouseover' not in page

    assert faults(check, HOSTILE) == {}


def test_hits_of_several_apps_are_grouped(owner: Client, merchant: Merchant, monkeypatch: pytest.MonkeyPatch) -> None:
    stored_intent(merchant, reference="A-1")
    refund = SearchResult(kind="Refunds", title="$5.00 back", detail="paid", url="/dashboard/test/refunds/1/")
    monkeypatch.setattr("dashboard.search.SEARCHES", [*SEARCHES, lambda visit, text: [refund, refund] * 99])
    page = text_of(owner.get(SEARCH, {"q": "A-1"}))
    assert "2 matches for" in page
    assert re.findall(r'<h2 id="group-\d">(\w+)</h2>', page) == ["Payments", "Refunds"]


@pytest.mark.spec("Rulings B9.2")
def test_only_whole_values_count() -> None:
    assert holds({"a": [{"b": "x"}]}, "x")
    assert holds({"a": 1}, "1")
    for value, text in (({"a": True}, "True"), ({"a": None}, "None"), ({"x": "y"}, "x"), ({"a": "x y"}, "x")):
        assert not holds(value, text)
