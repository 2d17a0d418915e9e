"""Money sent on Solana lands once, to the base unit, and counts when it is final; also when two workers have it."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import pytest

from chains.instructions.programs import TOKEN_PROGRAM, token_account
from chains.instructions.transactions import read_transaction
from chains.models import TransferAttempt
from chains.rails.solana import rail, writing
from chains.registry import SOLANA_NATIVE_ADDRESS
from chains.transfers import advance_transfer
from core.secrets import Sealed
from localnet.solana.money import ONE_SOL, USDC
from tests.live.money_out_solana.treasury import FOREVER, Treasury
from tests.races.lineup import abreast, at_once

FEE, RENT = 5_000, 2_039_280


def test_it_pays_once_and_says_so_when_it_is_final(treasury: Treasury) -> None:
    treasury.node.mint(USDC, treasury.recipient, 1)
    treasury.order()
    assert (treasury.advance(), treasury.node.held(USDC, treasury.recipient)) == ("mined", 25_000_001)
    treasury.node.advance(20)
    assert treasury.advance() == "mined"
    treasury.node.finalize()
    assert (treasury.advance(), treasury.path()) == ("paid", ["new", "signed", "broadcast", "mined", "paid"])
    [landed] = treasury.landed()
    assert (treasury.transfer.tx_hash, treasury.transfer.block_number) == (landed.signature, landed.slot)
    assert treasury.transfer.paid_at is not None
    assert (treasury.node.held(USDC, treasury.recipient), treasury.advance()) == (25_000_001, "paid")
    assert len(treasury.landed()) == 1


def test_a_recipient_without_a_token_account_gets_one(treasury: Treasury) -> None:
    treasury.order()
    before = treasury.node.lamports(treasury.address)
    assert (treasury.finish(), treasury.paid_times()) == ("paid", 1)
    spent = before - treasury.node.lamports(treasury.address)
    assert RENT + FEE <= spent < RENT + FEE + 200


def test_what_is_signed_is_what_was_ordered(treasury: Treasury) -> None:
    transfer = treasury.order()
    treasury.finish()
    [attempt] = TransferAttempt.objects.all()
    message = read_transaction(attempt.raw).message
    keys = [str(key) for key in message.account_keys]
    assert (message.header.num_required_signatures, keys[0]) == (1, treasury.address)
    programs = [keys[one.program_id_index][:8] for one in message.instructions]
    assert programs == ["ComputeB", "ComputeB", "ATokenGP", "MemoSq4g", "Tokenkeg"]
    limit, _, _, note, moved = message.instructions
    assert bytes(note.data).decode() == str(transfer.pk)
    assert bytes(moved.data) == b"\x0c" + (25_000_000).to_bytes(8, "little") + b"\x06"
    assert keys[moved.accounts[2]] == token_account(treasury.recipient, USDC, TOKEN_PROGRAM)
    [landed] = treasury.landed()
    used, allowed = landed.outcome.compute_units_consumed(), int.from_bytes(bytes(limit.data)[1:], "little")
    assert allowed == -(-used * 120 // 100)
    assert (attempt.tx_hash, attempt.blockhash) == (landed.signature, str(message.recent_blockhash))
    assert attempt.last_valid_height == landed.slot - 21_000_000 - 1 + 150


def test_the_native_coin_is_sent(treasury: Treasury) -> None:
    treasury.token, treasury.decimals, treasury.units = SOLANA_NATIVE_ADDRESS, 9, ONE_SOL // 4
    treasury.order()
    assert (treasury.finish(), treasury.paid_times()) == ("paid", 1)
    assert ONE_SOL * 3 // 4 - treasury.node.lamports(treasury.address) < FEE + 200


WORKERS = 4


@dataclass
class SlowSecrets(dict[str, Any]):
    """The operator's secrets on a slow disk: before one is read, something else may happen."""

    key: Sealed
    meanwhile: list[Callable[[], Any]] = field(default_factory=list)

    def get(self, name: str, default: Any = None) -> Any:  # noqa: ARG002 - as dict has it
        while self.meanwhile:
            self.meanwhile.pop()()
        return self.key


def test_one_that_signs_late_drops_what_it_signed(treasury: Treasury) -> None:
    """The second worker does everything while the first one waits for its signature."""
    transfer = treasury.order()
    secrets = SlowSecrets(treasury.settings.SIGNER_SECRETS["treasury"])
    treasury.settings.SIGNER_SECRETS = secrets

    def other_worker() -> None:
        treasury.node.advance(3)
        assert advance_transfer(transfer.pk).status == "mined"

    secrets.meanwhile.append(other_worker)
    assert treasury.advance() == "mined"
    assert not secrets.meanwhile
    assert (treasury.finish(), treasury.paid_times(), len(treasury.signatures())) == ("paid", 1, 1)


def test_one_that_is_withdrawn_while_it_is_signed_is_not_sent(treasury: Treasury) -> None:
    treasury.order()
    secrets = SlowSecrets(treasury.settings.SIGNER_SECRETS["treasury"])
    treasury.settings.SIGNER_SECRETS = secrets
    secrets.meanwhile.append(treasury.withdraw)
    assert (treasury.advance(), treasury.paid_times(), treasury.signatures()) == ("failed:withdrawn", 0, [])


def test_a_death_that_was_concluded_before_another_one_signed_anew_ends_nothing(treasury: Treasury) -> None:
    """The first worker's conclusion is about the old signature alone."""
    treasury.order()
    treasury.node.drop_next(FOREVER)
    treasury.advance()
    treasury.pass_expiry()
    attempts = list(treasury.transfer.attempts.all())
    concluded = rail.judged(treasury.transfer, attempts)
    assert (concluded.verdict, treasury.advance(), len(treasury.signatures())) == ("dead", "broadcast", 2)
    assert not writing.write_judgement(treasury.transfer, concluded, [one.tx_hash for one in attempts])
    treasury.transfer.refresh_from_db()
    assert treasury.transfer.status == "broadcast"
    treasury.node.drop_next(0)
    assert (treasury.finish(), treasury.paid_times()) == ("paid", 1)


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
def test_workers_that_begin_together_send_one_transaction(transactional_db: None, treasury: Treasury) -> None:
    for _ in range(3):
        transfer = treasury.order()
        at_once([partial(advance_transfer, transfer.pk)] * WORKERS)
        assert (treasury.finish(), len(treasury.landed()), len(treasury.signatures())) == ("paid", 1, 1)
    assert treasury.received() == 3 * treasury.units


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
def test_workers_that_find_it_dead_together_sign_one_more(transactional_db: None, treasury: Treasury) -> None:
    """All of them have read the one attempt, and that it is sent, before any goes on."""
    transfer = treasury.order()
    treasury.node.drop_next(FOREVER)
    assert treasury.advance() == "broadcast"
    treasury.pass_expiry()
    treasury.node.drop_next(0)
    abreast(lambda: advance_transfer(transfer.pk), WORKERS, table="chains_transferattempt", reads=1)
    assert (treasury.finish(), treasury.paid_times(), TransferAttempt.objects.count()) == ("paid", 1, 2)
