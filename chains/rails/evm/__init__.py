"""Sending on EVM chains: one nonce per transfer, every signed transaction stored before a node hears of it.

``rail`` says which step follows which status; one module per kind of step. Source: docs/money-out.md, EVM chains.
"""
