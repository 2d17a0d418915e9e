"""Pages at which people come in for the first time, and the REST door of a key to its own account."""
