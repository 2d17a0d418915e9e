"""The only code that touches a blockchain: chain facts, addresses, clients, transfers."""
