"""Which clause of the specification is proven by which test. Write the report again: python -m tests.clauses."""
