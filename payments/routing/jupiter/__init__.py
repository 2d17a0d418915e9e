"""Jupiter: exchanges on Solana, from which the service composes its own exact payment."""
