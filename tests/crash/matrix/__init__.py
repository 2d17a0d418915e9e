"""The crash matrix: every operation, broken at every point in every way, by one, two and four workers."""
