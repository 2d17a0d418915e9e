"""The scripts that merchants' pages load: small, at one address, for every page, and named by a hash."""

import base64
import gzip
import hashlib

import pytest
from django.test import Client

from checkout.views.embed import SCRIPTS

MOST_BYTES = 2048
"""Source: experience, Script-tag API."""


@pytest.mark.parametrize("name", SCRIPTS)
def test_every_page_may_load_it(name: str) -> None:
    answer = Client().get(f"/embed/{name}")
    assert answer.status_code == 200
    assert answer.headers["Content-Type"] == "text/javascript; charset=utf-8"
    assert answer.headers["Access-Control-Allow-Origin"] == "*"
    assert answer.headers["Cross-Origin-Resource-Policy"] == "cross-origin"
    assert answer.headers["Cache-Control"] == "public, max-age=300"
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert answer.headers["Vary"] == "Accept-Encoding"
    assert not answer.cookies
    again = Client(headers={"If-None-Match": answer.headers["ETag"]}).get(f"/embed/{name}")
    assert (again.status_code, again.content) == (304, b"")
    assert Client().post(f"/embed/{name}").status_code == 405


@pytest.mark.parametrize("name", SCRIPTS)
def test_it_is_sent_small(name: str) -> None:
    plain = Client().get(f"/embed/{name}")
    zipped = Client(headers={"Accept-Encoding": "br, gzip"}).get(f"/embed/{name}")
    assert zipped.headers["Content-Encoding"] == "gzip"
    assert gzip.decompress(zipped.content) == plain.content
    assert len(zipped.content) < MOST_BYTES, len(zipped.content)


def test_the_hash_is_of_what_is_served() -> None:
    facts = Client().get("/embed/v1.json")
    served = Client().get("/embed/v1.js").content
    expected = base64.b64encode(hashlib.sha384(served).digest()).decode()
    assert facts.json() == {"src": "http://localhost:8000/embed/v1.js", "integrity": f"sha384-{expected}"}
    assert facts.headers["Access-Control-Allow-Origin"] == "*"
