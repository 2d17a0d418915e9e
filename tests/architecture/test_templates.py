"""Templates read like code: indented, and no line longer than a line of Python."""

from tests.architecture.source import ROOT

LONGEST_LINE = 120


def long_lines(name: str, text: str) -> list[str]:
    lines = enumerate(text.splitlines(), 1)
    return [f"{name}:{number} ({len(line)})" for number, line in lines if len(line) > LONGEST_LINE]


def test_no_line_of_a_page_is_long() -> None:
    """Mails are left out: what is plain text cannot be broken where a reader would not see it."""
    pages = {path.relative_to(ROOT).as_posix(): path.read_text() for path in (ROOT / "templates").rglob("*.html")}
    assert "templates/checkout/page.html" in pages
    assert [line for name, text in sorted(pages.items()) for line in long_lines(name, text)] == []
    assert long_lines("planted.html", f"<p>\n  {'x' * 119}\n{'x' * 120}\n") == ["planted.html:2 (121)"]
