"""The words of the page's scripts: every one that a script says exists, in three parts where it tells of an outcome."""

import json
import re
from pathlib import Path

from django.test import Client

from checkout.words import page, problems
from checkout.words.answers import ANSWERS
from checkout.words.catalogue import words_file, words_path
from payments.services import follow
from tests.checkout.pages import visit
from tests.conftest import ApiClient
from tests.payments.payer import context_of
from tests.payments.world import create

FOLDER = Path(page.__file__).parents[1] / "static" / "checkout"
SCRIPTS = {str(path.relative_to(FOLDER)): path.read_text(encoding="utf-8") for path in FOLDER.rglob("*.js")}
ALL = "\n".join(SCRIPTS.values())
OUTCOMES = problems.PROBLEMS | page.MOMENTS
COMPUTED = {"reset", "allow", "mined", "payStep", "both", "batch", "receipt", "after"}
"""Keys that a script puts together or chooses."""


def test_an_outcome_says_what_happened_where_the_money_is_and_what_to_do() -> None:
    for code, (happened, *rest) in OUTCOMES.items():
        assert re.fullmatch(r"[A-Z].+", happened), code
        assert [part for part in rest if not re.fullmatch(r"[A-Z].+\.", part)] == [], code


def test_every_problem_that_a_script_can_raise_has_words() -> None:
    raised = set(re.findall(r'(?:Problem\(|refuse\(|problemOf\(error, |code: )"([a-z_]+)"', ALL))
    numbers = r"(?:-?\d{3,5}\]?|rate_limited|route_unavailable|price_unavailable|quote_expired|transaction_altered)"
    mapped = set(re.findall(numbers + r': "([a-z_]+)"', ALL))
    assert len(raised) > 8
    assert len(mapped) > 8
    assert (raised | mapped) - set(problems.PROBLEMS) == set()


def test_every_reason_why_a_reported_transaction_is_refused_has_words() -> None:
    reasons = set(re.findall(r'_drop_hint\(leg, "([a-z_]+)"', Path(follow.__file__).read_text(encoding="utf-8")))
    assert len(reasons) > 1
    assert reasons - set(problems.PROBLEMS) == set()


def test_every_sentence_that_a_script_says_is_there_and_none_is_left_over() -> None:
    # Why not all scripts: frame.js says things to the merchant's page by a function of the same name.
    speaking = "\n".join(script for script in SCRIPTS.values() if 'words.js"' in script)
    said = set(re.findall(r'\bsay\("(\w+)"', speaking)) | COMPUTED
    assert said == set(page.OPENING) | set(page.LATER)


def test_what_the_first_scripts_say_stands_in_the_page() -> None:
    names = ("main.js", "view.js", "state.js", "api.js", "poll.js", "wallets/discovery.js")
    first = "\n".join(SCRIPTS[name] for name in names)
    assert set(re.findall(r'\bsay\("(\w+)"', first)) == set(page.OPENING)


def test_the_page_brings_its_first_words_and_says_where_the_others_are(api: ApiClient) -> None:
    context = context_of(visit(create(api)["id"]).content)
    assert context["words"]["sentences"] == page.OPENING
    assert context["words"]["problems"] == {"unreachable": list(problems.PROBLEMS["unreachable"])}
    answer = Client().get(context["words_url"])
    assert answer.status_code == 200
    assert answer.headers["Content-Type"] == "application/json"
    assert answer.headers["Cache-Control"] == "public, max-age=31536000, immutable"
    words = json.loads(answer.content)
    assert words["sentences"] == page.LATER
    assert words["problems"] == {code: list(parts) for code, parts in problems.PROBLEMS.items()}
    assert set(words) == {"sentences", "names", "moments", "problems", "answers", "certain", "before"}
    assert words["answers"] == ANSWERS
    assert frozenset(words["certain"]) == problems.CERTAIN
    assert words["before"] == {when: list(parts) for when, parts in problems.BEFORE.items()}


def test_an_old_version_answers_with_the_words_of_now_and_is_not_kept() -> None:
    answer = Client().get("/checkout/words/en/0123456789ab.json")
    assert (answer.status_code, answer.headers["Cache-Control"]) == (200, "no-store")
    assert answer.content == words_file("en").content


def test_a_language_that_nobody_wrote_is_not_found(db: None) -> None:
    version = words_path("en").rsplit("/", 1)[1]
    for language in ("xx", "EN", "en-gb", "..", "%00"):
        assert Client().get(f"/checkout/words/{language}/{version}").status_code == 404, language
