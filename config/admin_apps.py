"""The operators' admin, apart from the merchants' dashboard."""

from django.contrib.admin.apps import AdminConfig


class OperatorsAdminConfig(AdminConfig):
    """``/admin/`` for operators; merchants never see it."""

    default_site = "config.operators.OperatorsSite"
