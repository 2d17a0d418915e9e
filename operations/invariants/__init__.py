"""The checker of reliability's invariants: reads a database and says what can not be true.

Written from the design texts, not from the code it judges: where the service has a table of its own, there is another
in ``paths``. Reads only; ``manage.py check_invariants`` runs it on a production database.
"""

from collections.abc import Callable, Iterator

from operations.invariants.addresses import addresses_change_in_the_open
from operations.invariants.agents import (
    agent_actions_are_counted,
    approvals_made_what_they_allow,
    counted_actions_exist,
)
from operations.invariants.arrivals import (
    credits_belong_to_their_legs,
    credits_stand_on_the_simulated_chain,
    credits_stay_on_their_network,
    each_event_has_one_owner,
    each_transfer_has_a_known_purpose,
    nothing_is_sent_to_its_sender,
)
from operations.invariants.balances import each_amount_is_its_share, money_out_is_money_in
from operations.invariants.books import (
    books_say_what_rows_say,
    each_entry_balances,
    each_entry_leads_back,
    what_left_is_in_the_books,
)
from operations.invariants.credits import (
    each_chain_event_credits_once,
    received_is_what_was_credited,
    settled_means_paid,
)
from operations.invariants.deliveries import each_delivery_is_possible, each_event_has_its_deliveries
from operations.invariants.destinations import (
    payouts_go_to_the_merchant,
    refunds_go_to_stated_destinations,
    transfers_follow_their_rows,
)
from operations.invariants.dispatches import direct_payouts_were_received, paid_means_landed, payout_and_fee_are_all
from operations.invariants.duties import no_transfer_is_an_orphan, nothing_is_overdue, nothing_waits_for_nobody
from operations.invariants.figures import (
    fee_is_what_the_legs_took,
    nothing_is_less_than_nothing,
    surplus_is_what_came_beyond,
    surplus_was_announced,
    times_run_forwards,
    what_goes_back_is_noted,
)
from operations.invariants.histories import (
    audits_are_as_they_were_sealed,
    each_history_is_a_path,
    each_step_has_an_actor,
    each_step_is_announced_once,
    no_event_tells_of_another_tenant,
)
from operations.invariants.keys import each_key_made_one_thing, no_amount_is_a_float, nothing_secret_is_plain
from operations.invariants.receipts import (
    published_keys_are_as_they_were_made,
    records_are_as_they_were_sealed,
    what_settled_is_sealed,
)
from operations.invariants.refunds import refunded_means_paid_back, refunds_stay_within_what_arrived
from operations.invariants.scope import WHOLE, Scope
from operations.invariants.simulated import each_leg_was_sent_once, each_purpose_was_sent_once, paid_transfers_stand
from operations.invariants.statements import statements_say_what_was_booked
from operations.invariants.strays import no_stray_goes_back_twice, strays_go_back_as_they_came
from operations.invariants.tenants import (
    each_transfer_serves_its_own_merchant,
    no_row_joins_two_tenants,
    play_money_stays_in_its_world,
)
from operations.invariants.transfers import nonces_have_no_gap, one_transfer_at_most_lands

__all__ = ["INVARIANTS", "STANDING", "WHOLE", "Invariant", "Scope", "violations"]

Invariant = Callable[[Scope], Iterator[str]]

INVARIANTS: tuple[Invariant, ...] = (
    refunds_stay_within_what_arrived,
    refunded_means_paid_back,
    one_transfer_at_most_lands,
    each_leg_was_sent_once,
    each_purpose_was_sent_once,
    paid_means_landed,
    each_chain_event_credits_once,
    received_is_what_was_credited,
    each_history_is_a_path,
    each_step_is_announced_once,
    each_event_has_its_deliveries,
    each_delivery_is_possible,
    nothing_waits_for_nobody,
    no_transfer_is_an_orphan,
    nothing_is_overdue,
    each_key_made_one_thing,
    no_row_joins_two_tenants,
    no_event_tells_of_another_tenant,
    each_transfer_serves_its_own_merchant,
    play_money_stays_in_its_world,
    each_step_has_an_actor,
    no_amount_is_a_float,
    nothing_secret_is_plain,
    settled_means_paid,
    paid_transfers_stand,
    direct_payouts_were_received,
    payout_and_fee_are_all,
    nonces_have_no_gap,
    agent_actions_are_counted,
    counted_actions_exist,
    approvals_made_what_they_allow,
    money_out_is_money_in,
    each_amount_is_its_share,
    strays_go_back_as_they_came,
    no_stray_goes_back_twice,
    payouts_go_to_the_merchant,
    refunds_go_to_stated_destinations,
    transfers_follow_their_rows,
    addresses_change_in_the_open,
    each_event_has_one_owner,
    each_transfer_has_a_known_purpose,
    credits_belong_to_their_legs,
    credits_stay_on_their_network,
    credits_stand_on_the_simulated_chain,
    nothing_is_sent_to_its_sender,
    fee_is_what_the_legs_took,
    surplus_is_what_came_beyond,
    surplus_was_announced,
    what_goes_back_is_noted,
    nothing_is_less_than_nothing,
    times_run_forwards,
    audits_are_as_they_were_sealed,
    each_entry_balances,
    each_entry_leads_back,
    books_say_what_rows_say,
    what_left_is_in_the_books,
    statements_say_what_was_booked,
    records_are_as_they_were_sealed,
    published_keys_are_as_they_were_made,
    what_settled_is_sealed,
)
STANDING: tuple[Invariant, ...] = (nothing_is_overdue, no_amount_is_a_float)
"""Those that a row can break without changing: asked of all rows each time, and cheap by an index."""


def violations(scope: Scope = WHOLE) -> Iterator[str]:
    """Everything in the database that can not be true, one sentence each, as it is found."""
    for invariant in INVARIANTS:
        yield from invariant(scope)
