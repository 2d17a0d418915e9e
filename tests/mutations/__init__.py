"""Faults that must not get through: each is planted into the service, and the tests named beside it must turn red."""
