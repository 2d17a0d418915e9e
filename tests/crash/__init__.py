"""Die anywhere, start again: nothing lost, nothing doubled."""
