"""Rows that were there before the books: booked once, in two passes, and only then are the books asked."""

from datetime import timedelta
from io import StringIO

from django.core.management import call_command

from core.clock import now
from ledger.models import Opening, Posting
from operations.opening import open_books
from payments.models import Credit
from tests.conftest import ApiClient
from tests.invariants import violations
from tests.ledger.forgetting import forget_the_books
from tests.ledger.test_books import WHOLE, balances, both
from tests.payments.world import World
from tests.refunds.stories import PAYEE, refund, settled, work


def test_rows_of_before_are_booked_and_those_that_old_programs_write_meanwhile(world: World, api: ApiClient) -> None:
    intent = settled(world, api)
    refund(api, intent, 10, destination=PAYEE)
    work(world)
    forget_the_books()
    world.wait(60)
    assert (open_books(), violations()) == (False, [])
    after = {"received": both(15_000_000), "refunded": both(10_000_000), "payments": both(-WHOLE)}
    assert balances() == after
    assert set(Posting.objects.values_list("kind", flat=True)) == {"opened"}

    settled(world, api)
    forget_the_books(of=str(Credit.objects.latest("pk").pk))
    world.wait(3600)
    assert open_books()
    assert balances() == after | {"received": both(15_000_000 + WHOLE), "payments": both(-2 * WHOLE)}
    assert violations() == []
    count = Posting.objects.count()
    assert (open_books(), Posting.objects.count()) == (True, count)


def test_a_release_that_was_taken_back_carries_over_again(world: World, api: ApiClient) -> None:
    assert open_books()
    settled(world, api)
    call_command("prepare_rollback", stdout=StringIO())
    forget_the_books()
    world.wait(60)
    assert (open_books(), violations()) == (False, [])
    assert balances() == {"received": both(WHOLE), "payments": both(-WHOLE)}


def test_books_of_a_new_database_are_open_at_once(db: None) -> None:
    assert open_books()
    assert Opening.objects.get().finished_at <= now() + timedelta(seconds=1)  # type: ignore[operator]  # it is there
