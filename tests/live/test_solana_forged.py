"""Payments on Solana that are not what they seem: nothing is ever credited that was not paid to this intent."""

from collections.abc import Callable
from functools import partial

import pytest
from solders.instruction import AccountMeta, Instruction
from solders.keypair import Keypair
from solders.pubkey import Pubkey

from chains.instructions.programs import TOKEN_PROGRAM, token_account
from chains.instructions.transactions import reference_of
from localnet.solana.money import USDC
from tests.live.solana_till import Change, SolanaTill, rewritten

FAKE_USDC = str(Keypair().pubkey())
STRANGER = str(Keypair().pubkey())
OTHER_REFERENCE = Pubkey.from_string(reference_of("7e570000-0000-4000-8000-000000000001"))
_MARK = 4
"""The place of the reference among a transfer's accounts."""


def _with(one: Instruction, place: int, address: str | Pubkey) -> Instruction:
    accounts = list(one.accounts)
    key = Pubkey.from_string(address) if isinstance(address, str) else address
    accounts[place] = AccountMeta(key, accounts[place].is_signer, accounts[place].is_writable)
    return Instruction(one.program_id, one.data, accounts)


def _bare(one: Instruction) -> Instruction:
    return Instruction(one.program_id, one.data, one.accounts[:_MARK])


def _other_token(instructions: list[Instruction]) -> list[Instruction]:
    """The same, of a token that calls itself the same."""
    opening, one = instructions[-3], instructions[-1]
    payer, merchant = str(one.accounts[3].pubkey), str(opening.accounts[2].pubkey)
    target = token_account(merchant, FAKE_USDC, TOKEN_PROGRAM)
    opened = _with(_with(opening, 1, target), 3, FAKE_USDC)
    moved = _with(_with(_with(one, 0, token_account(payer, FAKE_USDC, TOKEN_PROGRAM)), 1, FAKE_USDC), 2, target)
    return [*instructions[:-3], opened, instructions[-2], moved]


def _other_recipient(instructions: list[Instruction]) -> list[Instruction]:
    opening, one = instructions[-3], instructions[-1]
    target = token_account(STRANGER, USDC, TOKEN_PROGRAM)
    opened = _with(_with(opening, 1, target), 2, STRANGER)
    return [*instructions[:-3], opened, instructions[-2], _with(one, 2, target)]


def cut_to(units: int) -> Change:
    """The same transfer over another amount."""

    def change(instructions: list[Instruction]) -> list[Instruction]:
        one = instructions[-1]
        amount = units.to_bytes(8, "little")
        return [*instructions[:-1], Instruction(one.program_id, one.data[:1] + amount + one.data[9:], one.accounts)]

    return change


FORGERIES: dict[str, Change] = {
    "no reference": lambda asked: [*asked[:-1], _bare(asked[-1])],
    "another reference": lambda asked: [*asked[:-1], _with(asked[-1], _MARK, OTHER_REFERENCE)],
    # A transfer to the merchant without it, and one to oneself with it.
    "the reference elsewhere": lambda asked: [
        *asked[:-1], _bare(asked[-1]), _with(asked[-1], 2, asked[-1].accounts[0].pubkey)
    ],
    "another token": _other_token,
    "another recipient": _other_recipient,
    "nothing": cut_to(0),
}  # fmt: skip


@pytest.mark.parametrize("is_reported", [True, False], ids=["reported", "found"])
def test_a_changed_transaction_is_not_this_payment(solana_till: SolanaTill, is_reported: bool) -> None:
    till = solana_till
    till.node.place_token(FAKE_USDC)
    till.node.mint(FAKE_USDC, till.wallet[1], 1_000_000_000)
    attempt = till.issue("25")
    for name, forge in FORGERIES.items():
        signature = till.send(attempt, forge)
        assert till.node.rpc("getSignatureStatuses", [signature])["value"][0]["err"] is None
        if is_reported:
            till.report(attempt, signature)
        seen = (till.sweep(2)["status"], till.credited(), till.leg().tx_hash, till.leg().error)
        error = "tx_not_for_this_intent" if is_reported else ""
        assert (name, *seen) == (name, "awaiting_signature", [], "", error)
    till.send(attempt)
    assert (till.finish()["status"], till.credited()) == ("settled", [25_000_000])


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
    stranger = till.stranger(0)
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
    assert (till.finish()["status"], till.credited(), till.leg().error) == ("awaiting_signature", [], "")
    till.send(attempt)
    assert (till.finish()["status"], till.credited()) == ("settled", [25_000_000])


def _unsigned_by_payer(instructions: list[Instruction]) -> list[Instruction]:
    one = instructions[-1]
    accounts = [AccountMeta(meta.pubkey, False, meta.is_writable) for meta in one.accounts]  # noqa: FBT003 - the library's signature
    return [Instruction(one.program_id, one.data, accounts)]


def _from_nothing(stranger: Keypair, instructions: list[Instruction]) -> list[Instruction]:
    """A stranger's own transfer, of what it does not have."""
    own = str(stranger.pubkey())
    source = token_account(own, USDC, TOKEN_PROGRAM)
    return [_with(_with(instructions[-1], 0, source), 3, own)]


def test_somebody_may_pay_for_the_payer(solana_till: SolanaTill) -> None:
    till = solana_till
    attempt = till.issue("25")
    friend = till.stranger()

    def paid_by_friend(instructions: list[Instruction]) -> list[Instruction]:
        opening, one, own = instructions[-3], instructions[-1], str(friend.pubkey())
        source = token_account(own, USDC, TOKEN_PROGRAM)
        return [_with(opening, 0, own), instructions[-2], _with(_with(one, 0, source), 3, own)]

    signature = till.node.send(friend, rewritten(till.unsigned(attempt), paid_by_friend, friend))
    assert (till.finish()["status"], till.credited(), till.leg().tx_hash) == ("settled", [25_000_000], signature)
