"""The words in one language: those that stand in the page, and all others as one file with a version of its own."""

import hashlib
from collections.abc import Iterable, Mapping
from functools import cache
from typing import NamedTuple

from django.utils import translation
from django.utils.translation import gettext

from checkout.words.answers import ANSWERS
from checkout.words.page import LATER, LATER_NAMES, MOMENTS, OPENING, OPENING_NAMES
from checkout.words.problems import BEFORE, CERTAIN, PROBLEMS
from checkout.words.problems import OPENING as OPENING_PROBLEMS
from core.language import isolated
from core.renderers import to_json
from payments.explanation.parts import Parts


class WordsFile(NamedTuple):
    """All words but those in the page. ``version`` is a digest of ``content``, which is JSON."""

    version: str
    content: bytes


def opening_words() -> dict[str, object]:
    """What stands in the page itself, in the language that is active."""
    return {
        "sentences": _translated(OPENING),
        "names": _translated(OPENING_NAMES),
        "problems": _in_parts({code: PROBLEMS[code] for code in OPENING_PROBLEMS}),
    }


@cache
def words_file(language: str) -> WordsFile:
    """What the page fetches once it needs more. Why kept: it changes only with a release."""
    with translation.override(language):
        words = {
            "sentences": _translated(LATER),
            "names": _translated(LATER_NAMES),
            "moments": _in_parts(MOMENTS),
            "problems": _in_parts(PROBLEMS),
            "answers": ANSWERS,
            "certain": dict.fromkeys(sorted(CERTAIN), True),
            "before": {when: [part and gettext(part) for part in parts] for when, parts in BEFORE.items()},
        }
    content = to_json(words)
    return WordsFile(hashlib.sha256(content).hexdigest()[:12], content)


def words_path(language: str) -> str:
    """Where that file is."""
    return f"/checkout/words/{language}/{words_file(language).version}.json"


def _translated(sentences: Mapping[str, str]) -> dict[str, str]:
    return {key: _spoken(sentence) for key, sentence in sentences.items()}


def _in_parts(outcomes: Mapping[str, Parts]) -> dict[str, Iterable[str]]:
    return {code: [_spoken(part) for part in parts] for code, parts in outcomes.items()}


def _spoken(sentence: str) -> str:
    return isolated(gettext(sentence)) if sentence else ""
