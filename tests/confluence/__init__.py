"""Random histories of a chain, and of who reads it: whatever comes in which order, the books end as the chain does."""
