"""Scenarios: payments told as files, and played again step by step."""
