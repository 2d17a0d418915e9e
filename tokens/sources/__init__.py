"""Where tokens come from. Today: one committed list, so a fresh checkout works without a network."""
