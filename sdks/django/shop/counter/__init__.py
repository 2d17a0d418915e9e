"""A shop with one thing to sell."""
