"""Stands for the next version of the service: the same, with one migration more."""
