"""The list of faults, by what they are about. A new rule of the service brings its fault."""

from tests.mutations.faults import (
    access,
    agents,
    contract_wallets,
    fast_path,
    invariants,
    money_in,
    money_out,
    nodes,
    outside,
    polls,
    queue,
    reports,
    standby,
    strays,
    weeks,
)
from tests.mutations.planting import Fault

FAULTS: tuple[Fault, ...] = (
    *money_in.FAULTS, *money_out.FAULTS, *contract_wallets.FAULTS, *access.FAULTS, *agents.FAULTS, *outside.FAULTS,
    *nodes.FAULTS, *reports.FAULTS, *strays.FAULTS, *fast_path.FAULTS, *polls.FAULTS, *invariants.FAULTS, *queue.FAULTS,
    *standby.FAULTS, *weeks.FAULTS,
)  # fmt: skip
