"""Network addresses that a key may be used from: written down in one form, and matched. Pure."""

import ipaddress
from collections.abc import Sequence
from functools import lru_cache

Network = ipaddress.IPv4Network | ipaddress.IPv6Network
Address = ipaddress.IPv4Address | ipaddress.IPv6Address
_MAPPED = ipaddress.IPv6Network("::ffff:0:0/96")
_MAPPED_BITS = 96
_LONGEST = 64


def network_text(text: str) -> str:
    """One address or network in its usual form; an IPv4 address inside IPv6 becomes itself.

    Raises: ValueError, with a sentence for whoever typed it.
    """
    bare = text.strip()
    if len(bare) > _LONGEST or "%" in bare:
        raise ValueError(f"{bare[:_LONGEST]} is no address. Write it like 203.0.113.7 or 2001:db8::/32.")
    try:
        network = ipaddress.ip_network(bare, strict=False)
    except ValueError:
        raise ValueError(f"{bare} is no address. Write it like 203.0.113.7 or 2001:db8::/32.") from None
    if "/" in bare and ipaddress.ip_address(bare.partition("/")[0]) != network.network_address:
        raise ValueError(f"{bare} names one address and a whole network. Did you mean {network}?")
    plain = _plain_network(network)
    if plain.prefixlen == 0:
        raise ValueError(f"{bare} is every address there is. Leave the list empty instead.")
    return str(plain.network_address if plain.prefixlen == plain.max_prefixlen else plain)


def is_listed(networks: Sequence[str], address: str) -> bool:
    """Whether an address is in one of these networks. What is no address is in none."""
    try:
        asked = ipaddress.ip_address(address)
    except ValueError:
        return False
    plain = asked.ipv4_mapped if isinstance(asked, ipaddress.IPv6Address) and asked.ipv4_mapped else asked
    return any(plain.version == network.version and plain in network for network in _networks(tuple(networks)))


def _plain_network(network: Network) -> Network:
    if not isinstance(network, ipaddress.IPv6Network) or network.prefixlen < _MAPPED_BITS:
        return network
    if not network.subnet_of(_MAPPED):
        return network
    inside = int(network.network_address) & 0xFFFFFFFF
    return ipaddress.IPv4Network((inside, network.prefixlen - _MAPPED_BITS))


@lru_cache(maxsize=1024)
def _networks(texts: tuple[str, ...]) -> tuple[Network, ...]:
    return tuple(ipaddress.ip_network(text) for text in texts)
