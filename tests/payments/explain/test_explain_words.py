"""Completeness: nothing that an intent, a leg, a try, a refund or a payout can be is without words; and rare cases."""

import ast
from datetime import timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import payments
from core.clock import now
from core.money import UsdAmount
from payments.explanation import Rows, Situation, situation_of, words_for_payer
from payments.explanation.diagnosis import ATTEMPT_WORDS, LEG_WORDS, PROBLEM_WORDS
from payments.explanation.merchant_words import MERCHANT_WORDS
from payments.explanation.payer_words import BESIDE_A_PART, NOT_SEEN, NOTHING_SENT, PART_ARRIVED, PAYER_WORDS
from payments.models import Credit, IntentTransition, Leg, PaymentAttempt, PaymentIntent
from payments.states import AttemptStatus, IntentStatus, LegStatus, Problem
from payouts.explanation import PAYOUT_WORDS
from payouts.states import PayoutStatus
from refunds.explanation import REFUND_WORDS
from refunds.states import RefundStatus

LONGEST = 120
TABLES: dict[str, tuple[dict[Any, Any], Any]] = {
    "merchant": (MERCHANT_WORDS, Situation),
    "payer": (PAYER_WORDS, Situation),
    "problem": (PROBLEM_WORDS, Problem),
    "leg": (LEG_WORDS, LegStatus),
    "attempt": (ATTEMPT_WORDS, AttemptStatus),
    "refund": (dict(REFUND_WORDS), RefundStatus),
    "payout": (dict(PAYOUT_WORDS), PayoutStatus),
}


def wordless(words: Any, codes: Any) -> set[str]:
    """The codes that a table has no words for, and the words that no code has."""
    return {str(code) for code in codes} ^ {str(code) for code in words}


def test_nothing_is_without_words() -> None:
    """Every status of an intent is a situation of its own. And what had no words would be noticed."""
    assert {name: wordless(*TABLES[name]) for name in TABLES} == {name: set() for name in TABLES}
    assert wordless(PAYOUT_WORDS, [*PayoutStatus, "lost"]) == {"lost"}
    assert wordless(dict(list(LEG_WORDS.items())[1:]), LegStatus) == {"planned"}
    assert set(IntentStatus.values) <= {one.value for one in Situation}


def _sentences(words: Any) -> list[str]:
    if isinstance(words, str):
        return [words]
    said = getattr(words, "words", words)
    return [said.happened, said.money, said.next]


def test_sentences_are_one_line_of_plain_words() -> None:
    every = [(name, text) for name, (table, _) in TABLES.items() for one in table.values() for text in _sentences(one)]
    plain = [text.isascii() and 5 <= len(text) <= LONGEST and text.endswith(".") for _, text in every]
    assert [one for one, is_plain in zip(every, plain, strict=True) if not is_plain] == []


def test_every_last_error_that_is_written_is_one_of_the_list() -> None:
    """No code of a problem is spelled out where it is written: they all come from the one list."""
    folder = Path(payments.__file__).parent / "services"
    literals = {
        (path.name, node.value)
        for path in folder.glob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Constant) and node.value in set(Problem.values)
    }
    assert literals == set()


def rows(status: str, received: str = "0", **known: Any) -> Rows:
    """Rows of an intent over 25 dollars that no database holds."""
    own = {name: known.pop(name) for name in list(known) if name not in {"legs", "attempt", "credits", "last_step"}}
    intent = PaymentIntent(
        status=status,
        amount=UsdAmount(Decimal(25)),
        received_usd=UsdAmount(Decimal(received)),
        expires_due_at=now() + timedelta(minutes=5),
        **own,
    )
    return Rows(intent, now(), **{"legs": [], "attempt": None, "credits": [], "last_step": None} | known)


def leg(status: str, minutes: int = 1, **facts: Any) -> Leg:
    """A transaction that was sent so many minutes ago."""
    return Leg(status=status, to_chain="nowhere", submitted_at=now() - timedelta(minutes=minutes), **facts)


def step(trigger: str, reason: str = "") -> IntentTransition:
    return IntentTransition(trigger=trigger, reason=reason)


def came(purpose: str = "settlement", **facts: Any) -> Credit:
    return Credit(purpose=purpose, **facts)


def worth(*dollars: int) -> list[Credit]:
    """What arrived one after the other, and counts."""
    return [came(value_usd=UsdAmount(Decimal(one)), final_at=MOMENT) for one in dollars]


MOMENT = now()
TRIED = PaymentAttempt(status="executing")
UNSIGNED = Leg(status="awaiting_signature", attempt=TRIED)
ON_BASE = Leg(status="confirming", to_chain="base", submitted_at=MOMENT - timedelta(minutes=20))
TIME_OVER = Rows(PaymentIntent(status="partially_filled", expires_due_at=MOMENT), MOMENT + timedelta(seconds=1))
CHOSEN = step("lapse_quote", "the payer chose")
SURPLUS: dict[str, Any] = {"received": "30", "overpaid_usd": Decimal(5)}
RARE: dict[str, tuple[Rows, str]] = {
    "slow": (rows("executing", legs=[leg("submitted", 11)]), "executing_slow"),
    "as long as is typical": (rows("executing", legs=[leg("submitted", 11, typical_seconds=600)]), "executing"),
    "slower than typical": (rows("executing", legs=[leg("submitted", 31, typical_seconds=600)]), "executing_slow"),
    "a chain that takes its time": (rows("executing", legs=[ON_BASE]), "executing"),
    "reversed": (rows("executing", last_step=step("reverse")), "settlement_reversed"),
    "dropped by a reorganisation": (rows("executing", credits=[came(reversed_at=MOMENT)]), "reorg_rechecked"),
    "rest unsigned": (rows("executing", attempt=TRIED, legs=[UNSIGNED]), "rest_unsigned"),
    "vanished": (rows("settled", "25", credits=[came(vanished_at=MOMENT)]), "settled_vanished"),
    "surplus": (rows("settled", **SURPLUS), "settled_overpaid"),
    "paid a second time": (rows("settled", **SURPLUS, credits=worth(25, 5)), "settled_twice"),
    "more than the rest": (rows("settled", **SURPLUS, credits=worth(10, 20)), "settled_overpaid"),
    "too much at once": (rows("settled", **SURPLUS, credits=worth(30)), "settled_overpaid"),
    "a second time, and it does not count yet": (
        rows("settled", **SURPLUS, credits=[*worth(30), came(value_usd=UsdAmount(Decimal(25)))]),
        "settled_overpaid",
    ),
    "surplus sent back": (rows("settled", **SURPLUS, refunded_usd=Decimal(5)), "settled"),
    "accepted short": (rows("settled", "20", settled_reason="accepted_partial"), "settled_short"),
    "accepted late": (rows("settled", "25", settled_reason="late_payment"), "settled_late"),
    "paid in time, seen late": (rows("settled", "25", settled_reason="paid_before_expiry"), "settled"),
    "another token": (rows("requires_payment", credits=[came("stray")]), "stray_arrived"),
    "another token, too late": (rows("expired", credits=[came("stray")]), "stray_arrived"),
    "another token, taken back": (rows("expired", credits=[came("stray", reversed_at=MOMENT)]), "expired"),
    "late": (rows("expired", "25", credits=[came(late=True)]), "late_payment"),
    "a part in time": (rows("expired", "15", credits=[came()]), "expired_funded"),
    "cancelled, then paid": (rows("cancelled", "25"), "cancelled_funded"),
    "failed, then paid": (rows("failed", "25"), "failed_funded"),
    "cancelled, and money under way": (rows("cancelled", legs=[leg("confirming")]), "late_arriving"),
    "paid after it was refunded": (rows("refunded", "40", refunded_usd=Decimal(25)), "refunded_funded"),
    "a part, and time over": (TIME_OVER, "partially_filled_time_over"),
    "told by a wallet": (rows("awaiting_signature", legs=[leg(UNSIGNED.status, tx_hash="0x1")]), "signature_reported"),
    "not signed in time": (rows("requires_payment", last_step=step("abandon", "time ran out")), "signature_timed_out"),
    "another token chosen": (rows("requires_payment", last_step=CHOSEN), "requires_payment"),
}


def test_what_is_rare_has_its_own_code() -> None:
    assert {case: situation_of(seen) for case, (seen, _) in RARE.items()} == {
        case: code for case, (_, code) in RARE.items()
    }


def test_every_last_error_is_told_while_one_may_pay_again() -> None:
    told = {problem: situation_of(rows("requires_payment", last_error_code=problem)) for problem in Problem.values}
    assert told == {problem: problem for problem in Problem.values} | {
        Problem.SIGNATURE_MISSING: "requires_payment"  # told only beside money that came
    }


GIVEN = {"issued": {"family": "evm"}}
UNSENT = {
    **dict.fromkeys(("payer_rejected", "reverted"), NOTHING_SENT),
    **dict.fromkeys(("abandoned", "time ran out", "tx_not_found", "replaced"), NOT_SEEN),
}
"""Why a leg failed, and what may be said of the money: a wallet may have sent what the payer only left."""


def test_nothing_is_called_unsent_that_a_wallet_may_have_sent() -> None:
    for error, money in UNSENT.items():
        for status in ("requires_payment", "quoted", "expired", "cancelled"):
            seen = rows(status, legs=[Leg(status="failed", error=error, **GIVEN)])
            words = words_for_payer(seen, situation_of(seen))
            assert words.money == money, (status, error)
            assert words.next.startswith("Look into your wallet.") is (money == NOT_SEEN), (status, error)
    seen = rows("requires_payment", legs=[Leg(status="failed", error="abandoned")])  # which no wallet saw
    assert words_for_payer(seen, situation_of(seen)).money == NOTHING_SENT


def test_a_part_and_what_became_of_the_rest() -> None:
    plain = PAYER_WORDS[Situation.PARTIALLY_FILLED].money
    for problem in ("bridge_unfilled", "bridge_refunded", ""):
        seen = rows("partially_filled", "15", last_error_code=problem)
        assert words_for_payer(seen, situation_of(seen)).money == BESIDE_A_PART.get(problem, plain)
    reported = rows("awaiting_signature", "15", legs=[leg("awaiting_signature", tx_hash="0x1")])
    assert words_for_payer(reported, situation_of(reported)).money == BESIDE_A_PART[Situation.SIGNATURE_REPORTED]
    assert words_for_payer(rows("quoted", "15"), Situation.QUOTED).money == PART_ARRIVED
