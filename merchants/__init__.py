"""Who calls: users, merchants, keys, principals, idempotency."""
