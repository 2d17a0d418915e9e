"""Screens of payouts: the list, one payout, and what is wanted done by itself."""
