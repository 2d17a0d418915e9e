"""LI.FI: swaps on one EVM chain, and bridging between two of them by Across. docs/routing.md says what is believed."""
