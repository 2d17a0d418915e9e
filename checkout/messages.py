"""What a payer is told: what happened, where the money is, what to do now. The words are the explanation's own."""

from dataclasses import dataclass

from django.utils.translation import gettext

from checkout.shapes import ThreePartMessageShape
from payments.explanation import Rows, situation_of, words_for_payer


@dataclass(frozen=True, kw_only=True)
class Message:
    """Three parts, always all of them, and the situation's code."""

    code: str
    happened: str
    money: str
    next: str


def message_for(rows: Rows) -> Message:
    """The message of this moment, in the language that is active."""
    situation = situation_of(rows)
    words = words_for_payer(rows, situation)
    return Message(
        code=situation.value,
        happened=gettext(words.happened),
        money=gettext(words.money),
        next=gettext(words.next),
    )


def message_body(message: Message) -> ThreePartMessageShape:
    """A message on the wire."""
    return {"code": message.code, "happened": message.happened, "money": message.money, "next": message.next}
