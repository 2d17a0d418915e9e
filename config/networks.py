"""What real money needs: the network this service belongs to, its nodes, and the aggregators it asks.

Nothing set, and not on ``mainnet``: no node and no aggregator is ever asked.
"""

from urllib.parse import urlsplit

from django.core.exceptions import ImproperlyConfigured

from chains.networks import CHAINS
from config.environment import THIS_MACHINE, env, one_of, whole_number

PROFILES = ("simulated", "localnet", "mainnet")
_PUBLIC_ADDRESSES = {"LIFI_URL": "https://li.quest/v1", "JUPITER_URL": "https://api.jup.ag"}
"""Source: https://docs.li.fi, https://developers.jup.ag."""
_MOST_BPS = 500
_MOST_DOLLARS = 1_000_000_000


def network_profile(*, embedded: bool) -> str:
    """Which money counts here. Raises: ImproperlyConfigured."""
    return one_of("NETWORK_PROFILE", PROFILES, default="simulated" if embedded else "mainnet")


def nodes(profile: str) -> dict[str, list[str]]:
    """The nodes of each chain, the preferred one first; real ones never beside play money.

    Raises: ImproperlyConfigured with one sentence.
    """
    found = {known.name: node_urls(f"RPC_URLS_{known.name.upper()}") for known in CHAINS}
    named = [chain for chain, urls in found.items() if urls]
    if named and profile == "simulated":
        raise ImproperlyConfigured(
            f"RPC_URLS_{named[0].upper()} is set but NETWORK_PROFILE is simulated: play money and real money never "
            "share a database. Set NETWORK_PROFILE=mainnet (or localnet for nodes of your own) on a new database."
        )
    return found


def aggregator_url(name: str, profile: str) -> str:
    """Where an aggregator is asked; empty where none is. Raises: ImproperlyConfigured."""
    default = _PUBLIC_ADDRESSES[name] if profile == "mainnet" else ""
    found: str = env.str(name, default="").strip() or default
    if found and profile == "simulated":
        raise ImproperlyConfigured(f"{name} is set but NETWORK_PROFILE is simulated: test mode asks nobody outside.")
    if found and not _is_safe_url(found):
        raise ImproperlyConfigured(f"{name} must be like {_PUBLIC_ADDRESSES[name]}; http:// only for this machine.")
    return found.rstrip("/")


def basis_points(name: str, default: int) -> int:
    """A share in hundredths of a per cent, from 0 to 5 %. Raises: ImproperlyConfigured."""
    return whole_number(name, default, least=0, most=_MOST_BPS)


def dollars(name: str, default: int) -> int:
    """An amount in whole dollars. Raises: ImproperlyConfigured."""
    return whole_number(name, default, least=0, most=_MOST_DOLLARS)


def node_urls(name: str) -> list[str]:
    """Addresses of blockchain nodes, the preferred one first. Raises: ImproperlyConfigured.

    Why the sentence does not quote them: such an address often holds a key.
    """
    found = [url.strip() for url in env.str(name, default="").split(",") if url.strip()]
    if not all(_is_safe_url(url) for url in found):
        raise ImproperlyConfigured(
            f"{name} must list addresses like https://node.example.com/key, separated by commas; "
            "http:// only for this machine."
        )
    return found


def _is_safe_url(url: str) -> bool:
    try:
        address = urlsplit(url)
        is_here = address.hostname in THIS_MACHINE
        is_safe = address.scheme == "https" or (address.scheme == "http" and is_here)
        return is_safe and bool(address.hostname) and address.port != 0 and not address.fragment
    except ValueError:
        return False
