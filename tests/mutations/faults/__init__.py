"""The list of faults, by what they are about. A new rule of the service brings its fault."""

from tests.mutations.faults import (
    access,
    agents,
    books,
    certificates,
    clocks,
    contract_wallets,
    event_order,
    fast_path,
    invariants,
    money_in,
    money_out,
    nodes,
    outside,
    pauses,
    polls,
    pulled,
    queue,
    records,
    reports,
    resting,
    restores,
    rotation,
    routes,
    shares,
    standby,
    strays,
    theatre,
    traces,
    upgrades,
    weeks,
    x402,
)
from tests.mutations.planting import Fault

FAULTS: tuple[Fault, ...] = (
    *access.FAULTS, *agents.FAULTS, *books.FAULTS, *certificates.FAULTS, *clocks.FAULTS, *contract_wallets.FAULTS,
    *event_order.FAULTS, *fast_path.FAULTS, *invariants.FAULTS, *money_in.FAULTS, *money_out.FAULTS, *nodes.FAULTS,
    *outside.FAULTS, *pauses.FAULTS, *polls.FAULTS, *pulled.FAULTS, *queue.FAULTS, *records.FAULTS, *reports.FAULTS,
    *resting.FAULTS, *restores.FAULTS, *rotation.FAULTS, *routes.FAULTS, *shares.FAULTS, *standby.FAULTS,
    *strays.FAULTS, *theatre.FAULTS, *traces.FAULTS, *upgrades.FAULTS, *weeks.FAULTS, *x402.FAULTS,
)  # fmt: skip
