"""App registration."""

from django.apps import AppConfig


class McpConfig(AppConfig):
    """The agents' door. Why the label: the protocol's name alone would be ambiguous in table names."""

    name = "mcp"
    label = "mcp_server"

    def ready(self) -> None:
        """Have agents' limits asked again before anything of theirs is sent, and know who leaves a team."""
        from mcp.services import connections  # noqa: F401, PLC0415  Why: its receiver connects; needs the models.
        from mcp.services.holds import AGENT, objection_to_effect  # noqa: PLC0415  Why: needs the models.
        from merchants.admission import register_objector  # noqa: PLC0415  Why: as above.

        register_objector(AGENT, objection_to_effect)
