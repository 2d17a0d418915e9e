"""A merchant's day without pause: payments of every outcome, payers who look, refunds, a person at the dashboard.

Usage: python -m scripts.soak.load FOLDER RATE    Until it is told to end. ``keys.json`` of the folder says who asks.
Standard library only. Of three receivers one is well, one fails, and one never answers.
"""

import http.client
import json
import re
import sys
import threading
import time
import urllib.request
from functools import partial
from http import HTTPStatus
from http.cookiejar import CookieJar
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from pathlib import Path
from typing import Any, NoReturn
from urllib.parse import urlencode

from scripts.cluster import hosts
from scripts.cluster.journal import CREATED, PAID, REFUSED, Journal
from scripts.cluster.load import CALLERS, Caller, Load, Wrong

OUTCOMES = tuple(row["name"] for row in json.loads((Path(__file__).parents[2] / "payments/scenarios.json").read_text()))
EACH_PAID = 3
EXPIRES_SECONDS = 300
"""How long a payment may wait for its payer: so shortly that many end unpaid while it is looked."""
HANG_SECONDS = 60
"""Longer than the service waits for an answer."""
PAGE_SECONDS = 2.0
SHOWN = "shown"
PAGES = ("payments/", "refunds/", "payouts/", "webhooks/", "events/", "requests/", "settings/", "payments/export/")
SITE = f"http://{hosts.FRONT}:{hosts.WEB_PORT}"
TOKEN = re.compile(r'name="csrfmiddlewaretoken" value="([^"]+)"')


class Day(Load):
    """What everybody of this day shares."""

    def __init__(self, journal: Journal, keys: dict[str, Any], rate: float) -> None:
        super().__init__(journal, keys["test_secret_key"], rate)
        self._keys, self._numbers = keys, count()

    def call(self, number: int) -> None:
        """One caller, at its share of the rate."""
        merchant = Caller(self._keys["test_secret_key"], self.journal)
        shop = Caller(self._keys["test_publishable_key"], self.journal)
        page = Caller("", self.journal)
        for turn in count():
            if self._ends.is_set():
                return
            begun = time.monotonic()
            try:
                self._serve(merchant, shop, page, f"{number}-{turn}", is_paid=turn % EACH_PAID == 0)
            except Wrong:
                continue  # it is in the journal
            finally:
                self._ends.wait(max(0.0, self._pause - (time.monotonic() - begun)))

    def _serve(self, merchant: Caller, shop: Caller, page: Caller, name: str, *, is_paid: bool) -> None:
        """A payment from the shop's first request to where its payer leaves it. Raises: Wrong."""
        outcome = OUTCOMES[next(self._numbers) % len(OUTCOMES)] if is_paid else "settle"
        asked = {"amount": 25, "reference": name, "expires_in_seconds": EXPIRES_SECONDS}
        simulated = {"metadata": {"order": name, "simulate": outcome}}
        intent = merchant.insist("/payment-intents", asked | simulated, f"create-{name}")["id"]
        self.journal.add(CREATED, id=intent)
        merchant.get(f"/payment-intents/{intent}")
        page.get(f"/checkout/{intent}")
        session = shop.insist(f"/checkout/{intent}/session", {}, f"session-{name}")
        passes = {"Checkout-Token": session["checkout_token"], "Checkout-Browser": "b" * 64}
        if is_paid:
            merchant.insist(f"/test-helpers/payment-intents/{intent}/pay", {}, f"pay-{name}")
            self.journal.add(PAID, id=intent)
        for _ in range(2):
            page.get(f"/checkout/{intent}/state", **passes)
        merchant.get("/payment-intents?limit=20")
        self._refund_one(merchant)

    def look(self) -> None:
        """A person who signs in and turns the dashboard's pages."""
        person = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(CookieJar()))
        sign_in = f"{SITE}/accounts/login/"
        found = TOKEN.search(_read(person, sign_in))
        given = {"login": self._keys["merchant_email"], "password": self._keys["merchant_password"]}
        _read(person, sign_in, urlencode(given | {"csrfmiddlewaretoken": found[1] if found else ""}).encode())
        for turn in count():
            path = f"/dashboard/test/{PAGES[turn % len(PAGES)]}"
            try:
                self.journal.add(SHOWN, path=path, bytes=len(_read(person, SITE + path)))
            except (OSError, http.client.HTTPException) as error:
                self.journal.add(REFUSED, status=getattr(error, "code", 0), path=path, said=repr(error))
            if self._ends.wait(PAGE_SECONDS):
                return


def _read(person: urllib.request.OpenerDirector, url: str, form: bytes | None = None) -> str:
    with person.open(url, form, timeout=45) as answer:
        text: str = answer.read().decode()
    return text


def receive(day: Load) -> None:
    """Listen for webhooks on this machine, in threads of their own."""

    class Receiver(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        timeout = HANG_SECONDS

        def do_POST(self) -> None:
            event = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            if self.path == "/hang":
                time.sleep(HANG_SECONDS)
                self.close_connection = True
                return
            if self.path == "/ok":
                day.told(event)
            self.send_response(HTTPStatus.OK if self.path == "/ok" else HTTPStatus.INTERNAL_SERVER_ERROR)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, format: str, *arguments: object) -> None:  # noqa: A002 - the library's name
            return

    server = ThreadingHTTPServer((hosts.RECEIVER, hosts.RECEIVER_PORT), Receiver)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()


def main() -> NoReturn:
    """Go on until asked to end, then finish what was begun; the receivers go on until this program is killed."""
    folder, rate = Path(sys.argv[1]), float(sys.argv[2])
    keys = json.loads((folder / "keys.json").read_text())
    day = Day(Journal(folder / "journal"), keys, rate)
    receive(day)
    day.go_on(*(partial(day.call, number) for number in range(CALLERS)), day.look)


if __name__ == "__main__":
    main()
