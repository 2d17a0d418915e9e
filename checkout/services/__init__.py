"""Every write of the payer's door."""
