"""Two workers, the blocks, and time: whatever goes on while nobody asks for anything.

The first worker's sweep stops wherever it has asked a chain and has not written yet; there the other one, or anybody
else, may do a whole turn, and what the first one then writes is old. Sometimes its process ends right there.
"""

from collections.abc import Callable

from mcp.services.approvals import sweep_approvals
from payments.models import PaymentIntent
from payments.services import advance as payments
from payments.services.settlement_effect import sweep_settlement_changes
from payouts.services import sweep_due as sweep_payouts
from refunds.services import advance as refunds
from refunds.services.late import send_late_money_back
from tests.stories.chain import FINAL_AFTER
from tests.stories.judge import note_peaks
from tests.stories.stage import Died, Story

Step = Callable[[Story], None]
WAITS = (0, 3, 3, 10, 31)
MEANWHILE, DEATH = 0.12, 0.02
MOST_ROUNDS = 12
SWEEPS = (payments.sweep_due, send_late_money_back, refunds.sweep_due, sweep_payouts, sweep_settlement_changes)


def work_payments(story: Story) -> None:
    _turn(story, payments.sweep_due)


def work_refunds(story: Story) -> None:
    _turn(story, refunds.sweep_due)


def work_payouts(story: Story) -> None:
    _turn(story, sweep_payouts)


def work_late(story: Story) -> None:
    _turn(story, send_late_money_back)
    _turn(story, sweep_settlement_changes)
    _turn(story, sweep_approvals)


def work_round(story: Story) -> None:
    """Some blocks, and then every sweep once, in any order."""
    mine(story)
    turns = [work_payments, work_refunds, work_payouts, work_late]
    story.rng.shuffle(turns)
    for turn in turns:
        turn(story)


def mine(story: Story) -> None:
    blocks = story.rng.choice([1, 1, 2, 6, FINAL_AFTER + 1])
    story.pass_blocks(blocks)
    story.tell(f"{blocks} blocks: {story.home.head}")


def reorganise(story: Story) -> None:
    """Blocks that are not final go; what was in them comes again, later, in another order, or never."""
    rng = story.rng
    depth, later = rng.choice([1, 2, 4, 7, 11]), rng.choice([1, 1, 3])
    chance = rng.choice([0.0, 0.5, 1.0])
    dropped = story.home.reorganise(
        depth, lambda one: one.sender != story.account and rng.random() < chance, later=later
    )
    story.pass_time(4)
    story.tell(f"a reorganisation of {depth} blocks drops {[one.tx_hash[:8] for one in dropped]}")


def drop_all(story: Story) -> None:
    dropped = story.home.reorganise(8, lambda one: one.sender != story.account)
    story.tell(f"a reorganisation drops {[one.tx_hash[:8] for one in dropped]}")


def lose_pending(story: Story) -> None:
    if story.home.waiting:
        one = story.rng.choice(story.home.waiting)
        story.home.lose(one)
        story.tell(f"{one.tx_hash[:8]} is forgotten")


def wait(story: Story) -> None:
    seconds = story.rng.choice([400, 4000, 90_000])
    story.pass_time(seconds)
    story.pass_blocks(1)
    story.tell(f"{seconds} seconds pass")


def finish(story: Story) -> None:
    story.meanwhile = lambda _: None
    before: object = None
    for _ in range(MOST_ROUNDS):
        story.pass_blocks(FINAL_AFTER + 2)
        story.pass_time(61)
        for sweep in SWEEPS:
            sweep()
        after = list(PaymentIntent.objects.filter(pk__in=story.intents).values_list("pk", "status", "received_usd"))
        after_moves = [one.tx.tx_hash for one in story.home.moved()]
        if before == (after, after_moves):
            return
        before = (after, after_moves)


def _turn(story: Story, sweep: Callable[[], object]) -> None:
    story.pass_time(story.rng.choice(WAITS))
    name = f"{sweep.__module__.rpartition('.')[0]}.{sweep.__name__}"
    try:
        sweep()
    except Died:
        story.tell(f"the worker dies in {name}")
    else:
        story.tell(f"{name}")
    note_peaks(story)


def interleaving(story: Story, others: Callable[[], Step]) -> Callable[[str], None]:
    """What happens between a worker's question and its writing."""
    inside = False

    def meanwhile(point: str) -> None:
        nonlocal inside
        chance = story.rng.random()
        if inside or chance > MEANWHILE + DEATH:
            return
        if chance < DEATH:
            raise Died
        inside = True
        try:
            story.tell(f"meanwhile, after {point}:")
            others()(story)
        finally:
            inside = False

    return meanwhile
