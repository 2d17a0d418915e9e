"""Jupiter's own program, which does not run here, and what stands around its swap: each part changed one at a time."""

import base64
import hashlib
from collections.abc import Callable
from dataclasses import replace
from itertools import product
from typing import Any

import pytest
from hypothesis import given as for_all
from hypothesis import strategies as st

from chains.instructions.exchange import Exchange, check_exchange
from chains.instructions.given import GivenInstruction, instruction
from chains.instructions.jupiter import FORMS, check_jupiter_swap, swap_amounts
from chains.instructions.programs import COMPUTE_BUDGET_PROGRAM, SYSTEM_PROGRAM, TOKEN_PROGRAM, WRAPPED_SOL
from chains.instructions.refusal import Refusal, TransactionRefused
from chains.instructions.setup import MOST_PRICE_MICRO_LAMPORTS, check_cleanup, check_setup, unit_price
from chains.instructions.terms import ExchangeTerms, PlatformFee
from localnet.solana.money import USDC, USDT
from tests.payments.jupiter import shapes
from tests.payments.jupiter.shapes import FROM_SOL, PAID, PAYER, STRANGER, TARGET, TERMS, TO_SOL, Head, given, key

Form = Callable[..., dict[str, Any]]
DIRECT, SHARED = shapes.route_v2, shapes.shared_accounts_route_v2
FORM_NAMES: dict[str, Form] = {"route_v2": DIRECT, "shared_accounts_route_v2": SHARED}
BOTH = pytest.mark.parametrize("form", FORM_NAMES.values(), ids=FORM_NAMES.keys())
FIXED: dict[Form, int] = {DIRECT: 10, SHARED: 12}
FREE: dict[Form, set[int]] = {DIRECT: set(), SHARED: {0, 3, 4}}
"""Accounts of the program itself, which it checks on its own."""


def refused(check: Callable[..., Any], *asked: Any) -> Refusal | None:
    try:
        check(*asked)
    except TransactionRefused as no:
        return no.code
    return None


def judged(swap: dict[str, Any], terms: ExchangeTerms = TERMS) -> Refusal | None:
    return refused(lambda: check_jupiter_swap(instruction(swap), terms))


def with_data(honest: dict[str, Any], raw: bytes) -> dict[str, Any]:
    return honest | {"data": base64.b64encode(raw).decode()}


def selector(name: str) -> bytes:
    return hashlib.sha256(f"global:{name}".encode()).digest()[:8]


@BOTH
def test_an_honest_swap_passes_and_every_account_of_the_payer_is_fixed(form: Form) -> None:
    """Nobody else may be asked to sign."""
    assert {selector(name) for name in FORM_NAMES} == set(FORMS)
    for terms in (TERMS, FROM_SOL, TO_SOL):
        amounts = check_jupiter_swap(instruction(form(terms)), terms)
        figures = (amounts.input_base_units, amounts.quoted_output, amounts.slippage_bps)
        assert figures == (PAID, shapes.QUOTED, shapes.SLIPPAGE)
        assert amounts.least_output == shapes.QUOTED * 9_950 // 10_000 >= TARGET
    for position, account in enumerate(form()["accounts"]):
        lied = form()
        if position < FIXED[form]:
            lied["accounts"][position]["pubkey"] = STRANGER
            assert (judged(lied) is None) == (position in FREE[form]), position
        lied = form()
        lied["accounts"][position]["isSigner"] = True
        assert account["pubkey"] == PAYER or judged(lied) is Refusal.FOREIGN_SIGNER, position


@pytest.mark.spec("Rulings C6.1")
@BOTH
def test_every_byte_of_the_head_counts(form: Form) -> None:
    """Of what is changed only a better promise passes: more quoted, or less slippage."""
    honest = form()
    raw = base64.b64decode(honest["data"])
    through = set()
    for place in range(len(raw)):
        for value in {raw[place] ^ 1, raw[place] ^ 128, 0, 255} - {raw[place]}:
            lied = raw[:place] + bytes([value]) + raw[place + 1 :]
            if judged(with_data(honest, lied)) is None:
                through.add(place)
                _, amounts = swap_amounts(lied)
                assert (amounts.input_base_units, amounts.platform_fee_bps) == (PAID, 0)
                assert (amounts.least_output >= TARGET, amounts.positive_slippage_bps) == (True, 0)
    start = 9 if form is SHARED else 8
    assert through & set(range(8)) == set()
    assert through & set(range(start, start + 22)) <= set(range(start + 8, start + 18))


FIGURES = {
    Refusal.INPUT_TOO_HIGH: (Head(paid=PAID + 1), Head(paid=PAID - 1)),
    Refusal.OUTPUT_BELOW_TARGET: (Head(quoted=TARGET),),
    Refusal.SLIPPAGE_TOO_HIGH: (Head(slippage=shapes.SLIPPAGE + 1), Head(slippage=10_001)),
    Refusal.UNASKED_FEE: (Head(fee=1), Head(positive_slippage=1)),
}
UNKNOWN_FORMS = ("route", "shared_accounts_route", "exact_out_route_v2", "claim", "set_token_ledger")
"""Also the older ones: their amounts stand behind the route plan, and bytes behind them are ignored."""


@BOTH
def test_other_figures_other_forms_and_too_few_bytes_are_refused(form: Form) -> None:
    honest = form()
    raw = base64.b64decode(honest["data"])
    for length in range(34):
        assert judged(with_data(honest, raw[:length])) in {Refusal.UNKNOWN_INSTRUCTION, Refusal.MALFORMED_ANSWER}
    for name in UNKNOWN_FORMS:
        assert judged(with_data(honest, selector(name) + raw[8:])) is Refusal.UNKNOWN_INSTRUCTION, name
    for code, heads in FIGURES.items():
        for head in heads:
            assert judged(form(head=head)) is code, head


def test_a_fee_needs_its_rate_and_its_account() -> None:
    agreed = replace(TERMS, fee=PlatformFee(bps=20, account=key("fee account")))
    asked = DIRECT(head=Head(fee=20))
    assert judged(asked, agreed) is Refusal.UNASKED_FEE
    asked["accounts"].append({"pubkey": key("fee account"), "isSigner": False, "isWritable": True})
    assert (judged(asked, agreed), judged(asked)) == (None, Refusal.UNASKED_FEE)
    named_twice = DIRECT()
    named_twice["accounts"][7]["pubkey"] = TERMS.destination_account
    assert judged(named_twice) is None


@for_all(st.sampled_from([b"", *sorted(FORMS)]), st.binary(max_size=96))
def test_any_bytes_are_read_or_refused(known: bytes, rest: bytes) -> None:
    raw = known + rest
    try:
        form, amounts = swap_amounts(raw)
    except TransactionRefused:
        assert raw[:8] not in FORMS or len(raw) < 35
    else:
        start = form.amounts
        assert amounts.input_base_units == int.from_bytes(raw[start : start + 8], "little")
        assert 0 <= amounts.least_output <= amounts.quoted_output


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


MINE = (TERMS.source_account, False, True)
THEIRS = (shapes.STRANGERS_USDT, False, True)
ME, YOU = (PAYER, True, False), (STRANGER, False, False)
CREATE_MINE = shapes.create_account(PAYER, USDC)
FOR_SOL = shapes.create_account(PAYER, WRAPPED_SOL)
WRAP, SYNC = shapes.wrap(), shapes.sync()
ONE = (1).to_bytes(8, "little")


def token_call(content: bytes, *accounts: tuple[str, bool, bool]) -> GivenInstruction:
    return given(TOKEN_PROGRAM, content, list(accounts))


MOVES = {
    "approve": token_call(b"\x04" + ONE, MINE, YOU, ME),
    "approve-checked": token_call(b"\x0d" + ONE + b"\x06", MINE, (USDT, False, False), YOU, ME),
    "set-authority": token_call(b"\x06\x02\x01" + bytes(32), MINE, ME),
    "transfer": token_call(b"\x03" + ONE, MINE, THEIRS, ME),
    "transfer-checked": token_call(b"\x0c" + ONE + b"\x06", MINE, (USDT, False, False), THEIRS, ME),
    "burn": token_call(b"\x08" + ONE, MINE, (USDT, False, True), ME),
    "close": shapes.close(),
    "sync-of-another": shapes.sync(THEIRS[0]),
    "sync-without-wrapping": SYNC,
    "sol-to-a-stranger": shapes.wrap(to=STRANGER),
    "account-for-a-stranger": shapes.create_account(STRANGER, USDC),
    "nested-recovery": shapes.create_account(PAYER, USDC, b"\x02"),
    "system-create": given(SYSTEM_PROGRAM, bytes(52), [(PAYER, True, True), (STRANGER, True, True)]),
    "system-assign": given(SYSTEM_PROGRAM, b"\x01\0\0\0" + bytes(32), [(PAYER, True, True)]),
    "foreign-program": given(key("a program"), b"", [(PAYER, True, True)]),
    "the-swap-program": instruction(DIRECT()),
    "a-foreign-signer": token_call(b"\x11", (FROM_SOL.wrapped_account, False, True), (STRANGER, True, False)),
}


def test_an_honest_setup_passes_and_nothing_else_may_be_prepared() -> None:
    """Nothing, an account, one in the old way, wrapping, an account for SOL; and no more accounts than a few."""
    for setup in ([], [CREATE_MINE], [shapes.create_account(PAYER, USDC, b"")]):
        check_setup(setup, TERMS)
    check_setup([FOR_SOL, WRAP, SYNC, CREATE_MINE], FROM_SOL)
    check_setup([FOR_SOL], TO_SOL)
    assert refused(check_setup, [CREATE_MINE] * 5, TERMS) is Refusal.UNKNOWN_INSTRUCTION
    for (name, move), terms in product(MOVES.items(), (TERMS, FROM_SOL, TO_SOL)):
        honest = [WRAP, SYNC] if terms is FROM_SOL else []
        for setup in ([move, *honest], [*honest, move]):
            assert refused(check_setup, setup, terms), name


def test_exactly_the_input_is_wrapped_and_unwrapped_to_the_payer() -> None:
    """Neither nothing, nor more, less or twice; it is told to the token program once. Tokens need no cleanup."""
    less, more = shapes.wrap(PAID - 1), shapes.wrap(PAID + 1)
    for setup in ([], [more, SYNC], [less, SYNC], [WRAP, WRAP, SYNC], [WRAP], [WRAP, SYNC, SYNC]):
        assert refused(check_setup, setup, FROM_SOL), setup
    honest = shapes.close()
    others = (None, shapes.close(to=STRANGER), shapes.close(MINE[0]), shapes.close(THEIRS[0]), *MOVES.values())
    for terms in (FROM_SOL, TO_SOL):
        check_cleanup(honest, terms)
        for lie in others:
            assert lie == honest or refused(check_cleanup, lie, terms), lie
    check_cleanup(None, TERMS)
    assert refused(check_cleanup, honest, TERMS)


def test_the_price_of_a_place_in_a_block() -> None:
    def asked(price: int) -> GivenInstruction:
        return given(COMPUTE_BUDGET_PROGRAM, b"\x03" + price.to_bytes(8, "little"), [])

    assert (unit_price(()), unit_price((asked(658_858),))) == (0, 658_858)
    assert refused(unit_price, (asked(MOST_PRICE_MICRO_LAMPORTS + 1),)) is Refusal.NETWORK_FEE_TOO_HIGH
    for lie in (
        (asked(1), asked(1)),
        (given(COMPUTE_BUDGET_PROGRAM, b"\x02" + bytes(4), []),),
        (given(COMPUTE_BUDGET_PROGRAM, b"\x03" + bytes(7), []),),
        (given(COMPUTE_BUDGET_PROGRAM, b"\x03" + bytes(8), [(PAYER, True, True)]),),
        (given(SYSTEM_PROGRAM, b"\x03" + bytes(8), []),),
    ):
        assert refused(unit_price, lie) is Refusal.UNKNOWN_INSTRUCTION


def exchange(swap: GivenInstruction, *others: GivenInstruction) -> Exchange:
    """A whole one, without anything around it."""
    around: dict[str, Any] = {"compute_budget": (), "setup": (), "cleanup": None, "lookup_tables": {}}
    return Exchange(swap=swap, others=others, last_valid_block_height=1, **around)


def test_only_jupiters_program_exchanges_and_nothing_stands_beside_it() -> None:
    """Two transfers are an exchange on localnet alone."""
    honest = DIRECT()
    for profile, program in product(
        ("mainnet", "localnet", "simulated"), (key("a program"), SYSTEM_PROGRAM, COMPUTE_BUDGET_PROGRAM)
    ):
        assert check_exchange(exchange(instruction(honest)), TERMS, profile) >= TARGET
        lie = exchange(instruction(honest | {"programId": program}))
        assert refused(check_exchange, lie, TERMS, profile) is Refusal.FOREIGN_PROGRAM
    both = exchange(instruction(honest), CREATE_MINE)
    assert refused(check_exchange, both, TERMS, "localnet") is Refusal.UNKNOWN_INSTRUCTION
    paid, got = (b"\x0c" + units.to_bytes(8, "little") + b"\x06" for units in (PAID, TARGET))
    swap = token_call(paid, MINE, (USDT, False, False), (key("maker's in"), False, True), ME)
    mine = (TERMS.destination_account, False, True)
    back = token_call(got, (key("maker's out"), False, True), (USDC, False, False), mine, ME)
    assert check_exchange(exchange(swap, back), TERMS, "localnet") == TARGET
    for profile in ("mainnet", "simulated", "", "LOCALNET"):
        assert refused(check_exchange, exchange(swap, back), TERMS, profile) is Refusal.FOREIGN_PROGRAM
