"""Screens of agents: who is connected and what they may do, what waits for a person, and everything they did."""
