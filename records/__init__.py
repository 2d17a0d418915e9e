"""Flight records and receipts: a payment's history as a chain that proves itself, without the service."""
