"""The screens of a merchant's own account."""

from dashboard.account import audit, home, keys, origins, requests, search, settings, team

__all__ = ["audit", "home", "keys", "origins", "requests", "search", "settings", "team"]
