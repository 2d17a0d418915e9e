"""Screens of refunds: the list, one refund, and the page on which the merchant's own wallet sends it."""

from merchants.site import Page, Panel, register_panel
from refunds.dashboard.pages import cancel, choose_destination, latest_refunds, list_refunds, show_refund
from refunds.dashboard.signing import sign_refund, state_not_signed, wallet_action, wallet_state

_ONE = "refunds/<uuid:refund_id>/"

register_panel(
    Panel(
        position=30,
        template="dashboard/panels/refunds.html",
        context=latest_refunds,
        pages=(
            Page(path="refunds/", name="refunds", view=list_refunds, menu="Refunds"),
            Page(path=_ONE, name="refund", view=show_refund),
            Page(path=f"{_ONE}destination/", name="refund_destination", view=choose_destination),
            Page(path=f"{_ONE}cancel/", name="cancel_refund", view=cancel),
            Page(path=f"{_ONE}sign/", name="sign_refund", view=sign_refund),
            Page(path=f"{_ONE}unsigned/", name="refund_unsigned", view=state_not_signed),
            Page(path=f"{_ONE}wallet/", name="refund_wallet", view=wallet_state),
            Page(path=f"{_ONE}wallet/<slug:action>/", name="refund_wallet_action", view=wallet_action),
        ),
    )
)
