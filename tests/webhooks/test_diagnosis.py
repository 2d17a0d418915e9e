"""Why a signature failed: each mistake that receivers make is made here, and the diagnosis must name it exactly."""

import base64
import hashlib
import hmac
import json

import pytest

from dashboard.webhooks.verdicts import CHANGES, VERDICTS, ago
from webhooks.diagnosis import Diagnosis, Evidence, Fault, KnownSecret, diagnose
from webhooks.rewriting import Change
from webhooks.signatures import new_secret, sign, signature_header

T = 1_700_000_000
SECRET, OTHER, OLD = new_secret(), new_secret(), new_secret()
ID = "evt_0123456789abcdef0123456789abcdef"
BODY = (
    f'{{"id":"{ID}","type":"refund.paid","created_at":"2023-11-14T22:13:20.000Z",'
    '"data":{"id":"r","amount_usd":25.0,"reason":"Größe — ¥ / \\"x\\"","deep":{"b":1,"a":[1,2]}},'
    '"mode":"test","api_version":"1.2.0","sequence":6,"resource":{"type":"refund","id":"r"}}'
).encode()
KNOWN = (
    KnownSecret(secret=SECRET, owner="mine"),
    KnownSecret(secret=OLD, owner="mine", is_over=True),
    KnownSecret(secret=OTHER, owner="theirs", is_chosen=False),
)


def look(header: str = "", body: bytes = BODY, **given: object) -> Diagnosis:
    """The verdict a minute after the event was signed."""
    evidence: dict[str, object] = {"secrets": KNOWN, "now_seconds": T + 60, **given}
    return diagnose(Evidence(header=header or signature_header([SECRET], T, BODY), body=body, **evidence))  # type: ignore[arg-type]  # the tests' own words


def rewritten(**options: object) -> bytes:
    return json.dumps(json.loads(BODY), **options).encode()  # type: ignore[arg-type]  # as above


@pytest.mark.parametrize(
    ("header", "fault", "detail"),
    [
        (" ", Fault.HEADER_MISSING, ""),
        ("nonsense", Fault.HEADER_UNREADABLE, "nonsense"),
        (f"t={T},v1", Fault.HEADER_UNREADABLE, "v1"),
        ("v1=ab", Fault.TIME_MISSING, ""),
        (f"t={T},t={T},v1=ab", Fault.TIME_REPEATED, str(T)),
        ("t=soon,v1=ab", Fault.HEADER_UNREADABLE, "soon"),
        (f"t={T}000,v1=ab", Fault.TIME_IN_MILLISECONDS, f"{T}000"),
        (f"t={T}", Fault.SIGNATURE_MISSING, str(T)),
        (f"t={T},v0=ab", Fault.SIGNATURE_MISSING, str(T)),
        (f"t={T}," + "x=1," * 2000, Fault.HEADER_UNREADABLE, ""),
    ],
    ids=range(10),
)
def test_headers_that_cannot_be_read(header: str, fault: Fault, detail: str) -> None:
    found = look(header)
    assert found.fault is fault
    assert detail in found.detail
    assert len(found.detail) <= 80


def test_a_right_one_within_its_time() -> None:
    for later, fault, seconds in (
        *((60, Fault.RIGHT, 60), (300, Fault.RIGHT, 300), (301, Fault.TOO_OLD, 301), (-300, Fault.RIGHT, -300)),
        *((-301, Fault.IN_THE_FUTURE, 301), (86400 * 3 + 7200, Fault.TOO_OLD, 266400)),
    ):
        assert look(now_seconds=T + later) == Diagnosis(fault=fault, seconds=seconds)
    assert look(signature_header([OTHER, SECRET], T, BODY)).fault is Fault.RIGHT
    assert look(secrets=KNOWN[:1], computed=sign(SECRET, T, BODY)).fault is Fault.RIGHT


def test_secrets() -> None:
    assert look(secrets=[]).fault is Fault.NO_SECRET
    assert look(secrets=[KnownSecret(secret=" ", owner="x")]).fault is Fault.NO_SECRET
    assert look(signature_header([OLD], T, BODY)) == Diagnosis(fault=Fault.SECRET_OVER, owner="mine")
    assert look(signature_header([OTHER], T, BODY)) == Diagnosis(fault=Fault.OTHER_ENDPOINT, owner="theirs")
    assert look(signature_header([new_secret()], T, BODY)).fault is Fault.UNEXPLAINED
    for spaced in (f" {SECRET}", f"{SECRET}\n"):
        pasted = [KnownSecret(secret=spaced, owner="pasted"), *KNOWN[2:]]
        assert look(secrets=pasted).fault is Fault.SECRET_SPACES
    assert SECRET not in repr(KNOWN)


ORDERED = json.loads(BODY)
SHUFFLED = {name: ORDERED[name] for name in sorted(ORDERED)}


@pytest.mark.parametrize(
    ("body", "changes"),
    [
        (BODY + b"\n", {Change.ENDS}),
        (b"\xef\xbb\xbf" + BODY, {Change.ENDS}),
        (b"  " + BODY + b"\r\n", {Change.ENDS}),
        (BODY.replace(b",", b", ").replace(b":", b": "), None),
        (rewritten(ensure_ascii=False), {Change.WHITESPACE}),
        (rewritten(ensure_ascii=False, indent=2), {Change.WHITESPACE}),
        (rewritten(ensure_ascii=False, indent=2).replace(b"\n", b"\r\n") + b"\r\n", {Change.WHITESPACE}),
        (rewritten(separators=(",", ":")), {Change.ESCAPES}),
        (BODY.replace(b"/", b"\\/"), {Change.ESCAPES}),
        (rewritten(), {Change.WHITESPACE, Change.ESCAPES}),
        (json.dumps(SHUFFLED, separators=(",", ":"), ensure_ascii=False).encode(), {Change.KEY_ORDER}),
        (json.dumps(SHUFFLED).encode(), {Change.KEY_ORDER, Change.WHITESPACE, Change.ESCAPES}),
    ],
    ids=range(12),
)
def test_bodies_that_were_written_anew(body: bytes, changes: set[Change] | None) -> None:
    found = look(body=body)
    if changes is None:  # a change inside of texts cannot be undone without the event itself
        assert found.fault is Fault.UNEXPLAINED
        assert look(body=body, stored=BODY).fault is Fault.BODY_DIFFERS
        return
    assert (found.fault, set(found.changes)) == (Fault.BODY_CHANGED, changes)
    assert look(signature_header([OTHER], T, BODY), body).owner == "theirs"


def test_bodies_beside_the_event_as_it_was_sent() -> None:
    deep = json.dumps(json.loads(BODY), sort_keys=True).encode()
    assert look(body=deep).fault is Fault.UNEXPLAINED
    assert set(look(body=deep, stored=BODY).changes) == {Change.KEY_ORDER, Change.WHITESPACE, Change.ESCAPES}
    assert look(body=BODY.replace(b"25.0", b"25"), stored=BODY).changes == (Change.NUMBERS,)
    forged = look(body=BODY.replace(b"25.0", b"2500").replace(b'"mode":"test",', b""), stored=BODY)
    assert forged == Diagnosis(fault=Fault.BODY_DIFFERS, detail="data.amount_usd, mode")
    assert look(body=b"{'id': 1}", stored=BODY) == Diagnosis(fault=Fault.BODY_DIFFERS)
    assert look(body=b"[]", stored=BODY) == Diagnosis(fault=Fault.BODY_DIFFERS, detail="the whole body")


def digest(key: bytes, text: bytes) -> "hmac.HMAC":
    return hmac.new(key, text, hashlib.sha256)


HEAD = f"{T}.".encode()
BARE = SECRET.removeprefix("whsec_")
MISTAKES = {
    Fault.PREFIX_STRIPPED: digest(BARE.encode(), HEAD + BODY).hexdigest(),
    Fault.KEY_DECODED: digest(base64.b64decode(BARE), HEAD + BODY).hexdigest(),
    Fault.TIME_LEFT_OUT: digest(SECRET.encode(), BODY).hexdigest(),
    Fault.STOP_LEFT_OUT: digest(SECRET.encode(), str(T).encode() + BODY).hexdigest(),
    Fault.OTHER_SCHEME: digest(base64.b64decode(BARE), f"{ID}.".encode() + HEAD + BODY).hexdigest(),
    Fault.UPPER_CASE: digest(SECRET.encode(), HEAD + BODY).hexdigest().upper(),
    Fault.IN_BASE64: base64.b64encode(digest(SECRET.encode(), HEAD + BODY).digest()).decode(),
    Fault.SECRET_SPACES: digest(f"{SECRET}\n".encode(), HEAD + BODY).hexdigest(),
    Fault.OTHER_ENDPOINT: digest(OTHER.encode(), HEAD + BODY).hexdigest(),
    Fault.SECRET_OVER: digest(OLD.encode(), HEAD + BODY).hexdigest(),
    Fault.BODY_CHANGED: digest(SECRET.encode(), HEAD + BODY).hexdigest(),
    Fault.UNEXPLAINED: "ab" * 32,
}


@pytest.mark.parametrize("fault", sorted(MISTAKES))
def test_what_the_receivers_code_came_to_by_itself_or_in_a_header(fault: Fault) -> None:
    if fault != Fault.BODY_CHANGED:
        found = look(computed=f" {MISTAKES[fault]} ")
        assert (found.fault, found.of_code) == (fault, True)
    if fault != Fault.IN_BASE64:
        found = look(f"t={T},v1={MISTAKES[fault]}", BODY + b"\n" if fault == Fault.BODY_CHANGED else BODY)
        assert (found.fault, found.of_code) == (fault, False)


@pytest.mark.parametrize(
    "body",
    [b"", b"\x00\xff\xfe", b'"\\ud800"', b'{"a":"\\ud800"}', b"[" * 5000, b'{"a":1e999,"b":NaN}', b"{" * 40 + b"}" * 40]
    + [b'{"n":' + b"9" * 5000 + b"}", "\u0646\u0635\u202e".encode()],
    ids=range(9),
)
def test_hostile_bodies_are_judged_too(body: bytes) -> None:
    assert look(body=body).fault is Fault.UNEXPLAINED
    assert look(body=body, stored=BODY).fault is Fault.BODY_DIFFERS


def test_every_verdict_has_words() -> None:
    assert set(VERDICTS) == set(Fault)
    assert set(CHANGES) == set(Change)
    assert all(words.title.endswith(".") and words.next.endswith(".") for words in VERDICTS.values())
    spans = {0: "", 1: "1 second", 61: "1 minute 1 second", 7260: "2 hours 1 minute", 266400: "3 days 2 hours"}
    assert {seconds: ago(seconds) for seconds in spans} == spans
