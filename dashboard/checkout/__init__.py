"""Screens of the checkout: how it looks."""

from dashboard.checkout.look import change_look, preview_look
from dashboard.site import Menu, Page, Panel, Section, register_panel
from merchants.acts import Act

register_panel(
    Panel(
        position=95,
        pages=(
            Page(
                path="look/",
                name="look",
                view=change_look,
                menu=Menu("Checkout look", Section.BUSINESS, 20),
                act=Act.CHANGE_LOOK,
            ),
            Page(path="look/preview.css", name="look_preview", view=preview_look, act=Act.CHANGE_LOOK),
        ),
    )
)
