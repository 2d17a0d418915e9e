"""The independent recipe refuses what the specification tells receivers to refuse: else a green journey says little."""

import ast
import http.client
import sys
from pathlib import Path

import pytest

from tests.journeys import recipe
from tests.journeys.recipe import is_genuine, receiving
from tests.machine import PATIENCE_SECONDS

SECRET = "whsec_recipe-vector"
BODY = b'{"id":"evt_1","type":"ping"}'
SIGNED_AT = 1767225600
PROOF = "c4564debea8e2128931f6f8f11fecbb45c7dd1f38117c9b712495cf3ec0c0504"
"""Made with: ``printf '%s.%s' $SIGNED_AT $BODY | openssl dgst -sha256 -hmac $SECRET``."""
HEADER = f"t={SIGNED_AT},v1={PROOF}"


def test_the_recipe_imports_nothing_of_the_project() -> None:
    tree = ast.parse(Path(recipe.__file__).read_text(encoding="utf-8"))
    imported = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    imported |= {str(node.module) for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert {name.partition(".")[0] for name in imported} <= sys.stdlib_module_names


@pytest.mark.spec("Events: signature header rules 1 to 4")
def test_a_genuine_request_is_accepted() -> None:
    for header in (HEADER, f"t={SIGNED_AT}, v1={'0' * 64},v1={PROOF}", f"v1={PROOF},t={SIGNED_AT},v0=old"):
        assert is_genuine(header, BODY, [SECRET], SIGNED_AT + 1), header


WRONG = (
    *("", f"v1={PROOF}", f"t={SIGNED_AT}", f"t={SIGNED_AT},t={SIGNED_AT},v1={PROOF}", f"t=x,v1={PROOF}"),
    *(f"t={SIGNED_AT + 1},v1={PROOF}", f"t={SIGNED_AT},v1={PROOF[:-1]}5", f"t={SIGNED_AT},v1={PROOF.upper()}"),
)


@pytest.mark.spec("Events: signature header rules 3 and 4")
def test_a_wrong_header_a_changed_body_and_a_foreign_secret_are_refused() -> None:
    for header in WRONG:
        assert not is_genuine(header, BODY, [SECRET], SIGNED_AT), header
    changed = [BODY[:place] + bytes([BODY[place] ^ 1]) + BODY[place + 1 :] for place in range(len(BODY))]
    assert not any(is_genuine(HEADER, body, [SECRET], SIGNED_AT) for body in [*changed, BODY + b" ", b""])
    for secrets in ([], [""], ["whsec_other"], [SECRET, ""]):
        assert not is_genuine(HEADER, BODY, secrets, SIGNED_AT), secrets


@pytest.mark.spec("Limits: webhook timestamp tolerance")
def test_five_minutes_of_clock_skew_are_allowed_and_no_more() -> None:
    verdicts = {skew: is_genuine(HEADER, BODY, [SECRET], SIGNED_AT + skew) for skew in (-301, -300, 300, 301)}
    assert verdicts == {-301: False, -300: True, 300: True, 301: False}


@pytest.mark.spec("Events: signature header rule 6")
def test_the_receiver_answers_401_to_what_it_cannot_verify() -> None:
    with receiving(SECRET) as receiver:
        connection = http.client.HTTPConnection("127.0.0.1", receiver.port, timeout=PATIENCE_SECONDS)
        connection.request("POST", "/webhooks", BODY, {"Svc-Signature": HEADER})
        assert connection.getresponse().status == 401  # signed long ago
        connection.close()
    assert [delivery.genuine for delivery in receiver.deliveries] == [False]
    assert receiver.accepted() == []
