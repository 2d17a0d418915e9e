"""An aggregator that lies to a payer on Solana: one field, argument or account at a time, and none gets through."""

import base64
import json
from decimal import Decimal
from itertools import product
from typing import Any

import pytest
from pytest_django import Settings
from solders.address_lookup_table_account import AddressLookupTableAccount
from solders.instruction import AccountMeta, Instruction
from solders.pubkey import Pubkey
from solders.system_program import TransferParams, transfer
from spl.token.constants import TOKEN_2022_PROGRAM_ID, TOKEN_PROGRAM_ID
from spl.token.instructions import get_associated_token_address

from chains.instructions.bridge_transaction import bridge_instructions, own_nonce
from chains.instructions.svm_spoke import LOCALNET_DELEGATE, SvmDeposit
from chains.instructions.transactions import reference_of
from payments.routing.lifi.checks import CheckedDeposit, checked_on_solana
from payments.routing.lifi.faults import LifiRefused
from payments.routing.lifi.quote import read_solana_quote
from payments.routing.lifi.solana_checks import payer_of
from tests.payments.lifi.honest import MERCHANT, MISSING, changed, leaves, terms_for, word
from tests.payments.lifi.svm import NOW, ORDER, PAID, PAYER, REQUEST, SPOKE, STRANGER, USDC, USDT, SvmAnswer

TAG = "0d4b6f0e-6a51-4d0e-9c3a-7a3f1f1f8e11"
KINDS = ("deposit", "deposit_now", "unsafe_deposit")
LOCAL = Pubkey.from_string(LOCALNET_DELEGATE)


def judge(body: Any) -> CheckedDeposit:
    """As the adapter does: JSON with exact numbers, then every gate."""
    read = json.loads(json.dumps(body), parse_float=Decimal)
    return checked_on_solana(read_solana_quote(read), terms_for(REQUEST), 50)


def refusal(body: Any) -> str:
    try:
        judge(body)
    except LifiRefused as refused:
        return str(refused.code)
    return ""


def test_honest_answers_pass() -> None:
    """In each form; what is not needed may be missing."""
    for kind, is_checked, is_legacy in product(KINDS, (True, False), (True, False)):
        answer = SvmAnswer(kind=kind, checked=is_checked)
        found = judge(answer.body(answer.transaction(is_legacy=is_legacy)))
        assert (found.least_output, found.native_fee, found.price_impact_bps) == (25_000_000, 0, 20)
        assert (found.deposit.input_amount, found.deposit.recipient) == (PAID, word(MERCHANT))
    for left_out in ({"limit"}, {"price"}, {"opening"}, {"limit", "price", "opening"}):
        answer = SvmAnswer()
        answer.calls = {name: call for name, call in answer.calls.items() if name not in left_out}
        assert refusal(answer.body()) == "", left_out


OTHER_WORD = word("0x" + "77" * 20)
ORDER_LIES: dict[str, dict[str, list[Any]]] = {
    "UNKNOWN_CONTRACT": {"depositor": [bytes(STRANGER)]},
    "WRONG_RECIPIENT": {"recipient": [OTHER_WORD, bytes(PAYER), b"\1" + word(MERCHANT)[1:]]},
    "WRONG_TOKEN": {"input_token": [bytes(USDT)], "output_token": [OTHER_WORD, bytes(32)]},
    "WRONG_INPUT": {"input_amount": [PAID + 1, PAID - 1]},
    "OUTPUT_BELOW_TARGET": {"output_amount": [24_999_999, 0]},
    "WRONG_CHAIN": {"destination": [10]},
    "DESTINATION_CALL": {"message": [b"hello"]},
    "WRONG_DEADLINE": {
        **{"deadline": [NOW + 60, NOW + 25 * 3600, NOW - 1], "quoted": [NOW - 3601, NOW + 3600]},
        **{"exclusivity": [30], "relayer": [bytes(STRANGER)]},
    },
}


@pytest.mark.spec("Rulings C6.1")
def test_every_field_of_the_deposit_is_judged() -> None:
    for kind, (code, lies) in product(("deposit", "unsafe_deposit"), ORDER_LIES.items()):
        for name, values in lies.items():
            for value in values:
                assert refusal(SvmAnswer(kind=kind, order={**ORDER, name: value}).body()) == code, (kind, name, value)


def test_its_times_have_bounds() -> None:
    """A relayer may be alone for a while, and not for long."""
    for seconds in (0, 299, 24 * 3600 + 1, 2**32 - 1):
        answer = SvmAnswer(kind="deposit_now")
        answer.order["deadline"] = seconds
        answer.build()
        assert refusal(answer.body()) == "WRONG_DEADLINE", seconds
    for code, times in {"": (600, NOW + 600, 1), "WRONG_DEADLINE": (601, NOW + 601, 31_536_000)}.items():
        for exclusivity in times:
            order = {**ORDER, "relayer": bytes(STRANGER), "exclusivity": exclusivity}
            assert refusal(SvmAnswer(order=order).body()) == code, exclusivity


def test_every_account_is_worked_out_anew_and_none_is_more_or_less() -> None:
    places = [
        (call, place) for call, many in {"opening": 6, "approval": 4, "deposit": 11}.items() for place in range(many)
    ]
    for (call, place), key in product(places, (STRANGER, LOCAL)):
        answer = SvmAnswer()
        answer.with_accounts(call, place, key)
        assert refusal(answer.body()) == "UNKNOWN_CONTRACT", (call, place)
    added = AccountMeta(STRANGER, is_signer=False, is_writable=False)
    for call, is_more in product(("opening", "approval", "deposit", "limit"), (True, False)):
        answer = SvmAnswer()
        one = answer.calls[call]
        answer.calls[call] = Instruction(
            one.program_id, one.data, [*one.accounts, added] if is_more else one.accounts[:-1]
        )
        expected = {("limit", True): "UNKNOWN_CALL", ("limit", False): ""}.get((call, is_more), "UNKNOWN_CONTRACT")
        assert refusal(answer.body()) == expected, (call, is_more)


def _amount(units: int) -> bytes:
    return units.to_bytes(8, "little")


_DATA = SvmAnswer().data()
DATA_LIES: dict[str, dict[str, list[bytes]]] = {
    "WRONG_INPUT": {
        "approval": [b"\x0d" + units + b"\6" for units in (_amount(PAID + 1), b"\xff" * 8, _amount(PAID - 1))]
    },
    "WRONG_TOKEN": {"approval": [b"\x0d" + _amount(PAID) + b"\7"]},  # other decimals
    "NETWORK_FEE_TOO_HIGH": {"price": [b"\3" + _amount(5_000_001)]},
    "UNKNOWN_CALL": {
        "approval": [
            *(b"\x0d" + _amount(PAID), b"\x0d" + _amount(PAID) + b"\6\0"),  # cut short, and with a tail
            *(b"\x0c" + _amount(PAID) + b"\6", b"\x0f" + _amount(PAID) + b"\6"),  # a transfer, and burning
            *(b"\6\2\1" + bytes(PAYER), b"\x09", b""),  # another owner, closing, nothing
        ],
        "opening": [b"\0", b"\2"],  # that may fail, and recovery
        "limit": [b"\1\0\0\1\0", b"\4\0\0\1\0", b"\2\0\0\1\0\0", b"\3" + _amount(1)],  # heap, loaded bytes, tail, price
        "deposit": [
            *(bytes(8), _DATA[:-1], _DATA[:100], _DATA + b"\0"),  # a fill, cut short twice, with a tail
            *(_DATA[:-4] + b"\0\0\0\0x", _DATA[:-4] + b"\2\0\0\0x"),  # a message longer and shorter than told
        ],
    },
}


def test_every_argument_is_read() -> None:
    for code, calls in DATA_LIES.items():
        for call, lies in calls.items():
            for data in lies:
                answer = SvmAnswer()
                answer.with_data(call, data)
                assert refusal(answer.body()) == code, (call, data)


PAYERS_COIN = transfer(TransferParams(from_pubkey=PAYER, to_pubkey=STRANGER, lamports=1))
Calls = dict[str, Instruction]


def _with(added: Instruction, before: str = "deposit") -> Calls:
    """Honest calls, and one more before that one, or at the end."""
    calls = list(SvmAnswer().calls.items())
    place = [name for name, _ in calls].index(before) if before else len(calls)
    return dict([*calls[:place], ("added", added), *calls[place:]])


def _without(name: str) -> Calls:
    return {one: call for one, call in SvmAnswer().calls.items() if one != name}


def _by(name: str, program: Pubkey) -> Calls:
    """One of them a call of another program."""
    calls = SvmAnswer().calls
    return calls | {name: Instruction(program, calls[name].data, calls[name].accounts)}


_HONEST = SvmAnswer().calls
SHAPES: list[tuple[str, Calls, str]] = [
    ("a transfer of coin before", _with(PAYERS_COIN), "UNKNOWN_CONTRACT"),
    ("a transfer of coin first", _with(PAYERS_COIN, "limit"), "UNKNOWN_CONTRACT"),
    ("a transfer of coin at the end", _with(PAYERS_COIN, ""), "UNKNOWN_CALL"),
    ("a memo", _with(Instruction(STRANGER, b"hi", [])), "UNKNOWN_CONTRACT"),
    ("a second approval", _with(_HONEST["approval"]), "UNKNOWN_CALL"),
    ("a second deposit", _with(_HONEST["deposit"]), "UNKNOWN_CALL"),
    ("an approval after it", _with(_HONEST["approval"], ""), "UNKNOWN_CALL"),
    ("no approval", _without("approval"), "UNKNOWN_CALL"),
    ("no deposit", _without("deposit"), "UNKNOWN_CALL"),
    ("nothing at all", {}, "UNKNOWN_CALL"),
    ("the other way round", dict(reversed(_HONEST.items())), "UNKNOWN_CALL"),
    ("another pool", _by("deposit", STRANGER), "UNKNOWN_CALL"),
    ("another token program", _by("approval", TOKEN_2022_PROGRAM_ID), "UNKNOWN_CONTRACT"),
    ("another program for accounts", _by("opening", TOKEN_PROGRAM_ID), "UNKNOWN_CALL"),
    ("another budget", _by("limit", SPOKE), "UNKNOWN_CALL"),
]


def test_nothing_stands_around_it() -> None:
    for lie, calls, code in SHAPES:
        answer = SvmAnswer()
        answer.calls = calls
        assert refusal(answer.body()) == code, lie
    texts: tuple[Any, ...] = ("", "AAAA", "not base64", "A" * 1648, ["A", "B"], None, 7)
    for text in texts:
        no_transaction = SvmAnswer().body() | {"transactionRequest": {"data": text}}
        assert refusal(no_transaction) in {"UNREADABLE_CALL", "ANSWER_MALFORMED"}, text


def test_nobody_else_has_a_say() -> None:
    """Another wallet's deposit that agrees with itself, another signer, a table that is for a chain to say, no date."""
    answer = SvmAnswer(order={**ORDER, "depositor": bytes(STRANGER)})
    answer.with_accounts("deposit", 0, STRANGER)
    answer.with_accounts("deposit", 3, get_associated_token_address(STRANGER, USDC))
    assert refusal(answer.body()) == "UNKNOWN_CONTRACT"
    answer = SvmAnswer()
    one = answer.calls["deposit"]
    table = AddressLookupTableAccount(STRANGER, [meta.pubkey for meta in one.accounts[1:6]])
    assert refusal(answer.body(answer.transaction(payer=STRANGER))) == "WRONG_PAYER"
    assert refusal(answer.body(answer.transaction(tables=(table,)))) == "UNKNOWN_CALL"
    assert refusal(answer.body(answer.transaction(blockhash=bytes(32)))) == "WRONG_DEADLINE"
    signer = AccountMeta(one.accounts[9].pubkey, is_signer=True, is_writable=False)
    answer.calls["deposit"] = Instruction(one.program_id, one.data, [*one.accounts[:9], signer, one.accounts[10]])
    assert refusal(answer.body()) == "WRONG_PAYER"


def kept(deposit: SvmDeposit) -> SvmDeposit:
    """What of a deposit is signed: all but the number, which is our own."""
    return own_nonce(deposit, TAG)


def test_no_changed_byte_reaches_the_payer() -> None:
    """Every byte of the whole transaction, in two ways: it is refused, or what the payer signs is the same."""
    answer = SvmAnswer(kind="unsafe_deposit")
    honest = kept(judge(answer.body()).deposit)
    raw = base64.b64decode(answer.transaction())
    for place in range(len(raw)):
        for flip in (0x01, 0x80):
            bad = bytearray(raw)
            bad[place] ^= flip
            body = answer.body(base64.b64encode(bad).decode())
            assert refusal(body) != "" or kept(judge(body).deposit) == honest, (place, flip)


def test_every_field_around_it_is_judged() -> None:
    honest = SvmAnswer().body()
    judged = [path for path in leaves(honest) if path.split(".")[0] in {"action", "tool", "type", "integrator"}]
    for path in judged:
        if path.split(".")[-1] not in {"symbol", "name", "slippage"}:
            assert all(refusal(changed(honest, path, value)) != "" for value in ("another", 7, MISSING)), path
    for name, value, code in (
        ("fromAmount", str(PAID + 1), "FIGURES_CONTRADICT"),
        ("toAmountMin", "24999999", "OUTPUT_BELOW_TARGET"),
        ("toAmount", "24999999", "FIGURES_CONTRADICT"),
        ("toAmount", "99000000", "FIGURES_CONTRADICT"),
        ("tool", "mayan", "FIGURES_CONTRADICT"),
    ):
        assert refusal(changed(honest, f"estimate.{name}", value)) == code, (name, value)
    assert refusal(changed(changed(honest, "tool", "mayan"), "estimate.tool", "mayan")) == "UNKNOWN_TOOL"
    fee = {"token": honest["action"]["fromToken"], "amount": "1", "amountUSD": "0", "included": False}
    assert refusal(changed(honest, "estimate.feeCosts", [fee])) == "FIGURES_CONTRADICT"


def test_the_local_delegate_is_for_a_local_network_alone(settings: Settings) -> None:
    answer = SvmAnswer()
    for call in ("approval", "deposit"):
        answer.with_accounts(call, 2, LOCAL)
    for profile, code in {"simulated": "UNKNOWN_CONTRACT", "mainnet": "UNKNOWN_CONTRACT", "localnet": ""}.items():
        settings.NETWORK_PROFILE = profile
        assert refusal(answer.body()) == code


def test_what_is_signed_is_made_of_the_deposit_alone() -> None:
    """A memo with the leg's id, the approval with its reference behind, and the deposit under the leg's own number."""
    answer = SvmAnswer()
    found = judge(answer.body())
    payer = payer_of(terms_for(REQUEST))
    memo, approval, deposit = bridge_instructions(kept(found.deposit), TAG, payer)
    assert bytes(memo.data).decode() == TAG
    assert memo.accounts == []
    wanted = [meta.pubkey for meta in answer.calls["approval"].accounts]
    assert [meta.pubkey for meta in approval.accounts] == [*wanted, Pubkey.from_string(reference_of(TAG))]
    assert bytes(approval.data) == bytes(answer.calls["approval"].data)
    assert [meta.pubkey for meta in deposit.accounts] == [meta.pubkey for meta in answer.calls["deposit"].accounts]
    ours = SvmAnswer(order={**ORDER, "nonce": kept(found.deposit).nonce})
    assert bytes(deposit.data) == ours.data()
    assert [meta.is_signer for meta in deposit.accounts] == [True] + 10 * [False]
    assert kept(found.deposit).nonce not in {0, 77, own_nonce(found.deposit, TAG[:-1] + "2").nonce}
