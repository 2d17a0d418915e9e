"""Wiring only: settings, paths, both forms of the service, start-up commands."""
