"""Origins: read as browsers write them, matched exactly, listed by people, and remembered when refused."""

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.clock import now
from core.errors import InvalidRequest, NotFound
from core.modes import Mode
from merchants.errors import OriginLimit
from merchants.models import AllowedOrigin, Change, RefusedOrigin
from merchants.origins import OriginRefusedError, is_match, origin_text
from merchants.principal import Principal
from merchants.refused_origins import KEPT, MOST_NOTED, RefusedOrigins
from merchants.services import NewMerchant
from merchants.services.origins import allow_origin, allowed_origins, is_allowed, may_use_publishable_key, remove_origin
from tests.payments.world import World

AS_BROWSERS_SEND = {
    "https://shop.example": "https://shop.example",
    "  HTTPS://Shop.Example/ ": "https://shop.example",
    "https://shop.example:443": "https://shop.example",
    "https://shop.example:8443": "https://shop.example:8443",
    "https://shop.example:08443": "https://shop.example:8443",
    "https://bücher.example": "https://xn--bcher-kva.example",
    "https://BÜCHER.example": "https://xn--bcher-kva.example",
    "https://xn--bcher-kva.example": "https://xn--bcher-kva.example",
    "https://faß.example": "https://xn--fa-hia.example",
    "https://shop。example": "https://shop.example",
    "https://ｓｈｏｐ.example": "https://shop.example",
    "https://*.shop.example": "https://*.shop.example",
    "https://*.bücher.example:444": "https://*.xn--bcher-kva.example:444",
    "https://93.184.215.14": "https://93.184.215.14",
    "https://[2001:DB8:0:0::1]": "https://[2001:db8::1]",
}


def test_what_is_typed_becomes_what_browsers_send() -> None:
    for mode in Mode:
        assert {typed: origin_text(typed, mode) for typed in AS_BROWSERS_SEND} == AS_BROWSERS_SEND
        assert [text for text in AS_BROWSERS_SEND.values() if origin_text(text, mode) != text] == []


NO_ORIGINS = (
    *("", "null", "NULL", "shop.example", "//shop.example", "https://", "https:///", "https:shop.example"),
    *("https://user@shop.example", "https://user:pw@shop.example", "https://shop.example@evil.example"),
    *("https://shop.example/pay", "https://shop.example?x", "https://shop.example#x", "https://shop.example\\x"),
    *("https://shop.example.", "https://.shop.example", "https://shop..example", "https://-shop.example"),
    *("https://shop_.example", "https://sh op.example", "https://shop.exa\u200bmple\x00"),
    *("https://shop.example:", "https://shop.example:0", "https://shop.example:65536", "https://shop.example:-1"),
    *("https://shop.example:٤٤٣", "https://shop.example:443:443", "https://shop"),
    *("https://xn--.example", "https://xn--a-.example", "https://xn--zzzzzzz99999.example"),
    *("https://*", "https://*.com", "https://**.shop.example", "https://shop.*.example", "https://*shop.example"),
    *("https://*.*.shop.example", "https://*.1.2.3.4", "https://*.[::1]", "https://*.localhost"),
    *("https://1.2.3", "https://127.1", "https://0x7f.0.0.1", "https://2130706433", "https://01.2.3.4"),
    *("https://1.2.3.4.", "https://shop.1", "https://shop.0x1", "https://0.0.0.0", "https://224.0.0.1"),
    *("https://[::1", "https://::1", "https://[fe80::1%25eth0]", "https://[::g]", "https://[]"),
    *("http://shop.example", "http://10.0.0.1", "ftp://shop.example", "javascript://shop.example", "file://x.y"),
    *("chrome-extension://abcdef", "wss://shop.example", f"https://{'a' * 64}.example", f"https://{'a.' * 140}b"),
    "https://shop.example, https://evil.example",
)


def test_what_is_no_origin_is_refused_with_a_sentence() -> None:
    for typed in NO_ORIGINS:
        for mode in Mode:
            with pytest.raises(OriginRefusedError, match=r"[A-Z].{15,}\."):
                origin_text(typed, mode)


OWN_MACHINE = {
    "http://localhost": "http://localhost",
    "http://localhost:80": "http://localhost",
    "http://LOCALHOST:3000": "http://localhost:3000",
    "https://localhost:3000": "https://localhost:3000",
    "http://shop.localhost:3000": "http://shop.localhost:3000",
    "http://127.0.0.1:5173": "http://127.0.0.1:5173",
    "http://127.9.9.9": "http://127.9.9.9",
    "http://[::1]:8080": "http://[::1]:8080",
    "http://[::ffff:127.0.0.1]": "http://[::ffff:7f00:1]",
}


def test_your_own_machine_is_for_test_mode() -> None:
    for typed, written in OWN_MACHINE.items():
        assert origin_text(typed, Mode.TEST) == written
        with pytest.raises(OriginRefusedError, match="test mode only"):
            origin_text(typed, Mode.LIVE)


SHOP, BELOW, PORT = "https://shop.example", "https://*.shop.example", "https://*.shop.example:8443"
LETS_IN = {
    SHOP: ["https://shop.example"],
    BELOW: ["https://www.shop.example", "https://a.b.shop.example"],
    PORT: ["https://www.shop.example:8443"],
    "https://[2001:db8::1]": ["https://[2001:db8::1]"],
}
KEEPS_OUT = {
    SHOP: [
        *("https://shop.example:443", "http://shop.example", "https://SHOP.example", "https://shop.example."),
        *("https://shop.example/", "https://shop.example.evil.example", "https://evil.example#https://shop.example"),
        " https://shop.example",
    ],
    BELOW: [
        *("https://shop.example", "https://.shop.example", "https://evilshop.example", "https://www.shop.example:8443"),
        *("http://www.shop.example", "https://www.shop.example.evil.example", "https://evil.example/.shop.example"),
        *("https://user@www.shop.example", "https://*.shop.example"),
    ],
    PORT: ["https://www.shop.example"],
}


def test_matching() -> None:
    """What no browser writes is on no list."""
    assert [sent for listed, rows in LETS_IN.items() for sent in rows if not is_match([listed], sent)] == []
    assert [sent for listed, rows in KEEPS_OUT.items() for sent in rows if is_match([listed], sent)] == []
    for sent in ("", "null", "https://", "*", "https://*", "https://shop.example\x00", "x" * 10_000):
        assert not is_match(["https://shop.example", "https://*.shop.example", "null", "", "*"], sent), sent


HOSTS = st.text(string.ascii_letters + string.digits + ".-*:[]@/äß。０\u200b", max_size=40)


@given(st.sampled_from(["https://", "http://", "HTTPS://", ""]), HOSTS)
def test_whatever_is_taken_is_a_fixed_point_and_matches_itself(scheme: str, host: str) -> None:
    for mode in Mode:
        try:
            written = origin_text(scheme + host, mode)
        except OriginRefusedError:
            continue
        assert origin_text(written, mode) == written
        assert written.isascii()
        assert written == written.lower()
        assert not set(written) & set("@/?#\\ ") - {"/"}
        assert written.count("/") == 2
        if "*" not in written:
            assert is_match([written], written)


@given(HOSTS)
def test_a_star_only_lets_in_what_is_below_it(host: str) -> None:
    if is_match(["https://*.shop.example"], f"https://{host}"):
        assert host.endswith(".shop.example")
        assert host != ".shop.example"


def test_listing_twice_and_removing(account: NewMerchant, principal: Principal, other_account: NewMerchant) -> None:
    """Nobody removes another's."""
    first = allow_origin(principal, "https://Shop.example:443/")
    assert allow_origin(principal, "https://shop.example").pk == first.pk
    assert allowed_origins(account.merchant.pk, Mode.TEST) == ("https://shop.example",)
    assert allowed_origins(account.merchant.pk, Mode.LIVE) == ()
    assert is_allowed(account.merchant.pk, Mode.TEST, "https://shop.example")
    assert remove_origin(principal, first.pk) == "https://shop.example"
    with pytest.raises(NotFound):
        remove_origin(principal, first.pk)
    assert list(Change.objects.order_by("pk").values_list("action", "subject")) == [
        ("origin.allowed", "https://shop.example"),
        ("origin.removed", "https://shop.example"),
    ]
    row = allow_origin(principal, "https://shop.example")
    live = Principal(merchant_id=principal.merchant_id, mode=Mode.LIVE, actor="user:1")
    stranger = Principal(merchant_id=other_account.merchant.pk, mode=Mode.TEST, actor="user:2")
    for who in (live, stranger):
        with pytest.raises(NotFound):
            remove_origin(who, row.pk)
    assert AllowedOrigin.objects.count() == 1


def test_twenty_in_a_mode(principal: Principal) -> None:
    for number in range(20):
        allow_origin(principal, f"https://shop{number}.example")
    with pytest.raises(OriginLimit):
        allow_origin(principal, "https://one-more.example")
    allow_origin(principal, "https://shop7.example")
    allow_origin(Principal(merchant_id=principal.merchant_id, mode=Mode.LIVE, actor="x"), "https://one-more.example")
    with pytest.raises(InvalidRequest):
        allow_origin(principal, "null")
    assert AllowedOrigin.objects.count() == 21


@pytest.mark.spec("Publishable keys: allowed origins, live at least one configured")
def test_an_empty_list_lets_every_page_in_in_test_mode_alone(account: NewMerchant) -> None:
    merchant = account.merchant.pk
    assert may_use_publishable_key(merchant, Mode.TEST, "")
    assert not may_use_publishable_key(merchant, Mode.TEST, "null")
    assert not may_use_publishable_key(merchant, Mode.LIVE, "https://shop.example")
    for mode in Mode:
        allow_origin(Principal(merchant_id=merchant, mode=mode, actor="user:1"), "https://*.shop.example")
        assert may_use_publishable_key(merchant, mode, "https://www.shop.example")
        for sent in ("", "null", "https://shop.example", "https://evil.example"):
            assert not may_use_publishable_key(merchant, mode, sent)


def test_refused_origins_are_counted(world: World, account: NewMerchant) -> None:
    refusals, merchant, first = RefusedOrigins(), account.merchant.pk, now()
    for _ in range(3):
        refusals.note(merchant, Mode.TEST, "https://new.example")
    refusals.flush()
    world.wait(60)
    refusals.note(merchant, Mode.TEST, "https://new.example")
    refusals.note(merchant, Mode.LIVE, "https://new.example")
    refusals.flush()
    refusals.flush()
    rows = RefusedOrigin.objects.order_by("mode", "pk").values_list("mode", "origin", "times", "first_at", "last_at")
    assert list(rows) == [
        ("live", "https://new.example", 1, now(), now()),
        ("test", "https://new.example", 4, first, now()),
    ]


def test_what_could_not_be_listed_is_not_remembered(account: NewMerchant) -> None:
    """A merchant that is gone breaks nothing."""
    refusals = RefusedOrigins()
    addresses = ("https://x.example/", "https://x.example:443", "http://x.example", "https://<b>.x")
    for sent in ("", "null", "x" * 9999, *addresses):
        refusals.note(account.merchant.pk, Mode.LIVE, sent)
    refusals.flush()
    assert not RefusedOrigin.objects.exists()
    refusals.note(10**9, Mode.TEST, "https://new.example")
    refusals.forget()
    refusals.flush()
    assert not RefusedOrigin.objects.exists()


def test_a_stranger_fills_neither_memory_nor_table(
    world: World, account: NewMerchant, other_account: NewMerchant
) -> None:
    refusals = RefusedOrigins()
    refusals.note(other_account.merchant.pk, Mode.TEST, "https://theirs.example")
    for wave in range(3):
        world.wait(1)
        for number in range(MOST_NOTED + 50):
            refusals.note(account.merchant.pk, Mode.TEST, f"https://n{number}-{wave}.example")
        refusals.flush()
    mine = RefusedOrigin.objects.filter(merchant=account.merchant)
    assert mine.count() == KEPT
    assert {row.origin.partition("-")[2] for row in mine} == {"2.example"}
    assert RefusedOrigin.objects.filter(merchant=other_account.merchant).count() == 1


def test_what_is_allowed_is_no_longer_shown_as_refused(account: NewMerchant, principal: Principal) -> None:
    memory = RefusedOrigins()
    for text in ("https://www.shop.example", "https://eu.shop.example", "https://shop.example"):
        memory.note(account.merchant.pk, Mode.TEST, text)
    memory.flush()
    allow_origin(principal, "https://*.shop.example")
    assert [row.origin for row in RefusedOrigin.objects.all()] == ["https://shop.example"]
