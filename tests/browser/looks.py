"""What is wrong with how a page looks: for somebody who cannot see it, and for somebody with a small screen."""

from typing import Any

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

SERIOUS = {"moderate", "serious", "critical"}
SCREENS: dict[str, dict[str, Any]] = {
    "light": {"color_scheme": "light", "viewport": {"width": 1100, "height": 900}},
    "dark-phone": {"color_scheme": "dark", "viewport": {"width": 390, "height": 900}},
}
"""The two that every story is told on."""


def faults(page: Page) -> list[str]:
    """What axe finds that matters to anyone, and whether the page scrolls sideways."""
    found = Axe().run(page).response["violations"]
    serious = [fault for fault in found if fault["impact"] in SERIOUS]
    return [f"{fault['id']}: {node['target']}" for fault in serious for node in fault["nodes"]] + sideways(page)


def sideways(page: Page) -> list[str]:
    width, shown = page.evaluate("[document.documentElement.scrollWidth, document.documentElement.clientWidth]")
    return [f"{width} wide in {shown}"] if width > shown else []
