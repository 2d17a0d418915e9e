"""Pages of merchants, each with a strict policy and an origin of its own.

Why no server: the browser is handed them, so that an origin can be any.
"""

import json
from dataclasses import dataclass, field
from typing import Any

from playwright.sync_api import BrowserContext, Error, Frame, FrameLocator, Page, Route

from tests.machine import wait_until

SHOP = "http://shop.localhost:8899"
STRICT = (
    "default-src 'none'; script-src 'self' {service}; connect-src {service}; frame-src {service}; style-src 'self';"
    " img-src 'self' data:; base-uri 'none'; form-action 'none';"
    " require-trusted-types-for 'script'; trusted-types 'none'"
)
PAGE = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>A shop</title>
<link rel="icon" href="data:,">
<script src="{service}/embed/v1.js"></script></head>
<body><h1>A shop</h1><button id="open">Pay</button><div id="place"></div>
<script src="/page.js"></script></body></html>"""
SCRIPT = """
const { key, place, ...options } = %s;
const names = "ready resize wallet quoted processing settled failed expired cancelled error".split(" ");
window.told = [];
window.checkout = Causeway(key).checkout(options);
for (const name of names) checkout.on(name, (detail) => told.push({ ...detail, name }));
document.getElementById("open").addEventListener("click", () => checkout.open());
if (place === "inline") checkout.mount(document.getElementById("place"));
"""


@dataclass
class Host:
    """One merchant's page. ``options`` are the checkout's own, with ``key`` and ``place``: inline, or by a press."""

    context: BrowserContext
    service: str
    origin: str = SHOP
    options: dict[str, Any] = field(default_factory=dict)
    policy: str = STRICT

    def __post_init__(self) -> None:
        self.context.grant_permissions(["local-network-access"])  # else pages elsewhere may not ask this machine
        self.context.route(f"{self.origin}/**", self._serve)

    def _serve(self, route: Route) -> None:
        if route.request.url.endswith("/page.js"):
            route.fulfill(content_type="text/javascript", body=SCRIPT % json.dumps(self.options))
        else:
            headers = {"Content-Security-Policy": self.policy.format(service=self.service)}
            route.fulfill(content_type="text/html", headers=headers, body=PAGE.format(service=self.service))

    def open(self, page: Page, key: str, intent: str, place: str = "inline", **options: Any) -> FrameLocator:
        """The shop's page with one checkout on it; the frame."""
        self.options = {"key": key, "intentId": intent, "place": place, **options}
        page.goto(f"{self.origin}/")
        return page.frame_locator("iframe")


def until(page: Page | Frame, expression: str) -> None:
    """Wait until an expression is true in a page or frame.

    Why not Playwright's own wait: it asks again from inside the page, whose policy forbids that, so it only worked
    where the expression was true at once.
    """

    def look() -> bool:
        try:
            return bool(page.evaluate(f"Boolean({expression})"))
        except Error:
            return False  # it is being loaded

    wait_until(look, expression)


def told(page: Page) -> list[dict[str, Any]]:
    heard: list[dict[str, Any]] = page.evaluate("told")
    return heard


def names(page: Page) -> list[str]:
    """Their names in order, without what only says how high the frame is."""
    return [event["name"] for event in told(page) if event["name"] != "resize"]
