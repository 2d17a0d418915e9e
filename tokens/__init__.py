"""Crypto tokens: which exist on which chain, with how many decimals, and which a merchant may be paid in."""
