"""Which IP addresses may be dialled: a table of numbers, never of names.

Why our own table: ``ipaddress.is_global`` misses ranges on older interpreters, and an address that embeds
another one (mapped, translated, tunnelled) must be judged by its outer form.
"""

import ipaddress
from enum import StrEnum
from functools import lru_cache
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network


class Reach(StrEnum):
    """How far a caller's requests may go."""

    PUBLIC = "public"
    PUBLIC_AND_LOOPBACK = "public_and_loopback"


LOOPBACK = tuple(ip_network(net) for net in ("127.0.0.0/8", "::1/128"))

DENIED_IPV4 = tuple(
    ipaddress.IPv4Network(net)
    for net in (
        "0.0.0.0/8",  # this network
        "10.0.0.0/8",  # private
        "100.64.0.0/10",  # carrier-grade NAT, one cloud's metadata service
        "127.0.0.0/8",  # loopback
        "168.63.129.16/32",  # one cloud's host agent, public by number only
        "169.254.0.0/16",  # link-local, most clouds' metadata services
        "172.16.0.0/12",  # private
        "192.0.0.0/24",  # protocol assignments
        "192.0.2.0/24",  # documentation
        "192.31.196.0/24",  # AS112
        "192.52.193.0/24",  # multicast tunnelling
        "192.88.99.0/24",  # 6to4 relays
        "192.168.0.0/16",  # private
        "192.175.48.0/24",  # AS112
        "198.18.0.0/15",  # benchmarks
        "198.51.100.0/24",  # documentation
        "203.0.113.0/24",  # documentation
        "224.0.0.0/4",  # multicast
        "240.0.0.0/4",  # reserved, broadcast
    )
)
"""Source: https://www.iana.org/assignments/iana-ipv4-special-registry; docs/guides/webhooks.md, Addresses."""

ALLOCATED_IPV6 = ipaddress.IPv6Network("2000::/3")
"""Everything outside is denied: ``::/96``, mapped ``::ffff:0:0/96``, translated, NAT64 ``64:ff9b::/96`` and
``64:ff9b:1::/48``, unique local, link-local, site-local ``fec0::/10``, multicast."""

DENIED_IPV6 = tuple(
    ipaddress.IPv6Network(net)
    for net in (
        "2001::/23",  # protocol assignments: Teredo, benchmarks, ORCHID 2001:10::/28 and 2001:20::/28
        "2001:db8::/32",  # documentation
        "2002::/16",  # 6to4
        "2620:4f:8000::/48",  # AS112
        "3fff::/20",  # documentation
    )
)
"""Source: https://www.iana.org/assignments/iana-ipv6-special-registry; docs/guides/webhooks.md, Addresses."""


@lru_cache(maxsize=4096)
def may_dial(address: str, reach: Reach) -> bool:
    """Whether this numeric address may be connected to; anything that is not one may not."""
    try:
        number = ip_address(address)
    except ValueError:
        return False
    if isinstance(number, IPv6Address) and number.scope_id is not None:
        return False
    if reach is Reach.PUBLIC_AND_LOOPBACK and is_loopback(number):
        return True
    if isinstance(number, IPv4Address):
        return not any(number in network for network in DENIED_IPV4)
    return number in ALLOCATED_IPV6 and not any(number in network for network in DENIED_IPV6)


def is_loopback(number: IPv4Address | IPv6Address) -> bool:
    """Whether the address is this machine, in its plain form."""
    return any(number in network for network in LOOPBACK)
