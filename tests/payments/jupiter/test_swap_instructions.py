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
from chains.instructions.programs import (
    COMPUTE_BUDGET_PROGRAM,
    SYSTEM_PROGRAM,
    TOKEN_PROGRAM,
    WRAPPED_SOL,
    token_account,
)
from chains.instructions.refusal import Refusal, TransactionRefused
from chains.instructions.setup import MOST_PRICE_MICRO_LAMPORTS, check_cleanup, check_setup, unit_price
from chains.instructions.terms import ExchangeTerms, PlatformFee
from localnet.solana.money import USDC, USDT
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
    close,
    create_account,
    given,
    key,
    route_v2,
    shared_accounts_route_v2,
    sync,
    wrap,
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


MINE = TERMS.source_account
THEIRS = token_account(STRANGER, USDT, TOKEN_PROGRAM)
CREATE_MINE = create_account(PAYER, USDC)


def passes(check: Callable[..., None], *given: Any) -> bool:
    """Whether a check lets it through."""
    try:
        check(*given)
    except TransactionRefused:
        return False
    return True


def test_an_honest_setup_passes() -> None:
    """Nothing, an account, one in the old way, wrapping, an account for SOL; and no more accounts than a few."""
    for setup in ([], [CREATE_MINE], [create_account(PAYER, USDC, b"")]):
        check_setup(setup, TERMS)
    check_setup([create_account(PAYER, WRAPPED_SOL), wrap(), sync(), CREATE_MINE], FROM_SOL)
    check_setup([create_account(PAYER, WRAPPED_SOL)], TO_SOL)
    with pytest.raises(TransactionRefused, match=Refusal.UNKNOWN_INSTRUCTION):
        check_setup([CREATE_MINE] * 5, TERMS)


def token_call(content: bytes, *accounts: tuple[str, bool, bool]) -> GivenInstruction:
    """A call of the token program."""
    return given(TOKEN_PROGRAM, content, list(accounts))


AMOUNT = (1).to_bytes(8, "little")
READ_ONLY = ((USDT, False, False), (STRANGER, False, False))
MOVES = {
    "approve": token_call(b"\x04" + AMOUNT, (MINE, False, True), (STRANGER, False, False), (PAYER, True, False)),
    "approve-checked": token_call(b"\x0d" + AMOUNT + b"\x06", (MINE, False, True), *READ_ONLY, (PAYER, True, False)),
    "set-authority": token_call(b"\x06\x02\x01" + bytes(32), (MINE, False, True), (PAYER, True, False)),
    "transfer": token_call(b"\x03" + AMOUNT, (MINE, False, True), (THEIRS, False, True), (PAYER, True, False)),
    "transfer-checked": token_call(
        b"\x0c" + AMOUNT + b"\x06", (MINE, False, True), READ_ONLY[0], (THEIRS, False, True), (PAYER, True, False)
    ),
    "burn": token_call(b"\x08" + AMOUNT, (MINE, False, True), (USDT, False, True), (PAYER, True, False)),
    "close": close(),
    "sync-of-another": sync(THEIRS),
    "sync-without-wrapping": sync(),
    "sol-to-a-stranger": wrap(to=STRANGER),
    "account-for-a-stranger": create_account(STRANGER, USDC),
    "nested-recovery": create_account(PAYER, USDC, b"\x02"),
    "system-create": given(SYSTEM_PROGRAM, bytes(52), [(PAYER, True, True), (STRANGER, True, True)]),
    "system-assign": given(SYSTEM_PROGRAM, b"\x01\0\0\0" + bytes(32), [(PAYER, True, True)]),
    "foreign-program": given(key("a program"), b"", [(PAYER, True, True)]),
    "the-swap-program": instruction(route_v2()),
    "a-foreign-signer": given(
        TOKEN_PROGRAM, b"\x11", [(FROM_SOL.wrapped_account, False, True), (STRANGER, True, False)]
    ),
}


def test_nothing_else_may_be_prepared() -> None:
    for (name, move), terms in product(MOVES.items(), (TERMS, FROM_SOL, TO_SOL)):
        honest = [wrap(), sync()] if terms is FROM_SOL else []
        for setup in ([move, *honest], [*honest, move]):
            assert not passes(check_setup, setup, terms), name


def test_exactly_the_input_is_wrapped() -> None:
    """Neither nothing, nor more, less or twice; and it is told to the token program once."""
    for setup in (
        *([], [wrap(PAID + 1), sync()], [wrap(PAID - 1), sync()], [wrap(), wrap(), sync()]),
        *([wrap()], [wrap(), sync(), sync()]),
    ):
        assert not passes(check_setup, setup, FROM_SOL), setup


def test_sol_is_unwrapped_to_the_payer() -> None:
    """Tokens need no cleanup."""
    for terms in (FROM_SOL, TO_SOL):
        check_cleanup(close(), terms)
        lies = [move for move in MOVES.values() if move != close()]
        for lie in (None, close(to=STRANGER), close(MINE), close(THEIRS), *lies):
            assert not passes(check_cleanup, lie, terms), lie
    check_cleanup(None, TERMS)
    assert not passes(check_cleanup, close(), TERMS)


def test_the_price_of_a_place_in_a_block() -> None:
    def asked(price: int) -> GivenInstruction:
        return given(COMPUTE_BUDGET_PROGRAM, b"\x03" + price.to_bytes(8, "little"), [])

    assert unit_price(()) == 0
    assert unit_price((asked(658_858),)) == 658_858
    with pytest.raises(TransactionRefused, match=Refusal.NETWORK_FEE_TOO_HIGH):
        unit_price((asked(MOST_PRICE_MICRO_LAMPORTS + 1),))
    for lie in (
        (asked(1), asked(1)),
        (given(COMPUTE_BUDGET_PROGRAM, b"\x02" + bytes(4), []),),
        (given(COMPUTE_BUDGET_PROGRAM, b"\x03" + bytes(7), []),),
        (given(COMPUTE_BUDGET_PROGRAM, b"\x03" + bytes(8), [(PAYER, True, True)]),),
        (given(SYSTEM_PROGRAM, b"\x03" + bytes(8), []),),
    ):
        with pytest.raises(TransactionRefused, match=Refusal.UNKNOWN_INSTRUCTION):
            unit_price(lie)


def exchange(swap: GivenInstruction, *others: GivenInstruction) -> Exchange:
    """A whole one, without anything around it."""
    around: dict[str, Any] = {"compute_budget": (), "setup": (), "cleanup": None, "lookup_tables": {}}
    return Exchange(swap=swap, others=others, last_valid_block_height=1, **around)


def test_only_jupiters_program_exchanges_and_nothing_stands_beside_it() -> None:
    honest = route_v2()
    for profile in ("mainnet", "localnet", "simulated"):
        assert check_exchange(exchange(instruction(honest)), TERMS, profile) >= TARGET
        for stranger in (key("a program"), SYSTEM_PROGRAM, COMPUTE_BUDGET_PROGRAM):
            with pytest.raises(TransactionRefused, match=Refusal.FOREIGN_PROGRAM):
                check_exchange(exchange(instruction(honest | {"programId": stranger})), TERMS, profile)
    with pytest.raises(TransactionRefused, match=Refusal.UNKNOWN_INSTRUCTION):
        check_exchange(exchange(instruction(honest), CREATE_MINE), TERMS, "localnet")


def test_two_transfers_are_an_exchange_on_localnet_alone() -> None:
    paid, got = (b"\x0c" + units.to_bytes(8, "little") + b"\x06" for units in (PAID, TARGET))
    maker_in, maker_out, mine = key("maker's in"), key("maker's out"), TERMS.destination_account
    swap = token_call(paid, (MINE, False, True), (USDT, False, False), (maker_in, False, True), (PAYER, True, False))
    back = token_call(got, (maker_out, False, True), (USDC, False, False), (mine, False, True), (PAYER, True, False))
    assert check_exchange(exchange(swap, back), TERMS, "localnet") == TARGET
    for profile in ("mainnet", "simulated", "", "LOCALNET"):
        with pytest.raises(TransactionRefused, match=Refusal.FOREIGN_PROGRAM):
            check_exchange(exchange(swap, back), TERMS, profile)
