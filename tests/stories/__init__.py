"""Random stories about money, told by a seed: payers, strangers, a merchant, two workers, and a chain of our own."""
