"""Real money on the local network, paid on the page by wallets that sign."""
