"""The bench of webhook delivery: its receiver, the drain's processes, and the two ways it is compared with."""
