"""What the service signs, and the keys by which anybody checks it."""
