"""Causeway payments in a Django project: one webhook view, signals, tables that follow the service, and their admin."""

__version__ = "1.2.0"
