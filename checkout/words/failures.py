"""The failure catalogue of payers, whole: every sentence that one can read of a situation or of a problem."""

from collections.abc import Iterable, Iterator

from checkout.words.problems import BEFORE, PROBLEMS
from payments.explanation.payer_words import BESIDE_A_PART, LOOK_FIRST, NOT_SEEN, PART_ARRIVED, PAYER_WORDS


def payer_sentences() -> list[str]:
    """Every one of them in English, each once, in the catalogue's order. What has no words in a language is a fault."""
    return list(dict.fromkeys(sentence for sentence in _every() if sentence))


def _every() -> Iterator[str]:
    for words in PAYER_WORDS.values():
        yield from (words.happened, words.money, words.next)
    yield from (PART_ARRIVED, NOT_SEEN, *BESIDE_A_PART.values(), *LOOK_FIRST.values())
    others: Iterable[Iterable[str]] = (*PROBLEMS.values(), *BEFORE.values())
    for parts in others:
        yield from parts
