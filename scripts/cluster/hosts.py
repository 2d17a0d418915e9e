"""What stands where: each machine of the production form is an address of its own on this machine's loopback."""

import os
from typing import Final

FRONT: Final = "127.82.0.1"
"""The address that everybody asks; whichever HAProxy lives has it."""
FRONTS: Final = ("haproxy1", "haproxy2")
KEEPERS: Final = {"keeper1": "127.82.0.11", "keeper2": "127.82.0.12", "keeper3": "127.82.0.13"}
"""Who vote on who leads: an etcd and a Sentinel on each."""
DATABASES: Final = {"database1": "127.82.0.21", "database2": "127.82.0.22"}
REDISES: Final = {"redis1": "127.82.0.31", "redis2": "127.82.0.32"}
NODES: Final = {"node1": "127.82.0.41", "node2": "127.82.0.42"}
"""Where the service runs: web, workers, and the PgBouncer that they ask."""

ETCD_PORT, ETCD_PEER_PORT = 22379, 22380
PATRONI_PORT, POSTGRES_PORT, PGBOUNCER_PORT = 28008, 25432, 26432
REDIS_PORT, SENTINEL_PORT = 26379, 26380
WEB_PORT = int(os.environ.get("CLUSTER_PORTS", "28000"))
"""The first of those that the service and its callers use. Why settable: the soak may run beside, with others."""
"""None of them all is usual: what else runs on this machine may listen on all addresses."""
RECEIVER, RECEIVER_PORT = "127.0.0.1", WEB_PORT + 90
"""The merchant's server, to which webhooks go."""
NODE_PORT, LIFI_PORT = WEB_PORT + 91, WEB_PORT + 92
"""A chain of this machine, and LI.FI over it."""
