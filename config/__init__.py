"""Wiring only: settings, paths, the task application, start-up commands."""

from config.celery import app as celery_app

__all__ = ["celery_app"]
