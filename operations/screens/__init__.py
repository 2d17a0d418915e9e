"""The operators' admin: read mostly, behind a second factor, apart from the merchants' dashboard."""

from operations.screens.site import OperatorsSite

__all__ = ["OperatorsSite"]
