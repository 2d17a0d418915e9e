"""Commands of the token list."""
