"""Screens of refunds: the queue, one refund, a new one, asking the payer, and the page on which a wallet sends it."""

from dashboard.refunds import policy
from dashboard.refunds.asking import ask_payer
from dashboard.refunds.finding import find_refunds, refund_button, refunds_in_need
from dashboard.refunds.new import new_refund
from dashboard.refunds.pages import cancel, choose_destination, release, show_refund
from dashboard.refunds.payers import show_payers
from dashboard.refunds.queue import export_refunds, list_refunds
from dashboard.refunds.signing import sign_refund, state_not_signed, wallet_action, wallet_state
from dashboard.refunds.story import payer_names, story_of_payment
from dashboard.refunds.strays import show_strays
from dashboard.site import (
    Menu,
    Page,
    Panel,
    register_actor_names,
    register_needs,
    register_panel,
    register_payment_actions,
    register_search,
    register_story,
)
from merchants.acts import Act

__all__ = ["policy"]

SEND = Act.MOVE_MONEY
_ONE = "refunds/<uuid:refund_id>/"

register_panel(
    Panel(
        position=30,
        pages=(
            Page(path="refunds/", name="refunds", view=list_refunds, menu=Menu("Refunds", rank=20)),
            Page(path="refunds/export/", name="export_refunds", view=export_refunds, act=Act.EXPORT),
            Page(path="payments/<uuid:intent_id>/refund/", name="new_refund", view=new_refund, act=SEND),
            Page(path="payments/<uuid:intent_id>/payers/", name="payers", view=show_payers, act=SEND),
            Page(path="payments/<uuid:intent_id>/strays/", name="strays", view=show_strays, act=SEND),
            Page(path=_ONE, name="refund", view=show_refund),
            Page(path=f"{_ONE}ask/", name="ask_payer", view=ask_payer, act=Act.ASK_PAYER),
            Page(path=f"{_ONE}destination/", name="refund_destination", view=choose_destination, act=SEND),
            Page(path=f"{_ONE}release/", name="release_refund", view=release, act=SEND),
            Page(path=f"{_ONE}cancel/", name="cancel_refund", view=cancel, act=SEND),
            Page(path=f"{_ONE}sign/", name="sign_refund", view=sign_refund, act=SEND),
            Page(path=f"{_ONE}unsigned/", name="refund_unsigned", view=state_not_signed, act=SEND),
            Page(path=f"{_ONE}wallet/", name="refund_wallet", view=wallet_state, act=SEND, fresh=False),
            Page(
                path=f"{_ONE}wallet/<slug:action>/",
                name="refund_wallet_action",
                view=wallet_action,
                act=SEND,
                fresh=False,
            ),
        ),
    )
)
register_needs(refunds_in_need)
register_search(find_refunds)
register_story(story_of_payment)
register_payment_actions(refund_button)
register_actor_names(payer_names)
