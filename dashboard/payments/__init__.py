"""Screens of payments: the list and its file, one payment with everything that happened to it, and the settings."""
