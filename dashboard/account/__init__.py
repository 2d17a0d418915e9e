"""Screens of a merchant's own account: keys, origins, requests, team, audit log."""
