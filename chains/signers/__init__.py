"""Keys that sign transfers: where they are kept, and the rules that stand between a key and a transaction."""
