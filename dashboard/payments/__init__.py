"""Screens of payments: the list and its file, one payment with everything that happened to it, and the settings."""

from dashboard.payments import home, policy, settling
from dashboard.payments.accepting import accept_payment
from dashboard.payments.cancelling import cancel_payment
from dashboard.payments.export import export_payments
from dashboard.payments.listing import list_payments
from dashboard.payments.payment import show_payment
from dashboard.payments.search import find_payments
from dashboard.site import Menu, Page, Panel, register_panel, register_search
from merchants.acts import Act

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
