"""Money back to the payer."""
