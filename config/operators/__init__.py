"""The operators' admin: read mostly, behind a second factor, apart from the merchants' dashboard."""

from config.operators.site import OperatorsSite

__all__ = ["OperatorsSite"]
