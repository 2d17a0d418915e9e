"""Which language a payer is answered in, where it shows, and that nobody else's answers change."""

from typing import Any
from uuid import uuid4

from django.test import Client, RequestFactory

from core.language import LANGUAGES, language_choices, language_of, spoken
from tests.checkout.pages import read_page
from tests.conftest import ApiClient
from tests.payments.payer import EVM_WALLET, Payer, context_of
from tests.payments.world import World, create

CODES = ["en", "de", "es", "fr", "pt-br", "ar"]
READY = {
    "en": "This payment is ready.",
    "de": "Diese Zahlung ist bereit.",
    "es": "Este pago está listo.",
    "fr": "Ce paiement est prêt.",
    "pt-br": "Este pagamento está pronto.",
    "ar": "هذه الدفعة جاهزة.",
}
TAGS = {
    **{"de-AT": "de", "de_CH": "de", "DE": "de", "pt": "pt-br", "pt_BR": "pt-br", "pt-PT": "pt-br", "es-419": "es"},
    **{"fr-CA": "fr", "ar-EG": "ar", "ar-u-nu-latn": "ar", "en-GB": "en"},
}
HOSTILE = ("zh", "de" * 5_000, "de\r\nSet-Cookie: a=b", "de\n", "de\x00", "<script>", "../../de", "dе", "", "*")


def _asked(locale: str | None = None, accept: str | None = None) -> str:
    headers = {} if accept is None else {"Accept-Language": accept}
    query = {} if locale is None else {"locale": locale}
    return language_of(RequestFactory().get("/", query, headers=headers)).code


def test_a_tag_finds_the_nearest_language_and_a_hostile_one_none() -> None:
    assert [language.code for language in LANGUAGES] == CODES
    assert [language.code for language in LANGUAGES if language.right_to_left] == ["ar"]
    assert {tag: _asked(tag, "en") for tag in TAGS} == TAGS
    assert {tag: _asked(None, tag.replace("_", "-")) for tag in TAGS} == TAGS
    for value in HOSTILE:
        assert spoken(value) is None, value[:20]
        assert (_asked(value, "ar"), _asked(value, None), _asked(None, value)) == ("ar", "en", "en"), value[:20]


def test_the_address_comes_before_the_browser_and_english_last() -> None:
    assert _asked("fr", "de") == "fr"
    assert [_asked(None, accept) for accept in ("zh-TW, ar;q=0.4, es;q=0.9", "zh", None)] == ["es", "en", "en"]
    choices = language_choices(RequestFactory().get("/", {"x": "1", "locale": "fr"}))
    assert [choice["address"] for choice in choices] == [f"?locale={code}" for code in CODES]
    assert [choice["language"].code for choice in choices if choice["current"]] == ["fr"]


def test_the_page_and_its_state_speak_it(world: World, api: ApiClient) -> None:
    payer = Payer.of(create(api))
    for code in CODES:
        response: Any = Client(headers={"Accept-Language": "zh"}).get(f"/checkout/{payer.intent_id}?locale={code}")
        page = read_page(response)
        assert page.text("status-title") == READY[code]
        assert page.shape[0] == ("html", ("lang", "dir") if code == "ar" else ("lang",))
        assert response.headers["Content-Language"] == code
        assert "Accept-Language" in response.headers["Vary"]
        assert not response.cookies
        assert context_of(response.content)["locale"].startswith(code)
        reply = payer.send("GET", "/state", Accept_Language=code)
        assert reply.body["message"]["happened"] == READY[code]
        assert "Accept-Language" in reply.headers["Vary"]
    action = {"family": "evm", "address": EVM_WALLET}
    assert payer.act("wallet", action, Accept_Language="de")["message"]["happened"] == "Diese Zahlung wartet auf Sie."
    refused, plain = (payer.send("POST", "/wallet", {"family": "evm"}, Accept_Language=code) for code in ("de", "en"))
    assert (refused.status, refused.body["error"]) == (400, plain.body["error"]), "errors are for programs"
    assert "This field is required" in str(refused.body)


def test_what_is_not_there_says_so_in_it_and_the_rest_of_the_service_stays_english(db: None) -> None:
    for code in CODES:
        response = Client(headers={"Accept-Language": code}).get(f"/checkout/{uuid4()}")
        assert (response.status_code, response.headers["Content-Language"]) == (404, code)
        assert f'<html lang="{code}"' in response.content.decode()
    for path in ("/", "/accounts/login/", "/api/v1/payment_intents", "/api/public/v1/checkout/x"):
        plain = Client().get(path)
        asked = Client(headers={"Accept-Language": "de"}).get(f"{path}?locale=de")
        assert asked.status_code == plain.status_code
        assert "Content-Language" not in asked.headers
        assert "anmelden" not in asked.content.decode().lower()
