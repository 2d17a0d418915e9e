"""The payer's door."""
