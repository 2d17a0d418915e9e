"""Screens of the checkout: how it looks."""

from checkout.dashboard.look import change_look, preview_look
from merchants.acts import Act
from merchants.site import Menu, Page, Panel, Section, register_panel

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
