"""Every sentence of the payer's side, in every language: nothing missing, nothing bent, nothing unmarked."""

import re
from typing import Any
from uuid import uuid4

import pytest
from babel.messages.catalog import Message
from django.test import Client, RequestFactory
from django.utils.translation import gettext, override

from checkout.words.catalogue import words_file
from checkout.words.figures import FIGURES, figure, usd
from core.language import LANGUAGES, SOURCE, language_choices, language_of, spoken
from payments.explanation.payer_words import PAYER_WORDS
from scripts import messages
from scripts.messages import FOLDERS, NAMES, PLURALS, ROOT, payer_scripts, payer_templates, stored
from tests.checkout.pages import read_page
from tests.conftest import ApiClient
from tests.merchants.people import text_of
from tests.payments.payer import EVM_WALLET, Payer, context_of
from tests.payments.world import World, create

TRANSLATED = [language.code for language in LANGUAGES if language is not SOURCE]
GAP = re.compile(r"%\(\w+\)[sd]|\{\d\}|%%")
TAG = re.compile(r"</?\w[^>]*>")
BARE = re.compile(r"{#.*?#}|{%\s*blocktranslate.*?endblocktranslate\s*%}|{%.*?%}|{{.*?}}", re.DOTALL)
SPOKEN_ATTRIBUTE = re.compile(r"\b(?:aria-label|alt|title|placeholder)=[\"']([^\"']*)[\"']")
SCRIPT_NAMES = frozenset(
    {"Test wallet (EVM)", "Test wallet (Solana)", "Causeway test wallet\\n${address}\\n${text}", "No answer"}
)
"""What the simulated wallets are called, what they sign, and what is only thrown."""
UNSEEN = re.compile(r"<(script|style)\b.*?</\1>|<!--.*?-->|<[^>]*>", re.DOTALL)
LETTERS = re.compile(r"[^\W\d_]{2,}")
SCRIPT_SENTENCE = re.compile(r"[\"'`]([A-Z][a-z]+(?: [a-z]+){1,}[^\"'`]*)[\"'`]")
SCRIPT_COMMENT = re.compile(r"/\*.*?\*/|^\s*//[^\n]*|\bnew (?:Type)?Error\([^)]*\)", re.DOTALL | re.MULTILINE)


def forms(text: object) -> tuple[str, ...]:
    """A sentence, or its forms for numbers."""
    return tuple(text) if isinstance(text, (list, tuple)) else (str(text or ""),)


def faults_of(message: Message, plurals: int) -> list[str]:
    """What is wrong with a translation. Why counted ones may drop a number: Arabic says "two minutes" in one word."""
    english, translated = forms(message.id), forms(message.string)
    if message.fuzzy or not all(translated) or len(translated) != (plurals if len(english) > 1 else 1):
        return ["missing or only guessed"]
    faults, wanted = [], english[-1]
    for form in translated:
        gaps = sorted(GAP.findall(form))
        if gaps != sorted(GAP.findall(wanted)) and (gaps or len(english) == 1):
            faults.append(f"its gaps differ: {form}")
        if sorted(TAG.findall(form)) != sorted(TAG.findall(wanted)):
            faults.append(f"its markup differs: {form}")
    return faults


@pytest.mark.spec("Hosted checkout: languages")
@pytest.mark.slow
def test_every_sentence_is_translated_and_the_committed_catalogues_are_current() -> None:
    sources = messages.template_catalog()
    for code in TRANSLATED:
        catalog, plurals = stored(code), PLURALS[FOLDERS[code]][0]
        known = {(message.context, message.id) for message in catalog}
        assert [message.id for message in sources if (message.context, message.id) not in known] == [], code
        faults = [(message.id, fault) for message in catalog if message.id for fault in faults_of(message, plurals)]
        assert faults == [], code
        catalog = messages.updated(code, sources)
        assert messages.po_path(code).read_text() == messages.written(catalog), "run: make messages"
        assert messages.mo_path(code).read_bytes() == messages.compiled(catalog), "run: make messages"


@pytest.mark.parametrize("code", TRANSLATED)
def test_the_service_says_what_the_catalogue_says(code: str) -> None:
    """Libraries translate some of the same words; ours must win."""
    catalog = stored(code)
    with override(code):
        for words in PAYER_WORDS.values():
            parts = [gettext(part) for part in (words.happened, words.money, words.next)]
            assert parts == [catalog[part].string for part in (words.happened, words.money, words.next)]
            assert len(set(parts)) == 3, "money keeps its three parts"


def test_right_to_left_keeps_what_fills_a_gap_apart() -> None:
    assert "\u2068{0}\u2069" in words_file("ar").content.decode()
    assert "\u2068" not in words_file("de").content.decode()


def unmarked_in_template(source: str) -> list[str]:
    """Text of a template that nobody can translate."""
    bare = BARE.sub(" ", source)
    texts = [*SPOKEN_ATTRIBUTE.findall(bare), *UNSEEN.sub("\n", bare).split("\n")]
    return [text.strip() for text in texts if LETTERS.search(text) and text.strip(" []") not in NAMES]


def unmarked_in_script(source: str) -> list[str]:
    """Sentences of a script that should come from the catalogue."""
    return [found for found in SCRIPT_SENTENCE.findall(SCRIPT_COMMENT.sub("", source)) if found not in SCRIPT_NAMES]


def test_nothing_speaks_past_the_catalogue() -> None:
    unmarked = {path.name: unmarked_in_template(path.read_text()) for path in payer_templates()}
    unmarked |= {path.name: unmarked_in_script(path.read_text()) for path in payer_scripts()}
    assert {name: texts for name, texts in unmarked.items() if texts} == {}
    read = {path.relative_to(ROOT).as_posix() for path in (*payer_templates(), *payer_scripts())}
    assert {"templates/checkout/page.html", "checkout/static/checkout/main.js"} <= read


@pytest.mark.parametrize("code", [language.code for language in LANGUAGES])
def test_figures_are_written_as_the_language_does(code: str) -> None:
    with override(code):
        assert figure("12345678.9").count(FIGURES[code].group) == 2
        assert usd("1234.5") == DOLLARS[code]


DOLLARS = {
    "en": "$1,234.50",
    "de": "1.234,50\xa0$",
    "es": "1234,50\xa0US$",
    "fr": "1\u202f234,50\xa0$US",
    "pt-br": "US$\xa01.234,50",
    "ar": "\u20661,234.50\xa0US$\u2069",
}
"""As ``new Intl.NumberFormat(locale, {style: "currency", currency: "USD"})`` writes them."""
PLANTED = {
    "missing": Message("Paid.", ""),
    "guessed": Message("Paid.", "Bezahlt.", flags={"fuzzy"}),
    "a gap lost": Message("%(token)s on %(chain)s", "%(token)s auf"),
    "a gap added": Message("Pay {0}", "{0} von {1} bezahlen"),
    "markup": Message("Paid.", "<b>Bezahlt.</b>"),
    "a plural less": Message(("%(n)s leg", "%(n)s legs"), ("%(n)s Teil",)),
}


def test_planted_faults_are_noticed() -> None:
    assert [name for name, message in PLANTED.items() if not faults_of(message, 2)] == []
    assert unmarked_in_template('<p>{% translate "Paid." %} Thanks</p>') == ["Thanks"]
    assert unmarked_in_template('<img alt="A code">{{ name }}') == ["A code"]
    assert unmarked_in_script('draw("Your wallet is locked.")') == ["Your wallet is locked."]


CODES = ["en", "de", "es", "fr", "pt-br", "ar"]
READY = {
    "en": "This payment is ready.",
    "de": "Diese Zahlung ist bereit.",
    "es": "Este pago está listo.",
    "fr": "Ce paiement est prêt.",
    "pt-br": "Este pagamento está pronto.",
    "ar": "هذه الدفعة جاهزة.",
}
TAGS = {"de_CH": "de", "DE": "de", "pt": "pt-br", "pt-PT": "pt-br", "es-419": "es", "ar-u-nu-latn": "ar", "en-GB": "en"}
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
        assert f'<html lang="{code}"' in text_of(response)
    for path in ("/", "/accounts/login/", "/api/v1/payment_intents", "/api/public/v1/checkout/x"):
        plain = Client().get(path)
        asked = Client(headers={"Accept-Language": "de"}).get(f"{path}?locale=de")
        assert asked.status_code == plain.status_code
        assert "Content-Language" not in asked.headers
        assert "anmelden" not in asked.content.decode().lower()
