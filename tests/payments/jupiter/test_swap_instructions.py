"""Jupiter's own program, which does not run here: its instruction, each part changed one at a time."""

import base64
import hashlib
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given as for_all
from hypothesis import strategies as st

from chains.instructions.given import GivenInstruction, instruction
from chains.instructions.jupiter import FORMS, check_jupiter_swap, swap_amounts
from chains.instructions.refusal import Refusal, TransactionRefused
from chains.instructions.terms import ExchangeTerms, PlatformFee
from tests.payments.jupiter.shapes import (
    FROM_SOL,
    PAID,
    PAYER,
    QUOTED,
    SLIPPAGE,
    STRANGER,
    TARGET,
    TERMS,
    TO_SOL,
    Head,
    key,
    route_v2,
    shared_accounts_route_v2,
)

Form = Callable[..., dict[str, Any]]
FORM_NAMES = {"route_v2": route_v2, "shared_accounts_route_v2": shared_accounts_route_v2}
BOTH = pytest.mark.parametrize("form", FORM_NAMES.values(), ids=FORM_NAMES.keys())
FIXED = {route_v2: 10, shared_accounts_route_v2: 12}
FREE = {route_v2: set(), shared_accounts_route_v2: {0, 3, 4}}
"""Accounts of the program itself, which it checks on its own."""


def refused(swap: GivenInstruction, terms: ExchangeTerms = TERMS) -> Refusal | None:
    """The code of the refusal, if it is refused."""
    try:
        check_jupiter_swap(swap, terms)
    except TransactionRefused as no:
        return no.code
    return None


def test_the_forms_are_named_as_the_program_names_them() -> None:
    named = {hashlib.sha256(f"global:{name}".encode()).digest()[:8] for name in FORM_NAMES}
    assert named == set(FORMS)


@BOTH
def test_an_honest_swap_passes_and_every_account_of_the_payer_is_fixed(form: Form) -> None:
    """Nobody else may be asked to sign."""
    for terms in (TERMS, FROM_SOL, TO_SOL):
        amounts = check_jupiter_swap(instruction(form(terms)), terms)
        assert (amounts.input_base_units, amounts.quoted_output, amounts.slippage_bps) == (PAID, QUOTED, SLIPPAGE)
        assert amounts.least_output == QUOTED * 9_950 // 10_000 >= TARGET
    for position, account in enumerate(form()["accounts"]):
        lied = form()
        if position < FIXED[form]:
            lied["accounts"][position]["pubkey"] = STRANGER
            assert (refused(instruction(lied)) is None) == (position in FREE[form]), position
        lied = form()
        lied["accounts"][position]["isSigner"] = True
        assert account["pubkey"] == PAYER or refused(instruction(lied)) is Refusal.FOREIGN_SIGNER, position


@pytest.mark.spec("Rulings C6.1")
@BOTH
def test_every_byte_of_the_head_counts(form: Form) -> None:
    """Of what is changed only a better promise passes: more quoted, or less slippage."""
    honest = form()
    raw = base64.b64decode(honest["data"])
    through = set()
    for place in range(len(raw)):
        for value in {raw[place] ^ 1, raw[place] ^ 128, 0, 255} - {raw[place]}:
            lied = honest | {"data": base64.b64encode(raw[:place] + bytes([value]) + raw[place + 1 :]).decode()}
            if refused(instruction(lied)) is None:
                through.add(place)
                _, amounts = swap_amounts(base64.b64decode(lied["data"]))
                assert (amounts.input_base_units, amounts.platform_fee_bps) == (PAID, 0)
                assert (amounts.least_output >= TARGET, amounts.positive_slippage_bps) == (True, 0)
    start = 9 if form is shared_accounts_route_v2 else 8
    named = set(range(start, start + 22))
    assert through & set(range(8)) == set()
    assert through & named <= set(range(start + 8, start + 18))


FIGURES = {
    Refusal.INPUT_TOO_HIGH: (Head(paid=PAID + 1), Head(paid=PAID - 1)),
    Refusal.OUTPUT_BELOW_TARGET: (Head(quoted=TARGET),),
    Refusal.SLIPPAGE_TOO_HIGH: (Head(slippage=SLIPPAGE + 1), Head(slippage=10_001)),
    Refusal.UNASKED_FEE: (Head(fee=1), Head(positive_slippage=1)),
}
UNKNOWN_FORMS = ("route", "shared_accounts_route", "exact_out_route_v2", "claim", "set_token_ledger")
"""Also the older ones: their amounts stand behind the route plan, and bytes behind them are ignored."""


@BOTH
def test_other_figures_other_forms_and_too_few_bytes_are_refused(form: Form) -> None:
    honest = form()
    raw = base64.b64decode(honest["data"])
    for length in range(34):
        cut = honest | {"data": base64.b64encode(raw[:length]).decode()}
        assert refused(instruction(cut)) in {Refusal.UNKNOWN_INSTRUCTION, Refusal.MALFORMED_ANSWER}
    for name in UNKNOWN_FORMS:
        selector = hashlib.sha256(f"global:{name}".encode()).digest()[:8]
        lied = honest | {"data": base64.b64encode(selector + raw[8:]).decode()}
        assert refused(instruction(lied)) is Refusal.UNKNOWN_INSTRUCTION, name
    for code, heads in FIGURES.items():
        for head in heads:
            assert refused(instruction(form(head=head))) is code, head


def test_a_fee_needs_its_rate_and_its_account() -> None:
    agreed = replace(TERMS, fee=PlatformFee(bps=20, account=key("fee account")))
    asked = route_v2(head=Head(fee=20))
    assert refused(instruction(asked), agreed) is Refusal.UNASKED_FEE
    asked["accounts"].append({"pubkey": key("fee account"), "isSigner": False, "isWritable": True})
    assert refused(instruction(asked), agreed) is None
    assert refused(instruction(asked)) is Refusal.UNASKED_FEE
    named_twice = route_v2()
    named_twice["accounts"][7]["pubkey"] = TERMS.destination_account
    assert refused(instruction(named_twice)) is None


@for_all(st.binary(max_size=96))
def test_any_bytes_are_read_or_refused(raw: bytes) -> None:
    try:
        form, amounts = swap_amounts(raw)
    except TransactionRefused:
        assert raw[:8] not in FORMS or len(raw) < 35
    else:
        start = form.amounts
        assert amounts.input_base_units == int.from_bytes(raw[start : start + 8], "little")
        assert 0 <= amounts.least_output <= amounts.quoted_output


@for_all(st.sampled_from(sorted(FORMS)), st.binary(min_size=27, max_size=80))
def test_any_swap_that_passes_keeps_the_terms(selector: bytes, rest: bytes) -> None:
    form = route_v2 if FORMS[selector].amounts == 8 else shared_accounts_route_v2
    lied = form() | {"data": base64.b64encode(selector + rest).decode()}
    try:
        amounts = check_jupiter_swap(instruction(lied), TERMS)
    except TransactionRefused:
        return
    assert amounts.input_base_units == PAID
    assert amounts.least_output >= TARGET
    assert amounts.slippage_bps <= SLIPPAGE


NAMES = ["programId", "accounts", "data", "pubkey", "isSigner", "isWritable"]


@for_all(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=60),
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(NAMES), inner),
        max_leaves=12,
    )
)
def test_any_json_is_read_or_refused(value: Any) -> None:
    try:
        read: GivenInstruction | Refusal = instruction(value)
    except TransactionRefused as no:
        read = no.code
    assert isinstance(read, GivenInstruction) or read is Refusal.MALFORMED_ANSWER
