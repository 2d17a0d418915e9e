"""What no tracked file may hold: paths of one machine, registry addresses, secrets, loose ends."""

import re
from collections.abc import Iterable, Iterator

from tests.architecture.source import ROOT, written_files

REQUIRED = (
    *("manage.py", "pyproject.toml", "config", "payments", "refunds", "payouts", "webhooks"),
    *("checkout", "tokens", "mcp", "templates", "tests", "Dockerfile", "Makefile", ".ci/run"),
)
BINARY = frozenset({".png", ".jpg", ".gif", ".ico", ".woff2", ".webp", ".sqlite3", ".zip", ".gz"})
MACHINE_PATH = r"(?:^|[^\w.~-])/(?:work|farm|root|mnt|Users|home/\w+|opt/(?:wheels|pypi))/"
REGISTRY = r"(?:pypi\.org|pythonhosted\.org|registry\.npmjs|registry\.yarnpkg|proxy\.golang|index\.crates)"
SECRETS = "|".join(
    (
        r"-----BEGIN (?:[A-Z]+ )?PRIVATE KEY-----",
        r"\bAKIA[0-9A-Z]{16}\b",
        r"\bgh[pousr]_\w{36}",
        r"\bxox[bap]-\w{10}",
        r"\b[sp]k_live_(?!x+\b)\w{24}",
        r"\beyJ[\w-]{20,}\.eyJ[\w-]{20,}",
        r"://[^\s:/@{}$]+:(?!causeway@|postgres@|secret@|password@)[^\s:/@{}$]{8,}@",
    )
)
LOOSE_END = r"\b(?:TO[D]O|FIX[M]E|XX[X]|HAC[K])\b|\bissues? #?\d|pytest\.(?:mark\.)?(?:skip|xfail)\b"
UNEXPLAINED = r"#\s*type:\s*ignore(?!\[[\w, -]+\]\s+\S)|#\s*noqa(?!: ?[A-Z0-9, ]+\s+\S)"


def lines() -> Iterator[tuple[str, str]]:
    for path in written_files():
        if path.suffix not in BINARY:
            text = path.read_text(encoding="utf-8", errors="replace")
            name = path.relative_to(ROOT).as_posix()
            yield from ((f"{name}:{number}", line) for number, line in enumerate(text.splitlines(), 1))


def found(pattern: str, text: Iterable[tuple[str, str]]) -> list[str]:
    expression = re.compile(pattern)
    return [f"{place}: {line.strip()[:120]}" for place, line in text if expression.search(line)]


def test_the_required_layout_is_there() -> None:
    assert [name for name in REQUIRED if not (ROOT / name).exists()] == []


def test_no_line_holds_what_none_may() -> None:
    """Loose ends are looked for in code; exceptions from types and lint, which say a code and a reason, in Python."""
    every = list(lines())
    for pattern in (MACHINE_PATH, REGISTRY, SECRETS):
        assert found(pattern, every) == []
    for pattern, endings in ((LOOSE_END, (".py", ".js", ".html", ".sh")), (UNEXPLAINED, (".py",))):
        assert found(pattern, [one for one in every if one[0].split(":")[0].endswith(endings)]) == []


def test_planted_faults_are_noticed() -> None:
    """The samples hold a ~ that is taken out first, so that this file itself stays clean."""
    for pattern, sample in (
        (MACHINE_PATH, "open('/ro~ot/.netrc')"),
        (MACHINE_PATH, "cd /wo~rk/main"),
        (MACHINE_PATH, '"/ho~me/someone/keys"'),
        (REGISTRY, "--index-url https://py~pi.org/simple"),
        (SECRETS, "-----BEG~IN PRIVATE KEY-----"),
        (SECRETS, "key = 'sk_li~ve_4eC39HqLyjWDarjtT1zdp7dc'"),
        (SECRETS, "postgres:~//admin:hunter2hunter2@db/pay"),
        (LOOSE_END, "# TO~DO later"),
        (LOOSE_END, "@pytest.mark.sk~ip"),
        (UNEXPLAINED, "x = 1  # type: ig~nore"),
        (UNEXPLAINED, "x = 1  # type: ig~nore[assignment]"),
        (UNEXPLAINED, "x = 1  # no~qa"),
        (UNEXPLAINED, "x = 1  # no~qa: E501"),
    ):
        planted = sample.replace("~", "", 1)
        assert found(pattern, [("planted:1", planted)]), sample


def test_honest_lines_pass() -> None:
    for pattern, text in (
        (MACHINE_PATH, "GET /api/work/ and https://example.org/root/"),
        (SECRETS, "sk_live_xxxxxxxxxxxxxxxxxxxxxxxxxxxx"),
        (SECRETS, "postgres://causeway:causeway@postgres:5432/causeway"),
        (UNEXPLAINED, "x = 1  # type: ignore[assignment]  # the stubs miss the property"),
        (UNEXPLAINED, "x = 1  # noqa: E402, F403 - the environment comes first"),
    ):
        assert found(pattern, [("planted:1", text)]) == [], text
