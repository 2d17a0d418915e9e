"""Screens of the checkout: how it looks."""
