"""How a payer's balances become a route: providers offer, the planner decides."""
