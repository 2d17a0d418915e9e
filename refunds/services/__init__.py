"""Every write of refunds, a module per verb."""
