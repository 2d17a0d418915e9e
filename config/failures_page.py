"""docs/guides/failures.md: every situation and problem in three parts, made of the words that are shown themselves."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from checkout.words.answers import ANSWERS
from checkout.words.problems import BEFORE, CERTAIN, PROBLEMS
from payments.explanation import After, payer_words
from payments.explanation.merchant_words import MERCHANT_WORDS, NOT_SEEN, PART_WITH_MERCHANT, WITH_PAYER
from payments.explanation.payer_words import BESIDE_A_PART, LOOK_FIRST, NOTHING_SENT, PART_ARRIVED, PAYER_WORDS
from payments.selectors import scenarios
from payouts.explanation import PAYOUT_WORDS
from refunds.claim_words import ANSWERS as CLAIM_ANSWERS
from refunds.claim_words import PROBLEMS as CLAIM_PROBLEMS
from refunds.explanation import BEYOND_STATUS, REFUND_WORDS

PAGE = Path(__file__).resolve().parent.parent / "docs" / "guides" / "failures.md"
HEAD = """\
# What can go wrong, and what it says

Written by `make failures` from the words themselves; a test fails when it is not current. Every code has three parts:
what happened, where the money is, what to do now. That nothing was sent is said only where it is certain. The API's
codes in general are in [errors.md](errors.md), the diagnosis of one payment in [explain.md](explain.md).
"""
TABLE = "| Code | What happened | Where the money is | What to do now | Who reads it |\n|---|---|---|---|---|"
PAYER = "payer, merchant, agents"
PAGE_ONLY = "payer"
MERCHANT = "merchant, agents"


class FailureRow(NamedTuple):
    """One code in three parts."""

    code: str
    happened: str
    money: str
    next: str


class Family(NamedTuple):
    """Codes that the same people read."""

    title: str
    about: str
    readers: str
    rows: tuple[FailureRow, ...]


def families() -> Iterator[Family]:
    """Every table that has all three parts."""
    yield from (_situations_of_payers(), _problems(), _claims(), _situations_of_merchants(), *_afterwards())


def written() -> str:
    """The whole page."""
    first, *others = (_section(family) for family in families())
    return "\n".join([HEAD, first, _instead(), *others, _answers(), _scenarios()])


def _situations_of_payers() -> Family:
    rows = (FailureRow(code, words.happened, words.money, words.next) for code, words in PAYER_WORDS.items())
    return Family(
        "A payment, as its payer reads it",
        "On the page, on its receipt, as `message` of the state, and as `payer` of the explanation.",
        PAYER,
        tuple(rows),
    )


def _instead() -> str:
    rows = (
        ("a part arrived, and the payer is asked for the rest", "where the money is", PART_ARRIVED),
        *((f"a part arrived, and `{code}`", "where the money is", money) for code, money in BESIDE_A_PART.items()),
        ("a wallet may have sent it", NOTHING_SENT, payer_words.NOT_SEEN),
        *(("a wallet may have sent it", before, after) for before, after in LOOK_FIRST.items()),
    )
    table = "\n".join(f"| {when} | {before} | {after} |" for when, before, after in rows)
    return (
        "## Where more is known\n\nThe payer reads this instead. A wallet may have sent what it was given without "
        f"ever saying so.\n\n| When | Instead of | Said |\n|---|---|---|\n{table}\n"
    )


def _problems() -> Family:
    rows = tuple(FailureRow(f"{code} *" if code in CERTAIN else code, *parts) for code, parts in PROBLEMS.items())
    (paid, _), (perhaps, then) = BEFORE["paid"], BEFORE["perhaps"]
    about = (
        "What a wallet answers, and what happens on the page. Where a * stands, the page says instead: "
        f"“{paid}” if a part was paid before, and “{perhaps} {then}” if an earlier answer of the wallet was unclear."
    )
    return Family("A wallet, or the page", about, PAGE_ONLY, rows)


def _claims() -> Family:
    rows = tuple(FailureRow(code, *parts) for code, parts in CLAIM_PROBLEMS.items())
    return Family("A payer who claims a refund", "On the page behind the claim link.", PAGE_ONLY, rows)


def _situations_of_merchants() -> Family:
    named = ((code, one.words) for code, one in MERCHANT_WORDS.items())
    about = (
        "The same codes on the dashboard, in the explanation and for agents. Where a wallet may have sent something "
        f"without a word, “{NOT_SEEN}” stands instead of “{WITH_PAYER}”; where a part is there, “{PART_WITH_MERCHANT}”"
    )
    rows = tuple(FailureRow(code, words.happened, words.money, words.next) for code, words in named)
    return Family("A payment, as its merchant reads it", about, MERCHANT, rows)


def _afterwards() -> tuple[Family, Family]:
    def rows(named: Iterable[tuple[str, After]]) -> tuple[FailureRow, ...]:
        return tuple(FailureRow(code, one.happened, one.money, one.next) for code, one in named)

    beyond = BEYOND_STATUS.items()
    refunds = [*((f"refund_{status}", one) for status, one in REFUND_WORDS.items()), *beyond]
    payouts = ((f"payout_{status}", one) for status, one in PAYOUT_WORDS.items())
    return (
        Family("Refunds", "What became of a refund.", MERCHANT, rows(refunds)),
        Family("Payouts", "What became of a payout.", MERCHANT, rows(payouts)),
    )


def _answers() -> str:
    paying = _answer_rows(ANSWERS)
    return (
        "## What the API refuses a payer\n\nThe code of the answer, and the problem above that the page tells. A code "
        f"that is not here is told by its status.\n\n{paying}\nOn the page behind a claim link, where a code that is "
        f"not here reads as `unreachable`, and a wrong address as `address_refused`:\n\n{_answer_rows(CLAIM_ANSWERS)}"
    )


def _answer_rows(answers: Mapping[str, str]) -> str:
    rows = "\n".join(f"| `{code}` | `{problem}` |" for code, problem in answers.items())
    return f"| Code of the API | Problem |\n|---|---|\n{rows}\n"


def _scenarios() -> str:
    rows = "\n".join(
        f"| `{one.name}` | {one.group.label} | {one.label} | `{one.outcome}` |" for one in scenarios().values()
    )
    return (
        "## Make it happen in test mode\n\nBy `metadata.simulate`, by `scenario` of the pay helper, and (but for what "
        "comes afterwards)\nin the test panel of the checkout. The list is `payments/scenarios.json`.\n\n"
        f"| Scenario | Who makes it happen | What happens | Ends in |\n|---|---|---|---|\n{rows}\n"
    )


def _section(family: Family) -> str:
    rows = "\n".join(
        f"| `{one.code}` | {one.happened} | {one.money} | {one.next} | {family.readers} |" for one in family.rows
    )
    return f"## {family.title}\n\n{family.about}\n\n{TABLE}\n{rows}\n".replace(" *` |", "` * |")
