"""Races with real threads on real connections."""
