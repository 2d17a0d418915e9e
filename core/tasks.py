"""Upkeep that belongs to no resource."""

from core import pauses


def show_life() -> None:
    """Do nothing. After each task the worker writes down that it is alive: ``config.celery``."""


def tell_pauses() -> None:
    """Say in the log what an operator has paused."""
    pauses.tell_pauses()
