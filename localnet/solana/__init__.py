"""Solana for tests and `make localnet`: JSON-RPC over a program runtime. No cluster: no votes, gossip or leaders."""
