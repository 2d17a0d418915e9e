"""Screens of refunds: the queue, one refund, a new one, asking the payer, and the page on which a wallet sends it."""
