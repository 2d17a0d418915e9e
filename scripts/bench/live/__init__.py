"""Measures live mode over a real local node: what it asks of nodes, and how soon it sees what arrives."""
