"""How stories begin: so that what follows is about money that came, in each of the ways in which it comes."""

from collections.abc import Callable
from uuid import UUID

from tests.stories import payers, shopkeepers, workers
from tests.stories.stage import ABROAD, Story

DAY, SHORT = 86_400, 300


def one_pays(story: Story) -> None:
    leg = payers.begin(story, _asked(story), story.payers[0])
    if leg is not None:
        payers.send(story, leg, leg.units, leg.payer)
    _see(story)


def two_share(story: Story) -> None:
    """One payer pays a part, and another one the rest: seldom in halves."""
    intent_id = _asked(story)
    first = payers.begin(story, intent_id, story.payers[0])
    if first is not None:
        payers.send(story, first, first.units * story.rng.choice([1, 4, 24]) // 25, first.payer)
    _see(story)
    second = payers.begin(story, intent_id, story.payers[1])
    if second is not None:
        payers.send(story, second, second.units, second.payer)
    _see(story)


def late_money(story: Story) -> None:
    """The money comes when the payment has expired, perhaps of two."""
    leg = payers.begin(story, _asked(story, SHORT), story.payers[0])
    story.pass_time(SHORT + 700)
    workers.work_payments(story)
    if leg is not None:
        payers.send(story, leg, leg.units, leg.payer)
        if story.rng.random() < 0.4:
            payers.send(story, leg, story.rng.choice([1, leg.units // 2]), story.stranger)
    _see(story)


def over_a_bridge(story: Story) -> None:
    """One pays over a bridge; who fills its order is a payer of another payment, and perhaps claims that."""
    one, other = (payers.ask_for(story, "25", story.account, DAY) for _ in range(2))
    leg = payers.begin(story, one, story.payers[0], ABROAD)
    beside = payers.begin(story, other, story.payers[1])
    if leg is None:
        return
    order = payers.open_order(story, leg)
    story.orders.clear()
    filled = payers.fill_order(story, leg, order, story.rng.choice([story.payers[1], story.relayer]))
    if beside is not None and story.rng.random() < 0.5:
        payers.claim_as_paid(story, beside, filled)
    _see(story)


def without_a_mark(story: Story) -> None:
    """A wallet drops the mark and claims its transfer."""
    leg = payers.begin(story, _asked(story), story.payers[0])
    if leg is not None:
        payers.claim_as_paid(story, leg, payers.send_plain(story, leg))
    _see(story)


def dust_of_a_stranger(story: Story) -> None:
    """A stranger pays one unit under the payer's mark, before or after it, or begins beside it."""
    intent_id = _asked(story)
    leg = payers.begin(story, intent_id, story.payers[0])
    if leg is None:
        return
    payers.send(story, leg, 1, story.stranger)
    if story.rng.random() < 0.5:
        _see(story)
    payers.send(story, leg, leg.units, leg.payer)
    _see(story)


def paid_twice(story: Story) -> None:
    """The same payment twice, each in a block of its own, so that one of them may go again."""
    leg = payers.begin(story, _asked(story), story.payers[0])
    if leg is not None:
        payers.send(story, leg, leg.units, leg.payer)
        story.pass_blocks(story.rng.choice([0, 2]))
        payers.send(story, leg, leg.units, leg.payer)
    story.pass_blocks(5)
    _see(story)


def paid_again_after_the_payout(story: Story) -> None:
    """What came is final and paid out; then a wallet pays that had declined, asks it back, and its block goes."""
    intent_id = _asked(story)
    declined = payers.begin(story, intent_id, story.payers[0])
    if declined is None:
        return
    payers.decline_own(story, declined)
    leg = payers.begin(story, intent_id, story.payers[1])
    if leg is None:
        return
    payers.send(story, leg, leg.units, leg.payer)
    story.pass_blocks(15)
    _see(story)
    shopkeepers.pay_out(story)
    for _ in range(story.rng.choice([0, 2])):
        workers.work_round(story)
    payers.send(story, declined, leg.units, declined.payer)
    story.pass_blocks(6)
    workers.work_payments(story)
    shopkeepers.ask_refund_of(story, intent_id, str(leg.units // 1_000_000))
    workers.drop_all(story)


def sent_back_and_topped_up(story: Story) -> None:
    """A short payment goes back for the most part; then somebody pays the little that was missing."""
    intent_id = _asked(story)
    leg = payers.begin(story, intent_id, story.payers[0])
    if leg is None:
        return
    payers.send(story, leg, leg.units - 1_000_000, leg.payer)
    _see(story)
    shopkeepers.ask_refund_of(story, intent_id, "20")
    if story.rng.random() < 0.5:
        workers.work_round(story)
    second = payers.begin(story, intent_id, story.payers[1])
    if second is not None:
        payers.send(story, second, story.rng.choice([1_000_000, second.units]), second.payer)
    _see(story)


def anything(story: Story) -> None:
    payers.open_payment(story)
    payers.begin_attempt(story)


OPENINGS: tuple[tuple[int, Callable[[Story], None]], ...] = (
    (6, one_pays),
    (4, two_share),
    (3, late_money),
    (3, over_a_bridge),
    (2, without_a_mark),
    (2, dust_of_a_stranger),
    (2, paid_twice),
    (2, paid_again_after_the_payout),
    (2, sent_back_and_topped_up),
    (4, anything),
)


def _asked(story: Story, seconds: int = DAY) -> UUID:
    address = story.account if story.rng.random() < 0.85 else story.treasuries[0]
    return payers.ask_for(story, story.rng.choice(["25", "25", "40.01"]), address, seconds)


def _see(story: Story) -> None:
    story.pass_blocks(story.rng.choice([7, 7, 15]))
    workers.work_payments(story)
    workers.work_payments(story)
