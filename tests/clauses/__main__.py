"""Writes docs/specification.md and docs/proofs.md again; fails where a line is not proven.

Usage: python -m tests.clauses
"""

import sys

from tests.clauses.marks import marked_tests
from tests.clauses.report import PAGES, problems, proofs, written

if __name__ == "__main__":
    marked = marked_tests()
    for page in PAGES:
        page.path.write_text(written(page, proofs(marked)), encoding="utf-8")
    if wrong := problems(marked):
        sys.exit("\n".join(wrong))
