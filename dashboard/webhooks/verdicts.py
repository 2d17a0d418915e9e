"""What the signature page says of each step that can fail, and what to do about it."""

from typing import Final, NamedTuple

from webhooks.diagnosis import Fault
from webhooks.rewriting import Change


class Verdict(NamedTuple):
    """What is so, and what to do."""

    title: str
    next: str
    tone: str = "bad"


_RAW: Final = "Verify the raw bytes of the request, before any framework reads them as JSON, and parse them afterwards."
_WHOLE_KEY: Final = "The key is the UTF-8 of the whole secret, whsec_ included, exactly as it was shown."
_TEXT: Final = "What is signed is t, a full stop, and the raw body."
VERDICTS: Final = {
    Fault.RIGHT: Verdict(
        "The signature is right.",
        "Header, body, secret and time fit together. If your code refuses it, paste what your code computed as well.",
        "ok",
    ),
    Fault.NO_SECRET: Verdict(
        "There is no secret to check with.",
        "Register an endpoint, or paste the secret. In your own code: an empty secret must never verify anything.",
    ),
    Fault.HEADER_MISSING: Verdict(
        "The header Svc-Signature is empty.",
        "Look whether a proxy or framework drops it, and whether your code asks for the right name.",
    ),
    Fault.HEADER_UNREADABLE: Verdict(
        "The header cannot be read.", "It must look like t=1700000000,v1=… with commas between the parts."
    ),
    Fault.TIME_MISSING: Verdict("The header has no t.", "Paste the whole header: it begins with t= and the time."),
    Fault.TIME_REPEATED: Verdict("The header has more than one t.", "Refuse such a request: it is not from us."),
    Fault.TIME_IN_MILLISECONDS: Verdict(
        "The t of the header is in milliseconds.",
        "We send seconds. Whatever made this header was not us: divide by 1000.",
    ),
    Fault.SIGNATURE_MISSING: Verdict(
        "The header has no v1.", "Paste the whole header: behind t there is at least one v1= with 64 digits."
    ),
    Fault.SECRET_SPACES: Verdict(
        "There is white space around the secret.",
        "A line break at the end of an environment file is the usual cause. Strip it where you read the secret.",
    ),
    Fault.SECRET_OVER: Verdict(
        "It was signed with an old secret, whose 24 hours after the rotation are over.",
        "Use the secret that was shown at the last rotation. If nobody has it, rotate once more.",
    ),
    Fault.OTHER_ENDPOINT: Verdict(
        "It was signed with the secret of another endpoint of yours.",
        "Each endpoint has its own secret. Use that one's.",
    ),
    Fault.BODY_CHANGED: Verdict("The body was written anew after it arrived.", _RAW),
    Fault.BODY_DIFFERS: Verdict("This is not the body that was signed: its content differs.", _RAW),
    Fault.PREFIX_STRIPPED: Verdict("whsec_ was taken off the secret.", _WHOLE_KEY),
    Fault.KEY_DECODED: Verdict("The secret was decoded from base64 before it was used.", _WHOLE_KEY),
    Fault.TIME_LEFT_OUT: Verdict("Only the body was signed, without t.", _TEXT),
    Fault.STOP_LEFT_OUT: Verdict("The full stop between t and the body was left out.", _TEXT),
    Fault.OTHER_SCHEME: Verdict(
        "This is the signature of the webhook-signature header.",
        "Svc-Signature has another key and another text. Verify one of the two headers, each by its own rule.",
    ),
    Fault.UPPER_CASE: Verdict(
        "It is right, but in capital letters.", "Hexadecimal digits are small here. Write yours small before comparing."
    ),
    Fault.IN_BASE64: Verdict("It is right, but in base64.", "Svc-Signature is hexadecimal: write yours so."),
    Fault.TOO_OLD: Verdict(
        "The signature is right, but old by now.",
        "A receiver refuses what is more than 300 seconds old. If yours refused it when it came in, its clock is "
        "ahead: let it keep time by NTP. Every retry is signed anew.",
        "warn",
    ),
    Fault.IN_THE_FUTURE: Verdict(
        "The signature is right, but from the future.",
        "Either the time in the header was changed, or it was made by another clock than ours.",
        "warn",
    ),
    Fault.UNEXPLAINED: Verdict(
        "No secret of yours and no known mistake explains this signature.",
        "Paste header and body of one and the same request, the body exactly as it came in. If they are, it is not "
        "from us: refuse it. Secrets of deleted endpoints, and older ones than the last two, are not known any more.",
    ),
}
"""Every verdict that can be given."""

CHANGES: Final = {
    Change.ENDS: "white space or a byte-order mark at its beginning or end",
    Change.LINE_BREAKS: "other line breaks",
    Change.WHITESPACE: "white space between its parts",
    Change.ESCAPES: "characters written as escapes, such as \\u00e9 for é",
    Change.KEY_ORDER: "its keys in another order",
    Change.NUMBERS: "numbers written otherwise, such as 25 for 25.0",
}
_UNITS: Final = ((86400, "day"), (3600, "hour"), (60, "minute"), (1, "second"))


def ago(seconds: int) -> str:
    """A span in its two largest units: 3 hours 5 minutes."""
    parts, left = [], seconds
    for size, name in _UNITS:
        count, left = divmod(left, size)
        if count:
            parts.append(f"{count} {name}{'' if count == 1 else 's'}")
    return " ".join(parts[:2])
