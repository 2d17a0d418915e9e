"""Intents, routing, legs, settlement."""
