"""The payer's door: the hosted page, the public view, and what a payer does."""
