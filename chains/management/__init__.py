"""Commands of chains."""
