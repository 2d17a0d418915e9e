"""Screens of agents: who is connected and what they may do, what waits for a person, and everything they did."""

from dashboard.agents.agents import limit_all, list_agents, restart_all, stop_all
from dashboard.agents.approvals import (
    approve_request,
    deny_request,
    list_approvals,
    show_approval,
    waiting_for_a_person,
)
from dashboard.agents.connection import limit, pause, rename, resume, revoke, show_connection
from dashboard.agents.held import decide_held
from dashboard.agents.log import export_log, show_log
from dashboard.agents.words import agents_names
from dashboard.site import Menu, Page, Panel, Section, register_actor_names, register_needs, register_panel
from merchants.acts import Act

_ONE = "agents/<int:connection_id>/"
STEER = Act.STEER_AGENTS
_REQUEST = "approvals/<uuid:approval_id>/"

register_actor_names(agents_names)
register_needs(waiting_for_a_person)
register_panel(
    Panel(
        position=5,
        pages=(
            Page(path="agents/", name="agents", view=list_agents, menu=Menu("Connected agents", Section.AGENTS, 10)),
            Page(path="agents/limits/", name="agents_limits", view=limit_all, act=STEER),
            Page(path="agents/pause/", name="pause_agents", view=stop_all, act=STEER),
            Page(path="agents/resume/", name="resume_agents", view=restart_all, act=STEER),
            Page(path=_ONE, name="agent", view=show_connection),
            Page(path=f"{_ONE}limits/", name="agent_limits", view=limit, act=STEER),
            Page(path=f"{_ONE}name/", name="rename_agent", view=rename, act=STEER),
            Page(path=f"{_ONE}pause/", name="pause_agent", view=pause, act=STEER),
            Page(path=f"{_ONE}resume/", name="resume_agent", view=resume, act=STEER),
            Page(path=f"{_ONE}revoke/", name="revoke_agent", view=revoke, act=STEER),
            Page(path=f"{_ONE}held/<slug:kind>/<uuid:subject_id>/", name="held", view=decide_held, act=STEER),
            Page(path="approvals/", name="approvals", view=list_approvals, menu=Menu("Approvals", Section.AGENTS, 20)),
            Page(path=_REQUEST, name="approval", view=show_approval),
            Page(path=f"{_REQUEST}approve/", name="approve", view=approve_request, act=STEER),
            Page(path=f"{_REQUEST}deny/", name="deny", view=deny_request, act=STEER),
            Page(path="agent-log/", name="agent_log", view=show_log, menu=Menu("Agent log", Section.AGENTS, 30)),
            Page(path="agent-log/export/", name="export_agent_log", view=export_log, act=Act.EXPORT),
        ),
    )
)
