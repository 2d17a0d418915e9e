"""Upkeep that belongs to no resource."""


def show_life() -> None:
    """Do nothing. After each task the worker writes down that it is alive: ``config.celery``."""
