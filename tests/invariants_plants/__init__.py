"""The catalogue of plants: each breaks a consistent database in one way, and names every sentence that must say so.

A new rule of money gets its plant here first. All sums are kept consistent unless a plant's words say otherwise.
"""

import inspect
from collections.abc import Callable

from tests.invariants_plants import agents, arrivals, figures, histories, leaving, places, strays
from tests.invariants_plants.ground import Ground

Plant = Callable[[Ground], list[str]]

CATALOGUE: dict[str, Plant] = {
    f"{module.__name__.rpartition('.')[2]}: {name.replace('_', ' ')}": plant
    for module in (arrivals, figures, leaving, strays, places, agents, histories)
    for name, plant in inspect.getmembers(module, inspect.isfunction)
    if plant.__module__ == module.__name__ and not name.startswith("_") and plant.__annotations__["return"] == list[str]
}
"""By its words, every function of those modules that gives back sentences."""

SEEN_RED = {
    "refunds_stay_within_what_arrived": "leaving: a refund above what came",
    "received_is_what_was_credited": "figures: a wrong sum",
    "settled_means_paid": "arrivals: settled without a credit",
    "direct_payouts_were_received": "histories: a direct payout of what never came",
    "payout_and_fee_are_all": "leaving: a payout of too little",
    "money_out_is_money_in": "leaving: all sent back and all paid out",
    "each_amount_is_its_share": "leaving: a refund of too few tokens",
    "strays_go_back_as_they_came": "strays: a stray sent to a stranger",
    "no_stray_goes_back_twice": "strays: a stray sent back twice over",
    "payouts_go_to_the_merchant": "places: a payout to a stranger",
    "refunds_go_to_stated_destinations": "places: a refund by nobodys word",
    "transfers_follow_their_rows": "places: a transfer ordered to elsewhere",
    "addresses_change_in_the_open": "places: an address changed in secret",
    "each_event_has_one_owner": "arrivals: a refunds own transfer counts as a payment",
    "each_transfer_has_a_known_purpose": "arrivals: a transfer for an unknown purpose",
    "credits_belong_to_their_legs": "arrivals: a credit by another intents leg",
    "credits_stay_on_their_network": "arrivals: play money from a real chain",
    "credits_stand_on_the_simulated_chain": "arrivals: a credit of nothing the sums follow",
    "nothing_is_sent_to_its_sender": "arrivals: a transfer to its own sender",
    "fee_is_what_the_legs_took": "figures: a fee that nobody took",
    "surplus_is_what_came_beyond": "figures: a surplus of nothing",
    "surplus_was_announced": "figures: a surplus that nobody was told",
    "what_goes_back_is_noted": "figures: less goes back than the refunds say",
    "nothing_is_less_than_nothing": "figures: a credit below zero",
    "times_run_forwards": "figures: paid before it was made",
}
"""By invariant, a plant that turns it red. An invariant that nothing turns red proves nothing."""
