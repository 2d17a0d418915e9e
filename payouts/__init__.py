"""Money out to the merchant."""
