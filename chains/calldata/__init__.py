"""Calldata read in full: what a wallet is asked to sign, word by word. Pure; nothing here reads a chain."""
