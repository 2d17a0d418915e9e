"""Screens of payouts: the list, one payout, and what is wanted done by itself."""

from dashboard.payouts.finding import find_payouts, payouts_in_need
from dashboard.payouts.moved import readdress, release
from dashboard.payouts.pages import export_payouts, list_payouts, pay_rest, replay, resume, show_payout
from dashboard.payouts.settings import pause_all, pay_at_settle, payout_settings, resume_all
from dashboard.payouts.story import story_of_payment
from dashboard.site import (
    Menu,
    Page,
    Panel,
    SettingsSection,
    register_needs,
    register_panel,
    register_search,
    register_settings,
    register_story,
)
from merchants.acts import Act

SEND, SETTLE = Act.MOVE_MONEY, Act.CHANGE_SETTLEMENT
_ONE = "payouts/<uuid:payout_id>/"

register_panel(
    Panel(
        position=40,
        pages=(
            Page(path="payouts/", name="payouts", view=list_payouts, menu=Menu("Payouts", rank=30)),
            Page(path="payouts/export/", name="export_payouts", view=export_payouts, act=Act.EXPORT),
            Page(path="payouts/pause/", name="pause_payouts", view=pause_all, act=SEND),
            Page(path="payouts/resume/", name="resume_payouts", view=resume_all, act=SEND),
            Page(path="payouts/at-settle/", name="payouts_at_settle", view=pay_at_settle, act=SETTLE),
            Page(path=_ONE, name="payout", view=show_payout),
            Page(path=f"{_ONE}replay/", name="replay_payout", view=replay, act=SEND),
            Page(path=f"{_ONE}resume/", name="resume_payout", view=resume, act=SEND),
            Page(path=f"{_ONE}rest/", name="pay_rest", view=pay_rest, act=SEND),
            Page(path=f"{_ONE}release/", name="release_payout", view=release, act=SEND),
            Page(path=f"{_ONE}readdress/", name="readdress_payout", view=readdress, act=SEND),
        ),
    )
)
register_needs(payouts_in_need)
register_search(find_payouts)
register_story(story_of_payment)
register_settings(SettingsSection(position=40, template="dashboard/payouts/section.html", context=payout_settings))
