"""Screens of payments: the list and its file, one payment with everything that happened to it, and the settings."""

from merchants.acts import Act
from merchants.site import Menu, Page, Panel, register_panel, register_search
from payments.dashboard import home, policy, settling
from payments.dashboard.accepting import accept_payment
from payments.dashboard.cancelling import cancel_payment
from payments.dashboard.export import export_payments
from payments.dashboard.listing import list_payments
from payments.dashboard.payment import show_payment
from payments.dashboard.search import find_payments

__all__ = ["home", "policy", "settling"]

_ONE = "payments/<uuid:intent_id>/"

register_panel(
    Panel(
        position=20,
        pages=(
            Page(path="payments/", name="payments", view=list_payments, menu=Menu("Payments", rank=10)),
            Page(path="payments/export/", name="export_payments", view=export_payments, act=Act.EXPORT),
            Page(path=_ONE, name="payment", view=show_payment),
            Page(path=f"{_ONE}cancel/", name="cancel_payment", view=cancel_payment, act=Act.CHANGE_PAYMENTS),
            Page(path=f"{_ONE}accept/", name="accept_payment", view=accept_payment, act=Act.MOVE_MONEY),
        ),
    )
)
register_search(find_payments)
