"""Payments on Solana that are not what they seem: nothing is ever credited that was not paid to this intent."""

from collections.abc import Callable
from functools import partial

import pytest
from solders.instruction import AccountMeta, Instruction
from solders.keypair import Keypair
from solders.pubkey import Pubkey

from chains.clients.solana_transactions import reference_of
from chains.instructions.programs import TOKEN_PROGRAM, token_account
from localnet.solana.money import USDC
from tests.live.solana_till import Change, SolanaTill, instructions_of, rewritten

FAKE_USDC = str(Keypair().pubkey())
STRANGER = str(Keypair().pubkey())
OTHER_REFERENCE = Pubkey.from_string(reference_of("7e570000-0000-4000-8000-000000000001"))
_MARK = 4
"""The place of the reference among a transfer's accounts."""


def _transfer(instructions: list[Instruction]) -> Instruction:
    return instructions[-1]


def _with(one: Instruction, place: int, address: str | Pubkey) -> Instruction:
    accounts = list(one.accounts)
    key = Pubkey.from_string(address) if isinstance(address, str) else address
    accounts[place] = AccountMeta(key, accounts[place].is_signer, accounts[place].is_writable)
    return Instruction(one.program_id, one.data, accounts)


def _no_reference(instructions: list[Instruction]) -> list[Instruction]:
    one = _transfer(instructions)
    return [*instructions[:-1], Instruction(one.program_id, one.data, one.accounts[:_MARK])]


def _other_reference(instructions: list[Instruction]) -> list[Instruction]:
    return [*instructions[:-1], _with(_transfer(instructions), _MARK, OTHER_REFERENCE)]


def _reference_elsewhere(instructions: list[Instruction]) -> list[Instruction]:
    """A transfer to the merchant without it, and one to oneself with it."""
    bare, marked = _no_reference(instructions)[-1], _transfer(instructions)
    return [*instructions[:-1], bare, _with(marked, 2, marked.accounts[0].pubkey)]


def _other_token(instructions: list[Instruction]) -> list[Instruction]:
    """The same, of a token that calls itself the same."""
    opening, one = instructions[-3], _transfer(instructions)
    payer, merchant = str(one.accounts[3].pubkey), str(opening.accounts[2].pubkey)
    target = token_account(merchant, FAKE_USDC, TOKEN_PROGRAM)
    opened = _with(_with(opening, 1, target), 3, FAKE_USDC)
    moved = _with(_with(_with(one, 0, token_account(payer, FAKE_USDC, TOKEN_PROGRAM)), 1, FAKE_USDC), 2, target)
    return [*instructions[:-3], opened, instructions[-2], moved]


def _other_recipient(instructions: list[Instruction]) -> list[Instruction]:
    opening, one = instructions[-3], _transfer(instructions)
    target = token_account(STRANGER, USDC, TOKEN_PROGRAM)
    opened = _with(_with(opening, 1, target), 2, STRANGER)
    return [*instructions[:-3], opened, instructions[-2], _with(one, 2, target)]


def _nothing(instructions: list[Instruction]) -> list[Instruction]:
    return [*instructions[:-1], cut_to(0)(instructions)[-1]]


def cut_to(units: int) -> Change:
    """The same transfer over another amount."""

    def change(instructions: list[Instruction]) -> list[Instruction]:
        one = _transfer(instructions)
        amount = units.to_bytes(8, "little")
        return [*instructions[:-1], Instruction(one.program_id, one.data[:1] + amount + one.data[9:], one.accounts)]

    return change


FORGERIES: list[Callable[[list[Instruction]], list[Instruction]]] = [
    _no_reference,
    _other_reference,
    _reference_elsewhere,
    _other_token,
    _other_recipient,
    _nothing,
]


@pytest.mark.parametrize("is_reported", [True, False], ids=["reported", "found"])
def test_a_changed_transaction_is_not_this_payment(solana_till: SolanaTill, is_reported: bool) -> None:
    till = solana_till
    till.node.place_token(FAKE_USDC)
    till.node.mint(FAKE_USDC, till.wallet[1], 1_000_000_000)
    attempt = till.issue("25")
    for forge in FORGERIES:
        signature = till.send(attempt, forge)
        assert till.node.rpc("getSignatureStatuses", [signature])["value"][0]["err"] is None
        if is_reported:
            till.report(attempt, signature)
        assert (forge.__name__, till.sweep(2)["status"]) == (forge.__name__, "awaiting_signature")
        assert (forge.__name__, till.credited(), till.leg().tx_hash) == (forge.__name__, [], "")
        assert till.leg().error == ("tx_not_for_this_intent" if is_reported else "")
    till.send(attempt)
    assert till.finish()["status"] == "settled"
    assert till.credited() == [25_000_000]


def test_one_payment_settles_one_of_two_intents(solana_till: SolanaTill) -> None:
    till = solana_till
    first = till.issue("25")
    first_intent = till.intent
    second = till.issue("25")
    signature = till.send(first)
    till.report(second, signature)
    assert till.finish()["status"] == "awaiting_signature"
    assert (till.credited(), till.leg().error) == ([], "tx_not_for_this_intent")
    second_intent, till.intent = till.intent, first_intent
    assert till.finish()["status"] == "settled"
    till.intent = second_intent
    body = {"attempt_id": second["id"], "leg_sequence": 1, "tx_hash": signature}
    assert till.page is not None
    reply = till.page.send("POST", "/submitted", body)
    assert (reply.status, reply.body["code"]) == (409, "tx_already_used")
    assert (till.sweep()["status"], till.credited()) == ("awaiting_signature", [])


def test_two_payments_in_one_transaction_are_not_counted_twice(solana_till: SolanaTill) -> None:
    """The first intent gets what its own transfer brought, and not the other's money as well."""
    till = solana_till
    first = till.unsigned(till.issue("25"))
    first_intent = till.intent
    second = till.issue("10")
    both = rewritten(first, lambda own: [*own, *instructions_of(till.unsigned(second))[-1:]])
    till.node.send(till.payer, both)
    till.intent, second_intent = first_intent, till.intent
    assert (till.finish()["status"], till.credited()) == ("settled", [25_000_000])
    till.intent = second_intent
    assert till.credited() == []


def test_a_hash_that_nobody_knows_holds_nothing_up(solana_till: SolanaTill) -> None:
    attempt = solana_till.issue("25")
    solana_till.report(attempt, "5" * 88)
    assert solana_till.finish()["status"] == "awaiting_signature"
    real = solana_till.send(attempt)
    assert solana_till.finish()["status"] == "settled"
    assert (solana_till.credited(), solana_till.leg().tx_hash) == ([25_000_000], real)


def test_an_old_transaction_is_not_taken_again(solana_till: SolanaTill) -> None:
    attempt = solana_till.issue("25")
    signature = solana_till.send(attempt)
    leg = solana_till.leg()
    leg.start_block = solana_till.node.head() + 1
    leg.save(update_fields=["start_block"])
    solana_till.node.advance(3)
    solana_till.report(attempt, signature)
    assert solana_till.finish()["status"] == "awaiting_signature"
    assert (solana_till.credited(), solana_till.leg().error) == ([], "tx_not_for_this_intent")


def _nonsense(reference: Pubkey, stranger: Keypair) -> list[list[Instruction]]:
    """Instructions that mention the reference and make no sense, each in a transaction that fails or does nothing."""
    mark, token = AccountMeta(reference, False, False), Pubkey.from_string(TOKEN_PROGRAM)  # noqa: FBT003 - the library's signature
    own = AccountMeta(stranger.pubkey(), True, True)  # noqa: FBT003 - the library's signature
    amount = bytes([12]) + (25_000_000).to_bytes(8, "little") + b"\x06"
    coins = b"\x02\x00\x00\x00" + (25).to_bytes(8, "little")
    return [
        [Instruction(token, amount, [mark])],
        [Instruction(token, amount, [])],
        [Instruction(token, b"", [mark])],
        [Instruction(Pubkey.default(), coins, [mark])],
        [Instruction(Pubkey.default(), coins, [own, own, mark])],
    ]


def test_strangers_who_mention_the_reference_end_nothing(solana_till: SolanaTill) -> None:
    """Neither with nonsense, nor with the payer's own transfer, which they cannot sign for."""
    till = solana_till
    attempt = till.issue("25")
    stranger = Keypair()
    till.node.fund(str(stranger.pubkey()))
    unsigned = till.unsigned(attempt)
    reference = Pubkey.from_string(till.leg().issued["reference"])
    changes: list[Callable[[list[Instruction]], list[Instruction]]] = [
        lambda _, one=one: one  # type: ignore[misc]  # one test's lie
        for one in _nonsense(reference, stranger)
    ]
    changes += [_unsigned_by_payer, partial(_from_nothing, stranger)]
    for change in changes:
        forged = rewritten(unsigned, change, stranger)
        failed = till.node.send(stranger, forged, preflight=False)
        assert till.node.rpc("getSignatureStatuses", [failed])["value"][0] is not None
    assert till.finish()["status"] == "awaiting_signature"
    assert (till.credited(), till.leg().error) == ([], "")
    till.send(attempt)
    assert till.finish()["status"] == "settled"
    assert till.credited() == [25_000_000]


def _unsigned_by_payer(instructions: list[Instruction]) -> list[Instruction]:
    one = _transfer(instructions)
    accounts = [AccountMeta(meta.pubkey, False, meta.is_writable) for meta in one.accounts]  # noqa: FBT003 - the library's signature
    return [Instruction(one.program_id, one.data, accounts)]


def _from_nothing(stranger: Keypair, instructions: list[Instruction]) -> list[Instruction]:
    """A stranger's own transfer, of what it does not have."""
    own = str(stranger.pubkey())
    source = token_account(own, USDC, TOKEN_PROGRAM)
    return [_with(_with(_transfer(instructions), 0, source), 3, own)]


def test_somebody_may_pay_for_the_payer(solana_till: SolanaTill) -> None:
    till = solana_till
    attempt = till.issue("25")
    friend = Keypair()
    till.node.fund(str(friend.pubkey()))
    till.node.mint(USDC, str(friend.pubkey()), 25_000_000)

    def paid_by_friend(instructions: list[Instruction]) -> list[Instruction]:
        opening, one, own = instructions[-3], _transfer(instructions), str(friend.pubkey())
        source = token_account(own, USDC, TOKEN_PROGRAM)
        return [_with(opening, 0, own), instructions[-2], _with(_with(one, 0, source), 3, own)]

    signature = till.node.send(friend, rewritten(till.unsigned(attempt), paid_by_friend, friend))
    assert till.finish()["status"] == "settled"
    assert (till.credited(), till.leg().tx_hash) == ([25_000_000], signature)
