"""The one function that a static shop needs: it knows prices and secret key. To try it, it serves the files too.

    CAUSEWAY_API_KEY=sk_test_… python create_payment.py

Put ``create_intent`` behind one address of whatever runs functions for you.
"""

import json
import os
import uuid
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.request import Request, urlopen

SERVICE = os.environ.get("CAUSEWAY_BASE_URL", "http://localhost:8000")
PRICES = {"lighthouse": 25, "harbour": 40}
LONGEST_BODY = 1000


def create_intent(product: str) -> str:
    """Make a payment for a product; the id of its intent."""
    body = json.dumps({"amount": PRICES[product], "metadata": {"product": product}}).encode()
    headers = {
        "Authorization": f"Bearer {os.environ['CAUSEWAY_API_KEY']}",
        "Content-Type": "application/json",
        "Idempotency-Key": str(uuid.uuid4()),
    }
    request = Request(f"{SERVICE}/api/public/v1/payment-intents", body, headers)  # noqa: S310 - our own address
    with urlopen(request, timeout=10) as answer:  # noqa: S310 - our own address
        return str(json.load(answer)["id"])


class Shop(SimpleHTTPRequestHandler):
    """The files of the shop, and the function."""

    def do_POST(self) -> None:
        """Answer with a new payment, for something that is sold."""
        body = self.rfile.read(min(int(self.headers.get("Content-Length", 0)), LONGEST_BODY))
        product = json.loads(body).get("product") if self.path == "/create-payment" else None
        if product not in PRICES:
            return self.send_error(404)
        answer = json.dumps({"intent_id": create_intent(product)}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)
        return None


def main() -> None:
    """Serve the shop on this machine."""
    folder = os.environ.get("FOLDER", str(Path(__file__).resolve().parent))
    server = ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "3002"))), partial(Shop, directory=folder))
    print(f"The shop is open at http://127.0.0.1:{server.server_port}/", flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
