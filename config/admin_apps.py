"""The operators' admin, apart from the merchants' dashboard."""

from django.contrib.admin.apps import SimpleAdminConfig


class OperatorsAdminConfig(SimpleAdminConfig):
    """``/admin/`` for operators; merchants never see it. Why simple: no library puts its own tables there."""

    default_site = "operations.screens.OperatorsSite"
