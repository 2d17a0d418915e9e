"""Pages at which people come in for the first time."""
