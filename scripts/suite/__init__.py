"""Runs the checks and the test sets in two tiers, and ends in one summary."""
