"""LI.FI: swaps on one EVM chain, and bridging to one by Across. docs/routing.md says what is believed."""
