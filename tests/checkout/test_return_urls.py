"""Where a payer may be sent back to: honest pages of the merchant, and none of the tricks."""

import re
from typing import Any

import pytest

from core.modes import Mode
from merchants.models import AllowedOrigin
from merchants.principal import Principal
from merchants.services.origins import allow_origin
from payments.models import PaymentIntent
from tests.checkout.pages import read_page, visit
from tests.conftest import ApiClient
from tests.factories.payments import ANNS_EVM
from tests.factories.rows import all_rows
from tests.payments.payer import Payer
from tests.payments.world import create

LIVE = {"settlement_chain": "base", "settlement_token": "USDC", "settlement_address": ANNS_EVM}
NO_ADDRESSES = [
    *("javascript:alert(1)", "JaVaScRiPt://shop.example/%0aalert(1)", "data:text/html,<script>alert(1)</script>"),
    *("blob:https://shop.example/5b1f6bb8", "file:///etc/passwd", "ftp://shop.example/", "//evil.example/"),
    *("\\\\evil.example/", "/\\evil.example", "https:/evil.example/", "https:evil.example", "https:///evil.example"),
    *("https:\\\\evil.example/", "http://shop.example/", "https://shop.example@evil.example/"),
    *("https://shop.example:443@evil.example/", "https://shop.example\\@evil.example/"),
    *("https://shop.example\\.evil.example/", "https://evil.example\t.shop.example/", "https://evil.example\n/"),
    *("https://shop.example /", "https://evil。example/", "https://ｅvil.example/"),
    *("https://shop.example／.evil.example/", "https://sh\u043ep.example/"),
    *("https://shop.example\u200b.evil.example/", "https://shop.example%2eevil.example/"),
    *("https://shop.example%2f%2eevil.example/", "https://shop.example%00.evil.example/", "https://shop.example/%00"),
    *("https://shop.example/%0d%0aLocation:%20https://evil.example", "https://shop.example/\u202ecod.exe"),
    *("https://shop.example./", "https://*.shop.example/", "https://2130706433/", "https://0x7f000001/"),
    *("https://127.1/", "https://0177.0.0.1/", "https://0.0.0.0/", "https://[::]/", "https://[fe80::1%25eth0]/"),
    *("https://[::1/", "https://shop.example:0/", "https://shop.example:99999/", "https://shop.example:"),
    *("https://xn--a/", "https://shop_example/", "https://shop.example/thänks"),
]
ONLY_IN_TEST = [
    *("http://localhost:3000/", "https://localhost/", "https://shop.localhost/", "https://127.0.0.1/"),
    *("https://[::1]/", "https://10.0.0.8/", "https://192.168.1.1/", "https://169.254.169.254/latest/"),
    *("https://100.64.0.1/", "https://[fd00::1]/", "https://[::ffff:10.0.0.1]/"),
]
NOT_LISTED = [
    *("https://evil.example/", "https://shop.example.evil.example/", "https://evilshop.example/"),
    *("https://shop.example:8443/", "https://www.shop.example/", "https://evil.example/https://shop.example/"),
    *("https://evil.example#@shop.example/", "https://evil.example?https://shop.example"),
    *("https://xn--shp-0ce.example/", "https://93.184.215.14/"),
]
LISTED = [
    *("https://shop.example", "https://shop.example/", "https://shop.example/thanks?order=17&x=%20a#paid"),
    *("https://shop.example:443/thanks", "HTTPS://SHOP.Example/Thanks", "https://shop.example/@ann/orders"),
    *("https://shop.example/a?next=https://else.example/", "https://shop.example#@evil.example/"),
    *("https://shop.example/th%C3%A4nks", "https://pay.stores.example/", "https://xn--bcher-kva.example/dank"),
]


def refusal(api: ApiClient, url: str, **more: Any) -> tuple[int, str, str]:
    """How an intent with this return address is refused; nothing was written."""
    before = all_rows()
    reply = api.post("/payment-intents", {"amount": 25, "return_url": url, **more})
    assert all_rows() == before
    [problem] = reply.body["details"]["fields"]
    return reply.status, reply.body["code"], f"{problem['field']} {problem['code']}"


@pytest.fixture
def listed(principal: Principal, api: ApiClient) -> Principal:
    """The merchant lists its shops in test mode."""
    for origin in ("https://shop.example", "https://*.stores.example", "https://bücher.example"):
        allow_origin(principal, origin)
    return principal


def test_tricks_are_no_addresses_in_either_mode_and_own_machines_are_for_test_mode(
    api: ApiClient, live_api: ApiClient
) -> None:
    for url in NO_ADDRESSES:
        assert refusal(api, url) == (400, "invalid_request", "return_url format"), url
    for url in [*NO_ADDRESSES, *ONLY_IN_TEST]:
        assert refusal(live_api, url, **LIVE) == (400, "invalid_request", "return_url format"), url
    for url in [*LISTED, *NOT_LISTED, *ONLY_IN_TEST]:
        assert create(api, return_url=url)["return_url"] == url, "without a list any honest address is taken"
    assert create(live_api, return_url="https://any.example/", **LIVE)["return_url"] == "https://any.example/"
    assert refusal(api, "https://shop.example/" + "a" * 2048)[2] == "return_url too_long"


def test_a_list_is_kept_to_but_for_our_own_pages(api: ApiClient, listed: Principal) -> None:
    for url in [*LISTED, "http://localhost:8000/demo/orders/1"]:
        assert create(api, return_url=url)["return_url"] == url
    for url in NOT_LISTED:
        assert refusal(api, url) == (400, "return_url_not_allowed", "return_url unknown_value"), url
    for url in [*NO_ADDRESSES, "http://localhost:8000.evil.example/"]:
        assert refusal(api, url) == (400, "invalid_request", "return_url format"), url


def test_each_mode_has_its_own_list(live_api: ApiClient, listed: Principal) -> None:
    assert create(live_api, return_url="https://else.example/", **LIVE)["return_url"] == "https://else.example/"
    allow_origin(Principal(merchant_id=listed.merchant_id, mode=Mode.LIVE, actor="key:live"), "https://live.example")
    assert refusal(live_api, "https://else.example/", **LIVE)[1] == "return_url_not_allowed"
    assert refusal(live_api, "https://shop.example/", **LIVE)[1] == "return_url_not_allowed"


def test_a_page_leads_nowhere_that_was_taken_off_the_list(api: ApiClient, listed: Principal) -> None:
    intent = create(api, return_url="https://shop.example/thanks")
    assert read_page(visit(intent["id"])).by_test_id["cancel-link"].attributes["href"] == "https://shop.example/thanks"
    AllowedOrigin.objects.filter(origin="https://shop.example").delete()
    assert Payer.of(intent).state()["return_url"] is None
    answer = visit(intent["id"])
    assert "cancel-link" not in read_page(answer).by_test_id
    assert re.search(rb"shop\.example", answer.content) is None
    assert PaymentIntent.objects.get(pk=intent["id"]).return_url == "https://shop.example/thanks"
