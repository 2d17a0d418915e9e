"""Screens of agents: who is connected and what they may do, what waits for a person, and everything they did."""

from mcp.dashboard.agents import limit_all, list_agents, restart_all, stop_all
from mcp.dashboard.approvals import approve_request, deny_request, list_approvals, show_approval, waiting_for_a_person
from mcp.dashboard.connection import limit, pause, rename, resume, revoke, show_connection
from mcp.dashboard.held import decide_held
from mcp.dashboard.log import export_log, show_log
from merchants.site import Page, Panel, register_panel

_ONE = "agents/<int:connection_id>/"
_REQUEST = "approvals/<uuid:approval_id>/"

register_panel(
    Panel(
        position=5,
        template="dashboard/panels/approvals.html",
        context=waiting_for_a_person,
        pages=(
            Page(path="agents/", name="agents", view=list_agents, menu="Connected agents"),
            Page(path="agents/limits/", name="agents_limits", view=limit_all),
            Page(path="agents/pause/", name="pause_agents", view=stop_all),
            Page(path="agents/resume/", name="resume_agents", view=restart_all),
            Page(path=_ONE, name="agent", view=show_connection),
            Page(path=f"{_ONE}limits/", name="agent_limits", view=limit),
            Page(path=f"{_ONE}name/", name="rename_agent", view=rename),
            Page(path=f"{_ONE}pause/", name="pause_agent", view=pause),
            Page(path=f"{_ONE}resume/", name="resume_agent", view=resume),
            Page(path=f"{_ONE}revoke/", name="revoke_agent", view=revoke),
            Page(path=f"{_ONE}held/<slug:kind>/<uuid:subject_id>/", name="held", view=decide_held),
            Page(path="approvals/", name="approvals", view=list_approvals, menu="Approvals"),
            Page(path=_REQUEST, name="approval", view=show_approval),
            Page(path=f"{_REQUEST}approve/", name="approve", view=approve_request),
            Page(path=f"{_REQUEST}deny/", name="deny", view=deny_request),
            Page(path="agent-log/", name="agent_log", view=show_log, menu="Agent log"),
            Page(path="agent-log/export/", name="export_agent_log", view=export_log),
        ),
    )
)
