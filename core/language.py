"""The payer's language: chosen by the address, else by the browser, else English. Nothing is remembered, no cookie set.

The rest of the service never asks here: dashboard, errors of the API and agents' tools stay English.
"""

import re
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from functools import wraps
from typing import Any, Concatenate, NamedTuple, ParamSpec

from django.http import HttpRequest, HttpResponse
from django.utils.cache import patch_vary_headers
from django.utils.translation import get_language, override
from django.utils.translation.trans_real import parse_accept_lang_header

PARAMETER = "locale"
_LONGEST = 35
"""Characters of a language tag. Source: RFC 5646, 4.4.1."""
_TAG = re.compile(r"([a-z]{2,3})([-_][a-z0-9]{1,8})*", re.IGNORECASE | re.ASCII)
_GAP = re.compile(r"\{\d\}")
_ISOLATED = "\u2068\\g<0>\u2069"
"""A gap whose text keeps a direction of its own. Source: https://www.unicode.org/reports/tr9/, explicit directional
isolates."""
_P = ParamSpec("_P")


class Language(NamedTuple):
    """A language the payer's side speaks. ``code`` is Django's, ``name`` is what its speakers call it."""

    code: str
    name: str
    right_to_left: bool = False

    @property
    def locale(self) -> str:
        """What ``Intl`` writes figures by. Why Latin digits in Arabic: they are compared with those of a wallet."""
        return f"{self.code}-u-nu-latn" if self.code == "ar" else self.code


SOURCE = Language("en", "English")
LANGUAGES = (
    SOURCE,
    Language("de", "Deutsch"),
    Language("es", "Español"),
    Language("fr", "Français"),
    Language("pt-br", "Português"),
    Language("ar", "العربية", right_to_left=True),
)
_BY_CODE = {language.code: language for language in LANGUAGES}
_BY_ROOT = {language.code.partition("-")[0]: language for language in LANGUAGES}


def language_of(request: Any) -> Language:
    """The language to answer a request in. Why any request: pages have Django's, the payer API its wrapper."""
    chosen = spoken(request.GET.get(PARAMETER, ""))
    return chosen or preferred_in(request.META)


def preferred_in(environment: Mapping[str, Any]) -> Language:
    """The language that a browser asks for, where its address names none."""
    return _preferred(environment.get("HTTP_ACCEPT_LANGUAGE", ""))


def _preferred(header: str) -> Language:
    """Source: RFC 9110, Accept-Language. The parser is Django's, which cuts a header that is too long."""
    for tag, _ in parse_accept_lang_header(header):
        if found := spoken(tag):
            return found
    return SOURCE


def spoken(tag: str) -> Language | None:
    """The language that comes nearest to a tag: de for de-AT, pt-br for pt_PT; None where none does."""
    found = _TAG.fullmatch(tag) if len(tag) <= _LONGEST else None
    if found is None:
        return None
    return _BY_CODE.get(tag.lower().replace("_", "-")) or _BY_ROOT.get(found[1].lower())


def language_now() -> Language:
    """The language that is active."""
    return spoken(get_language() or "") or SOURCE


def isolated(sentence: str) -> str:
    """A sentence for a script, which fills its ``{0}``. Why: addresses and amounts always read left to right."""
    return _GAP.sub(_ISOLATED, sentence) if language_now().right_to_left else sentence


def in_payers_language(request: Any) -> AbstractContextManager[None]:
    """Have sentences come out in the payer's language for as long as this is open."""
    return override(language_of(request).code)


def speaks_payers_language(
    view: Callable[Concatenate[HttpRequest, _P], HttpResponse],
) -> Callable[Concatenate[HttpRequest, _P], HttpResponse]:
    """Draw a page in the payer's language, and say so in its headers."""

    @wraps(view)
    def speaking(request: HttpRequest, /, *args: _P.args, **kwargs: _P.kwargs) -> HttpResponse:
        with in_payers_language(request):
            return with_language_headers(language_of(request), view(request, *args, **kwargs))

    return speaking


def with_language_headers(language: Language, response: HttpResponse) -> HttpResponse:
    """Name an answer's language, and what it hung on."""
    response.headers["Content-Language"] = language.code
    patch_vary_headers(response, ["Accept-Language"])
    return response


def language_choices(request: HttpRequest) -> list[dict[str, Any]]:
    """The links to a page's languages, as its template draws them."""
    current = language_of(request)
    return [
        {"language": each, "address": f"?{PARAMETER}={each.code}", "current": each == current} for each in LANGUAGES
    ]
