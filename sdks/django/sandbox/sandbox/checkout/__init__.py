"""Oscar's checkout, which ends at Causeway."""
