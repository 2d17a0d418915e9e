"""What one merchant has asked of a chain, and what it costs the others."""

from tests.mutations.planting import Fault

SHARES, ACCOUNTS = "payments/services/shares.py", "payments/services/reading_accounts.py"
UNIT, LIVE = "tests/payments/test_shares.py", "tests/live/test_shares.py"
FAULTS = (
    Fault(
        "one_merchants_addresses_fill_every_question",
        "Each block is asked about a merchant's share of addresses, however many it awaits something at.",
        SHARES,
        "    over = set(held.filter(number__gt=SHARE)",
        "    over = set(held.filter(number__lt=1)",
        (f"{UNIT}::test_a_merchant_with_thousands_of_addresses_has_few_questions_with_each_block",),
    ),
    Fault(
        "all_merchants_have_one_share",
        "What one merchant awaits takes nothing of another's share.",
        SHARES,
        'Window(RowNumber(), partition_by="merchant_id", order_by=["-awaited_until", "-pk"])',
        'Window(RowNumber(), order_by=["-awaited_until", "-pk"])',
        (
            f"{UNIT}::test_a_merchant_with_thousands_of_addresses_has_few_questions_with_each_block",
            f"{UNIT}::test_nobody_takes_anothers_address_into_its_own_share",
        ),
    ),
    Fault(
        "what_is_over_the_share_is_passed_over",
        "What is over a merchant's share is read from where its reader left it.",
        SHARES,
        'read_to=Coalesce("read_to", Value(reader.final_to))',
        "read_to=Value((reader.final_to or 0) + 10)",
        (f"{UNIT}::test_a_merchant_with_thousands_of_addresses_has_few_questions_with_each_block",),
    ),
    Fault(
        "whoever_is_furthest_behind_takes_every_turn",
        "A merchant whose addresses never come up takes no turn of another's.",
        SHARES,
        "    own: list[WatchedAddress] = []\n    if held:\n",
        "    own: list[WatchedAddress] = []\n    if not held:\n",
        (f"{UNIT}::test_another_merchant_over_its_share_is_read_beside_the_one_with_thousands",),
    ),
    Fault(
        "on_solana_who_awaits_most_takes_every_round",
        "On Solana each merchant's accounts have their turn in each round.",
        SHARES,
        "turns[watched] = min(had[merchant] for merchant in whose)",
        "turns[watched] = had.total()",
        (f"{UNIT}::test_on_solana_each_merchant_has_its_turn_in_each_round",),
    ),
    Fault(
        "who_awaits_is_joined_again",
        "Whose turn it is costs a few pages for each address, whatever PostgreSQL believes of their number.",
        SHARES,
        "watched__among=watched)",
        'watched__in=WatchedAddress.objects.filter(pk__among=watched, address__gt="").values("pk"))',
        (f"{UNIT}::test_on_solana_whose_turn_it_is_costs_a_few_pages_for_each_address",),
        needs_postgres=True,
    ),
    Fault(
        "what_is_awaited_again_is_forgotten",
        "Who awaits something again meanwhile is not forgotten.",
        SHARES,
        "awaited_until__lte=now()).select_for_update(skip_locked=True)",
        "awaited_until__lte=now())",
        ("tests/races/test_share_races.py::test_who_awaits_something_again_meanwhile_is_not_forgotten",),
        needs_postgres=True,
    ),
    Fault(
        "what_was_forgotten_stays_locked",
        "A turn waits for no address while who awaited it is locked.",
        "payments/services/resting.py",
        "    forget_over()\n    let_go(reader)\n",
        "    with transaction.atomic():\n        forget_over()\n        let_go(reader)\n",
        ("tests/races/test_share_races.py::test_a_turn_waits_for_no_address_with_what_it_forgot_locked",),
        needs_postgres=True,
    ),
    Fault(
        "each_key_is_a_value",
        "However many keys there are, SQLite is asked about them in one value.",
        "core/lookups.py",
        "len(self.rhs) <= MOST_VALUES",
        "self.rhs is not None",
        ("tests/core/test_among.py::test_however_many_keys_there_are",),
    ),
    Fault(
        "each_wallet_at_a_bridge_is_named",
        "However many pay over bridges, a range of blocks costs the same questions.",
        "chains/reader/evm.py",
        "in ask(pool, [deposit_topic(), None, None, named]):",
        "in (one for at in range(0, len(wallets), MOST_TOPICS)"
        " for one in ask(pool, [deposit_topic(), None, None, sorted(wallets)[at : at + MOST_TOPICS]])):",
        ("tests/live/test_bridges.py::test_however_many_pay_over_bridges_a_range_costs_the_same_questions",),
    ),
    Fault(
        "strangers_orders_are_opened",
        "Where all of a bridge's orders are read, only own ones are opened.",
        "chains/reader/evm.py",
        "            if _topic(log, 3) in wallets:\n",
        "            if log:\n",
        ("tests/live/test_bridges.py::test_where_all_of_a_bridge_is_read_no_strangers_order_is_opened",),
    ),
)
