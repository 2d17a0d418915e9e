"""Writes docs/specification.md again. Usage: python -m tests.clauses"""

from tests.clauses.marks import marked_tests
from tests.clauses.report import REPORT, proofs, unproven, written

if __name__ == "__main__":
    proven_by = proofs(marked_tests())
    REPORT.write_text(written(proven_by), encoding="utf-8")
    for name in unproven(proven_by):
        print(f"Unproven: {name}")
