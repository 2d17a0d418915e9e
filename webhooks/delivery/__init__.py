"""Sends what is due: fan events out, claim by lease, post concurrently, record in batches. Knows no door."""

from webhooks.delivery.claims import take_over_leases
from webhooks.delivery.rounds import drain

__all__ = ["drain", "take_over_leases"]
