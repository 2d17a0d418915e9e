"""Writes sdks/vectors: what every copy of the rules is held to. The webhooks' verdicts are the service's own.

``webhooks.json``: a request, the secrets that may have signed, the clock, and the verdict (null: genuine).
``errors.json``: an answer, and the error in it. ``retries.json``: what comes back, try after try, and what is sent.
``pages.json``: a list's answers, and what is asked and given. All made up; no secret in them is one.
"""

import base64
import json
from typing import Any

from sdks.generator.read import ROOT
from webhooks.signatures import sign, signature_header, standard_headers, verify

FOLDER = ROOT / "sdks" / "vectors"
NOW = 1_790_000_000
SECRET = "whsec_" + base64.b64encode(bytes(range(33))).decode()
OLDER = "whsec_" + base64.b64encode(bytes(range(33, 66))).decode()
STRANGE = "whsec_" + base64.b64encode(bytes(range(66, 99))).decode()
EVENT = "evt_0123456789abcdef0123456789abcdef"
BODY = f'{{"id":"{EVENT}","type":"ping","data":{{}}}}'
UMLAUTS = f'{{"id":"{EVENT}","type":"ping","data":{{"Größe":"½ ☕"}}}}'
Vector = dict[str, Any]


def _v1(secret: str = SECRET, moment: int = NOW, body: str = BODY) -> str:
    return sign(secret, moment, body.encode())


def _genuine() -> dict[str, Vector]:
    good = f"t={NOW},v1={_v1()}"
    usual = {
        "the usual request": good,
        "the signature first": f"v1={_v1()},t={NOW}",
        "spaces around the parts": f" t={NOW} , v1={_v1()} ",
        "a tab around a part": f"t={NOW},\tv1={_v1()}",
        "an unknown scheme beside it": f"t={NOW},v0=00,v1={_v1()},v2=abc",
        "the same signature twice": f"t={NOW},v1={_v1()},v1={_v1()}",
        "another signature before it": f"t={NOW},v1={'0' * 64},v1={_v1()}",
        "another signature after it": f"t={NOW},v1={_v1()},v1={'f' * 64}",
        "a signature that is not ASCII before it": f"t={NOW},v1=é☕,v1={_v1()}",
        "an empty signature before it": f"t={NOW},v1=,v1={_v1()}",
        "a key with an equals sign in its value": f"t={NOW},x=a=b,v1={_v1()}",
        "300 seconds old": f"t={NOW - 300},v1={_v1(moment=NOW - 300)}",
        "300 seconds ahead": f"t={NOW + 300},v1={_v1(moment=NOW + 300)}",
    }
    found = {name: {"header": header} for name, header in usual.items()}
    rotation = signature_header([SECRET, OLDER], NOW, BODY.encode())
    return {
        **found,
        "a body in UTF-8": {"header": f"t={NOW},v1={_v1(body=UMLAUTS)}", "body": UMLAUTS},
        "an empty body": {"header": f"t={NOW},v1={_v1(body='')}", "body": ""},
        "rotation, the receiver has the new secret": {"header": rotation},
        "rotation, the receiver has the old secret": {"header": rotation, "secrets": [OLDER]},
        "rotation, the receiver has both": {"header": good, "secrets": [OLDER, SECRET]},
        "a secret without prefix": {"header": f"t={NOW},v1={_v1('plain')}", "secrets": ["plain"]},
        "a secret that is not ASCII": {"header": f"t={NOW},v1={_v1('schlüssel')}", "secrets": ["schlüssel"]},
    }


def _refused_headers() -> dict[str, str]:
    proof = _v1()
    return {
        "no header": "",
        "only spaces": "   ",
        "words": "hello",
        "only the time": f"t={NOW}",
        "only the signature": f"v1={proof}",
        "no equals sign in a part": f"t={NOW},v1",
        "an empty part": f"t={NOW},,v1={proof}",
        "a comma at the end": f"t={NOW},v1={proof},",
        "two times": f"t={NOW},t={NOW},v1={proof}",
        "two times, the second stale": f"t={NOW},t={NOW - 9000},v1={proof}",
        "a time with a power": f"t=²,v1={proof}",
        "a time in other digits": f"t=١٧٩,v1={proof}",
        "a time with a point": f"t={NOW}.5,v1={proof}",
        "a time with an exponent": f"t=1e9,v1={proof}",
        "a time with an underscore": f"t=1_790_000_000,v1={proof}",
        "a time with a plus": f"t=+{NOW},v1={proof}",
        "a time below zero": f"t=-{NOW},v1={proof}",
        "a time in hex": f"t=0x6AB1,v1={proof}",
        "a time of 13 digits": f"t={NOW}000,v1={proof}",
        "a time of 5,000 digits": f"t={'9' * 3900},v1={proof}",
        "an empty time": f"t=,v1={proof}",
        "a space inside the time": f"t={str(NOW)[:5]} {str(NOW)[5:]},v1={proof}",
        "a space before the time": f"t= {NOW},v1={proof}",
        "the key of the time in capitals": f"T={NOW},v1={proof}",
        "the key of the signature in capitals": f"t={NOW},V1={proof}",
        "the signature in capitals": f"t={NOW},v1={proof.upper()}",
        "an empty signature": f"t={NOW},v1=",
        "a signature that is not ASCII": f"t={NOW},v1=é☕",
        "a signature with half a character": f"t={NOW},v1=\ud800{proof[1:]}",
        "a time with half a character": f"t={NOW}\udc80,v1={proof}",
        "a signature cut short": f"t={NOW},v1={proof[:-1]}",
        "a signature with more behind it": f"t={NOW},v1={proof}0",
        "a signature of no hex": f"t={NOW},v1={'z' * 64}",
        "a signature in base64": f"t={NOW},v1={base64.b64encode(bytes.fromhex(proof)).decode()}",
        "a signature under v0 alone": f"t={NOW},v0={proof}",
        "a time with zeros before it": f"t=00{NOW},v1={proof}",
        "4,097 characters": f"t={NOW},v1={proof},x={'a' * 4097}",
        "parts divided by semicolons": f"t={NOW};v1={proof}",
        "a NUL": f"t={NOW},v1={proof}\x00",
        "301 seconds old": f"t={NOW - 301},v1={_v1(moment=NOW - 301)}",
        "301 seconds ahead": f"t={NOW + 301},v1={_v1(moment=NOW + 301)}",
        "a day old": f"t={NOW - 86400},v1={_v1(moment=NOW - 86400)}",
        "of 1970": f"t=0,v1={_v1(moment=0)}",
        "another secret's": f"t={NOW},v1={_v1(STRANGE)}",
        "the time changed": f"t={NOW + 1},v1={proof}",
        "signed without the time": f"t={NOW},v1={_unsigned_time()}",
    }


def _unsigned_time() -> str:
    import hmac  # noqa: PLC0415 - for the one proof that the service would never make

    return hmac.digest(SECRET.encode(), BODY.encode(), "sha256").hex()


def _refused() -> dict[str, Vector]:
    good = f"t={NOW},v1={_v1()}"
    return {
        **{name: {"header": header} for name, header in _refused_headers().items()},
        "one letter of the body changed": {"header": good, "body": BODY.replace("ping", "pong")},
        "a line break added to the body": {"header": good, "body": BODY + "\n"},
        "the body written again with spaces": {"header": good, "body": json.dumps(json.loads(BODY))},
        "a byte order mark before the body": {"header": good, "body": "\ufeff" + BODY},
        "an empty secret": {"header": f"t={NOW},v1={_v1('x')}", "secrets": [""]},
        "a secret of spaces": {"header": good, "secrets": ["  "]},
        "no secret": {"header": good, "secrets": []},
        "an empty secret beside the right one": {"header": good, "secrets": [SECRET, ""]},
        "the secret without its prefix": {"header": good, "secrets": [SECRET.removeprefix("whsec_")]},
        "a space behind the secret": {"header": good, "secrets": [SECRET + " "]},
    }


def webhook_vectors() -> list[Vector]:
    """Every vector of ``Svc-Signature``, judged by the service's own code, and those of Standard Webhooks."""
    made = [_judged(name, vector) for name, vector in {**_genuine(), **_refused()}.items()]
    return [*made, *_standard()]


def _judged(name: str, vector: Vector) -> Vector:
    body, secrets = vector.get("body", BODY), vector.get("secrets", [SECRET])
    refusal = verify(vector["header"], body.encode(), secrets, NOW).refusal
    headers = {"Svc-Signature": vector["header"]} if vector["header"] else {}
    return _vector(name, headers, body, secrets, None if refusal is None else refusal.value)


def _vector(name: str, headers: dict[str, str], body: str, secrets: list[str], refusal: str | None) -> Vector:
    return {"name": name, "headers": headers, "body": body, "secrets": secrets, "now": NOW, "refusal": refusal}


def _standard() -> list[Vector]:
    right = standard_headers([SECRET], EVENT, NOW, BODY.encode())
    both = standard_headers([SECRET, OLDER], EVENT, NOW, BODY.encode())
    old = standard_headers([SECRET], EVENT, NOW - 301, BODY.encode())
    cases: list[tuple[str, dict[str, str], list[str], str | None]] = [
        ("Standard Webhooks", right, [SECRET], None),
        ("Standard Webhooks, names in capitals", {k.title(): v for k, v in right.items()}, [SECRET], None),
        ("Standard Webhooks, rotation", both, [OLDER], None),
        ("Standard Webhooks, stale", old, [SECRET], "timestamp_outside_tolerance"),
        ("Standard Webhooks, another secret", right, [STRANGE], "signature_mismatch"),
        ("Standard Webhooks, another id", {**right, "webhook-id": "evt_1"}, [SECRET], "signature_mismatch"),
        (
            "Standard Webhooks, half a character",
            {**right, "webhook-signature": "v1,\ud800"},
            [SECRET],
            "signature_mismatch",
        ),
        ("Standard Webhooks, half an id", {**right, "webhook-id": f"{EVENT}\udc80"}, [SECRET], "signature_mismatch"),
        ("Standard Webhooks, no id", _without(right, "webhook-id"), [SECRET], "header_missing"),
        ("Standard Webhooks, no time", _without(right, "webhook-timestamp"), [SECRET], "timestamp_missing"),
        ("Standard Webhooks, a power", {**right, "webhook-timestamp": "²"}, [SECRET], "header_malformed"),
        ("Standard Webhooks, another scheme", {**right, "webhook-signature": "v2,AA"}, [SECRET], "signature_missing"),
        ("Standard Webhooks, not ASCII", {**right, "webhook-signature": "v1,é☕"}, [SECRET], "signature_mismatch"),
        (
            "both, and Svc-Signature is wrong",
            {**right, "Svc-Signature": f"t={NOW},v1={'0' * 64}"},
            [SECRET],
            "signature_mismatch",
        ),
        ("both, and the other is wrong", {**old, "Svc-Signature": f"t={NOW},v1={_v1()}"}, [SECRET], None),
    ]
    return [_vector(name, headers, BODY, secrets, refusal) for name, headers, secrets, refusal in cases]


def _without(headers: dict[str, str], name: str) -> dict[str, str]:
    return {key: value for key, value in headers.items() if key != name}


def files() -> dict[str, str]:
    """The text of each file."""
    from sdks.generator import vectors_of_calls  # noqa: PLC0415 - a second page of the same book

    contents = {"webhooks.json": webhook_vectors(), **vectors_of_calls.contents()}
    return {
        name: json.dumps({"about": "Written by `make sdks`.", "vectors": vectors}, indent=1) + "\n"
        for name, vectors in contents.items()
    }


def write() -> None:
    """Write every file."""
    for name, text in files().items():
        (FOLDER / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write()
