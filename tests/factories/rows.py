"""What stands in the tables, whole: for "nothing was changed" and "no event was written"."""

from typing import Any

from django.apps import apps

WATCHED_APPS = ("chains", "checkout", "payments", "payouts", "refunds", "webhooks")
ALSO_WATCHED = ("merchants.IdempotencyRecord", "merchants.Merchant")

Rows = dict[str, list[dict[str, Any]]]


def all_rows() -> Rows:
    """Every row of every table that a refused request must leave alone, by table."""
    watched = [model for app in WATCHED_APPS for model in apps.get_app_config(app).get_models()]
    watched += [apps.get_model(name) for name in ALSO_WATCHED]
    return {model._meta.label: list(model._default_manager.order_by("pk").values()) for model in watched}
