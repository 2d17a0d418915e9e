"""Transfers that a merchant signs in its own wallet: shown on the dashboard, proven on the chain, never held here.

Source: docs/money-out.md, Your own wallet. What a wallet is asked is in ``offering``, what a chain says of it in
``judging``.
"""
