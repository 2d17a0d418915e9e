"""Payers' pages that are open while the bench runs: what each polls with, as the page itself was given it."""

import http.client
import re
from urllib.parse import urlsplit

from scripts.bench.stage import INTENTS, Stage, intent_id

WAITING_EVERY = 100
"""One of so many generated intents waits for its payer. Source: scripts/bench/sql/intents.sql."""
_TOKEN = re.compile(r'"checkout_token": ?"([^"]+)"')


def open_pages(stage: Stage, base_url: str) -> str:
    """Open the page of every intent that waits; the file that says of each its id, its token and its state's tag."""
    waiting = [str(intent_id(number)) for number in range(WAITING_EVERY, INTENTS + 1, WAITING_EVERY)]
    server = http.client.HTTPConnection(urlsplit(base_url).netloc, timeout=10)
    pages = stage.folder / "pages"
    pages.write_text("\n".join(_opened(server, each) for each in waiting))
    server.close()
    return str(pages)


def _opened(server: http.client.HTTPConnection, intent: str) -> str:
    server.request("GET", f"/checkout/{intent}")
    [token] = _TOKEN.findall(server.getresponse().read().decode())
    server.request("GET", f"/api/public/v1/checkout/{intent}/state", headers={"Checkout-Token": token})
    answer = server.getresponse()
    answer.read()
    return f"{intent} {token} {answer.headers['ETag']}"
