"""Upkeep that belongs to no resource."""

from celery import shared_task


@shared_task(name="core.show_life")
def show_life() -> None:
    """Do nothing. After each task the worker writes down that it is alive: ``config.celery``."""
