"""Proofs of sdks/medusa, which `make sdks-medusa` runs: they need a whole Medusa, and no other target installs one."""
