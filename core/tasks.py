"""Upkeep that belongs to no resource."""


def show_life() -> None:
    """Do nothing. After each task the worker writes down that it is alive: ``config.celery``."""


def tell_pauses() -> None:
    """Say in the log what an operator has paused."""
    from core.pauses import tell_pauses as tell  # noqa: PLC0415 - config.celery reads this before there are models

    tell()
