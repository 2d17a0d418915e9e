"""A local network for tests and for `make localnet`: real nodes, and the providers' servers over contracts on them."""
