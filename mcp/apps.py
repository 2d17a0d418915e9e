"""App registration."""

from django.apps import AppConfig


class McpConfig(AppConfig):
    """The agents' door. Why the label: the protocol's name alone would be ambiguous in table names."""

    name = "mcp"
    label = "mcp_server"
