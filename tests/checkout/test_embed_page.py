"""GET /embed/{id}: the payer's page for a frame on exactly one origin, without a token; and the scripts around it."""

import base64
import gzip
import re
from hashlib import sha384
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from django.http import HttpResponse
from django.test import Client

from checkout.branding.sheets import Style, checkout_sheet
from checkout.views.embed import SCRIPTS
from core.modes import Mode
from merchants.models import RefusedOrigin
from merchants.refused_origins import refused
from tests.checkout.pages import LIVE, read_page, visit
from tests.checkout.test_hosted_page import LINKS_TO_NOTHING, POLICY, policy_of
from tests.checkout.test_sessions import allow
from tests.conftest import ApiClient
from tests.factories.rows import all_rows
from tests.payments.payer import Payer, context_of
from tests.payments.world import World, create

SHOP = "https://shop.example"
MOST_BYTES = 2048
"""Of a script. Source: experience, Script-tag API."""


def frame(intent_id: str, origin: str = SHOP, **words: str) -> HttpResponse:
    return Client().get(f"/embed/{intent_id}", {"origin": origin, **words})  # type: ignore[return-value]  # a subclass


def assert_refused(response: HttpResponse, origin: str) -> None:
    """Nobody can frame it, it says what to do, and nothing of the payment is in it."""
    assert response.status_code == 403, origin
    assert policy_of(response) == POLICY, origin
    assert response.headers["X-Frame-Options"] == "DENY"
    assert response.headers["Cache-Control"] == "no-store"
    page = read_page(response)
    assert page.text("status-title") == "This shop’s page may not show the checkout here."
    assert "hosted-link" in page.by_test_id
    assert "script" not in {tag for tag, _ in page.shape}
    assert b"Corner Shop" not in response.content


@pytest.mark.spec("Publishable keys initialise the embedded checkout")
def test_a_page_for_exactly_one_origin(api: ApiClient) -> None:
    intent = create(api)
    for origin in (SHOP, "https://shop.example:8443", "http://127.0.0.1:3000", "http://localhost:8000"):
        response = frame(intent["id"], origin)
        assert response.status_code == 200
        assert policy_of(response) == POLICY | {"frame-ancestors": origin}
        assert "X-Frame-Options" not in response.headers
        assert response.headers["Cache-Control"] == "no-store"
        assert response.headers["Referrer-Policy"] == "same-origin"
        assert response.headers["X-Content-Type-Options"] == "nosniff"
        assert "Access-Control-Allow-Origin" not in response.headers
        assert not response.cookies
    assert visit(intent["id"]).headers["X-Frame-Options"] == "DENY"
    assert policy_of(visit(intent["id"])) == POLICY


def test_it_is_the_hosted_page_in_a_smaller_form_without_a_token(world: World, api: ApiClient) -> None:
    intent = create(api, reference="INV 17", return_url="https://shop.example/thanks")
    Payer.of(intent).renew()
    response = frame(intent["id"])
    own = visit(intent["id"])
    framed, hosted = read_page(response), read_page(own)
    for name in ("merchant-name", "amount", "status-title", "status-money", "status-next", "reference", "settlement"):
        assert framed.text(name) == hosted.text(name)
    more = {"secure-window", "close", "leave", "leave-stay", "leave-go"}
    assert set(framed.by_test_id) - set(hosted.by_test_id) == more
    assert set(hosted.by_test_id) - set(framed.by_test_id) == {"languages"}, "the shop says which language"
    assert ("base", ("target",)) in framed.shape
    assert "base" not in {tag for tag, _ in hosted.shape}
    assert framed.by_test_id["secure-window"].attributes["href"].startswith(f"/checkout/{intent['id']}?")
    assert framed.by_test_id["cancel-link"].attributes["target"] == "_top"
    context, whole = context_of(response.content), context_of(own.content)
    token = whole.pop("checkout_token")
    assert (context.pop("embedded"), context.pop("host_origin")) == (True, SHOP)
    assert context == whole
    assert token.split(":")[0].encode() not in response.content


def test_the_scheme_may_be_pinned(api: ApiClient) -> None:
    intent = create(api)
    for theme in ("light", "dark", "auto", "x", '"><script>alert(1)</script>'):
        response = frame(intent["id"], theme=theme)
        pinned = f'data-theme="{theme}"'.encode() in response.content
        assert pinned is (theme in {"light", "dark"}), theme
        assert b"<script>alert" not in response.content


def test_a_pinned_scheme_has_the_colours_of_the_scheme() -> None:
    """Written twice, because old browsers know no other way to pin one."""
    own, framed = (
        Path("checkout/static/checkout", name).read_text(encoding="utf-8") for name in ("checkout.css", "embed.css")
    )
    schemes = re.findall(r"--paper[^}]*", own)[:2]
    assert [" ".join(text.split()) for text in schemes] == [
        " ".join(text.split()) for text in re.findall(r"--paper[^}]*", framed)
    ]
    brand = checkout_sheet(Style(accent="#8a1f5c"))
    for scheme in ("light", "dark"):
        assert f".embedded[data-theme={scheme}]{{--accent:" in brand


@pytest.mark.spec("Publishable keys: allowed origins, live at least one configured")
def test_who_may_frame_and_what_the_dashboard_hears_of_the_others(
    api: ApiClient, live_api: ApiClient, account: Any
) -> None:
    test, live = create(api), create(live_api, **LIVE)
    before = all_rows()
    assert_refused(frame(live["id"]), "none listed in live mode")
    assert frame(test["id"], "https://anybody.example").status_code == 200
    assert_refused(frame(test["id"], ""), "none named")
    assert_refused(Client().get(f"/embed/{test['id']}"), "none named")  # type: ignore[arg-type]  # a subclass
    for mode in Mode:
        allow(account, mode, "https://*.shop.example")
    for intent in (test, live):
        assert policy_of(frame(intent["id"], "https://de.shop.example"))["frame-ancestors"] == "https://de.shop.example"
        assert_refused(frame(intent["id"]), "the name below the star")
        assert_refused(frame(intent["id"], "https://evil.example"), "another")
    assert all_rows() == before
    refused.flush()
    noted = {(row.mode, row.origin, row.times) for row in RefusedOrigin.objects.all()}
    assert noted == {
        *(("live", SHOP, 2), ("test", SHOP, 1)),
        *(("live", "https://evil.example", 1), ("test", "https://evil.example", 1)),
    }


TRICKS = [
    *("null", "*", "'self'", "https:", "https://", "data:", "shop.example", "//shop.example", "javascript:alert(1)"),
    *("https://shop.example/", "https://shop.example/path", "https://shop.example?x", "https://shop.example#x"),
    *("https://shop.example https://evil.example", "https://shop.example; script-src *", "https://shop.example,*"),
    *("https://shop.example\r\nX-Evil: 1", "https://shop.example\n", "https://shop.example\x00"),
    *("\thttps://shop.example", "https://shop.example\u2028", "https://shöp.example", "https://sh\u043ep.example"),
    *("https://shop\u3002example", "https://user@shop.example", "https://user:pw@shop.example"),
    *("https://shop.example:443", "http://shop.example:80", "https://shop.example:", "https://shop.example:0"),
    *("https://shop.example:65536", "https://shop.example:8a", "HTTPS://shop.example", "https://Shop.example"),
    *("https://shop.example.", "https://.shop.example", "https://*.shop.example", "https://shop..example"),
    *("https://-shop.example", "https://1.2.3", "https://0x7f.1", "https://127.1", "https://[::1", "https://[::01]"),
    *("https://[0:0:0:0:0:0:0:1]", "ftp://shop.example", "https://shop%2eexample", "https:\\\\shop.example"),
    *("https://" + "a." * 150 + "example", "wss://shop.example"),
]


@pytest.mark.slow
def test_nothing_gets_into_the_policy_but_an_origin_to_the_letter(api: ApiClient) -> None:
    intent = create(api)
    for origin in TRICKS:
        answer = frame(intent["id"], origin)
        assert_refused(answer, origin)
        assert "X-Evil" not in answer.headers
        twice = Client().get(f"/embed/{intent['id']}?origin={quote(SHOP)}&origin={quote(origin)}")
        assert_refused(twice, origin)  # type: ignore[arg-type]  # a subclass
    assert frame(intent["id"], SHOP).status_code == 200


def test_what_is_shown_of_a_refused_origin_is_text(api: ApiClient) -> None:
    response = frame(create(api)["id"], "<script>alert(1)</script>" + "x" * 500)
    assert b"<script>alert" not in response.content
    assert b"x" * 180 not in response.content
    assert "allow https" not in read_page(response).text("for-the-merchant")
    for identifier in LINKS_TO_NOTHING:
        response = frame(identifier)
        assert response.status_code == 404, identifier
        assert policy_of(response) == POLICY
        assert response.headers["X-Frame-Options"] == "DENY"
        assert read_page(response).text("status-title") == "There is no payment at this address."


def test_looking_changes_nothing_and_a_cookie_shows_nothing_more(world: World, api: ApiClient, account: Any) -> None:
    intent, browser = create(api), Client()
    browser.force_login(account.owner)
    before = all_rows()
    answer = browser.get(f"/embed/{intent['id']}", {"origin": SHOP})
    assert (answer.status_code, answer.content) == (200, frame(intent["id"]).content)
    assert not answer.cookies
    assert Client().post(f"/embed/{intent['id']}?origin={quote(SHOP)}").status_code == 405
    assert all_rows() == before


@pytest.mark.parametrize("name", SCRIPTS)
def test_every_page_may_load_the_scripts_and_they_are_small(name: str) -> None:
    answer = Client().get(f"/embed/{name}")
    expected = {
        **{"Content-Type": "text/javascript; charset=utf-8", "X-Content-Type-Options": "nosniff"},
        **{"Access-Control-Allow-Origin": "*", "Cross-Origin-Resource-Policy": "cross-origin"},
        **{"Cache-Control": "public, max-age=300", "Vary": "Accept-Encoding"},
    }
    assert (answer.status_code, {header: answer.headers[header] for header in expected}) == (200, expected)
    assert not answer.cookies
    again = Client(headers={"If-None-Match": answer.headers["ETag"]}).get(f"/embed/{name}")
    assert (again.status_code, again.content) == (304, b"")
    assert Client().post(f"/embed/{name}").status_code == 405
    zipped = Client(headers={"Accept-Encoding": "br, gzip"}).get(f"/embed/{name}")
    assert zipped.headers["Content-Encoding"] == "gzip"
    assert gzip.decompress(zipped.content) == answer.content
    assert len(zipped.content) < MOST_BYTES, len(zipped.content)


def test_the_hash_is_of_what_is_served() -> None:
    facts = Client().get("/embed/v1.json")
    expected = base64.b64encode(sha384(Client().get("/embed/v1.js").content).digest()).decode()
    assert facts.json() == {"src": "http://localhost:8000/embed/v1.js", "integrity": f"sha384-{expected}"}
    assert facts.headers["Access-Control-Allow-Origin"] == "*"
