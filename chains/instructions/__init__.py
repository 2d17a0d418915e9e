"""Solana instructions: others' are decoded and judged here, our own are composed. No network, no database.

Slow imports (solders) stay inside functions: the web process never needs them.
"""
