"""Where an intent settles: what the merchant said, else its profile, else (test mode only) a documented default.

Source: docs/design/payments.md, Where a payment settles; docs/adr/0035.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from chains.addresses import parse_address, refuse_unpayable
from chains.errors import InvalidAddress
from chains.registry import canonical_chain_name, chain
from core.clock import now
from core.modes import Mode
from merchants.principal import Principal
from payments.errors import (
    SettlementAddressInvalid,
    SettlementAddressNotAllowed,
    SettlementAddressUnproven,
    SettlementPairUnsupported,
    SettlementProfileMissing,
)
from payments.models import SettlementProfile
from payments.routing.assets import settlement_asset
from payments.routing.base import Asset
from tokens.selectors import allowed_settlement_pairs, token_contracts_at

DEFAULT_CHAIN, DEFAULT_TOKEN = "base", "USDC"
TEST_ADDRESSES = {
    "evm": "0x7e57000000000000000000000000000000000001",
    "solana": "J9tn74B4BA78YEUYLzyNp3mrXGXioseW77haZeXpmCg",
}
"""Where test intents settle when neither the request nor the profile says. Nobody is paid there."""
_CACHE_SECONDS = 60


@dataclass(frozen=True, kw_only=True)
class Settlement:
    """A complete answer to where, in what, and to whom."""

    chain: str
    token: str
    token_address: str
    decimals: int
    address: str


def settle_where(
    principal: Principal,
    chain_name: str | None,
    token: str | None,
    address: str | None,
    profiles: Sequence[SettlementProfile] | None = None,
) -> Settlement:
    """Fill in what the request leaves open and check the whole.

    ``profiles``: the merchant's of this mode, where the caller has them; else they are read if they matter.
    Raises: SettlementProfileMissing, SettlementPairUnsupported, SettlementAddressInvalid,
    SettlementAddressNotAllowed, SettlementAddressUnproven.
    """
    if profiles is None and profiles_matter(principal, chain_name, token, address):
        profiles = list(SettlementProfile.objects.visible_to(principal))
    if principal.mode == Mode.LIVE:
        return _live(profiles or (), chain_name, token, address)
    profile = None if chain_name and token and address else _chosen(profiles or (), chain_name)
    chain_name = canonical_chain_name(chain_name or (profile.chain if profile else DEFAULT_CHAIN))
    symbol = (token or (profile.token if profile and profile.chain == chain_name else DEFAULT_TOKEN)).upper()
    known = chain(chain_name)
    if address is None:
        family = known.family.value if known else "evm"
        address = profile.address if profile and profile.family == family else TEST_ADDRESSES[family]
    asset = _asset(Mode.TEST, chain_name, symbol)
    assert asset is not None  # noqa: S101 - test mode assumes what it does not know
    return Settlement(
        chain=chain_name, token=symbol, token_address=asset.address, decimals=asset.decimals, address=address
    )


def profiles_matter(principal: Principal, chain_name: str | None, token: str | None, address: str | None) -> bool:
    """Whether the merchant's profiles say anything about a payment: in live mode one that is locked always does."""
    return principal.mode == Mode.LIVE or not (chain_name and token and address)


def _live(
    profiles: Sequence[SettlementProfile], chain_name: str | None, token: str | None, address: str | None
) -> Settlement:
    profile = _chosen(profiles, chain_name)
    named = chain_name or (profile.chain if profile else None)
    missing = [] if named else ["settlement_chain"]
    if not address and not profile:
        missing.append("settlement_address")
    if named is None or missing:
        raise SettlementProfileMissing(missing)
    chain_name = canonical_chain_name(named)
    symbol = token or (profile.token if profile and profile.chain == chain_name else DEFAULT_TOKEN)
    if address is None:
        assert profile is not None  # noqa: S101 - said missing above otherwise
        address = profile.address
    settlement = payable_settlement(chain_name, symbol, address)
    if any(one.locked for one in profiles) and (profile is None or settlement.address != profile.address):
        raise SettlementAddressNotAllowed  # whatever the chain: a thief would only have to name another one
    _refuse_coin_unless_proven(settlement, profile)
    return settlement


def _refuse_coin_unless_proven(settlement: Settlement, profile: SettlementProfile | None) -> None:
    """Why coins alone: exchanges and contracts often do not book them. Source: docs/adr/0035."""
    own = profile is not None and profile.proven_at is not None and settlement.address == profile.address
    is_proven = own and profile is not None and profile.proven_on in {"", settlement.chain}
    if not is_proven and _is_coin(settlement.chain, settlement.token_address):
        raise SettlementAddressUnproven


def awaits_proof(profile: SettlementProfile) -> bool:
    """Whether live payments that settle by this profile are refused until its address is proven."""
    asset = _asset(Mode.LIVE, profile.chain, profile.token)
    is_live_coin = profile.mode == Mode.LIVE and asset is not None and _is_coin(profile.chain, asset.address)
    return is_live_coin and profile.proven_at is None


def _is_coin(chain_name: str, address: str) -> bool:
    known = chain(chain_name)
    return known is not None and address == known.native_address


def payable_settlement(chain_name: str, token: str, address: str) -> Settlement:
    """What real money can settle as, in its stored spelling.

    Raises: SettlementPairUnsupported, SettlementAddressInvalid.
    """
    chain_name, symbol = canonical_chain_name(chain_name), token.upper()
    known, asset = chain(chain_name), _asset(Mode.LIVE, chain_name, symbol)
    if known is None or asset is None:
        raise SettlementPairUnsupported(details={"allowed": allowed_settlement_pairs()})
    try:
        address = parse_address(known, address)
        refuse_unpayable(known, address, _contracts_in_window(known.name, address, _this_window()))
    except InvalidAddress as error:
        raise SettlementAddressInvalid(
            error.message, details={"chain": known.name, "chain_family": known.family.value}
        ) from error
    return Settlement(
        chain=chain_name, token=symbol, token_address=asset.address, decimals=asset.decimals, address=address
    )


def _chosen(profiles: Iterable[SettlementProfile], chain_name: str | None) -> SettlementProfile | None:
    """The profile for the chain's family, or the merchant's default one."""
    known = chain(chain_name) if chain_name else None
    if known is not None:
        return next((profile for profile in profiles if profile.family == known.family.value), None)
    return next((profile for profile in profiles if profile.is_default), None)


def _asset(mode: Mode, chain_name: str, symbol: str) -> Asset | None:
    return _asset_in_window(mode, chain_name, symbol, _this_window())


def forget_assets() -> None:
    """Look everything up anew at the next question."""
    _asset_in_window.cache_clear()
    _contracts_in_window.cache_clear()


def _this_window() -> int:
    return int(now().timestamp()) // _CACHE_SECONDS


@lru_cache(maxsize=256)
def _asset_in_window(mode: Mode, chain_name: str, symbol: str, _window: int) -> Asset | None:
    """Looked up once a minute. Why: creating an intent should not ask for what hardly ever changes."""
    return settlement_asset(mode, chain_name, symbol)


@lru_cache(maxsize=256)
def _contracts_in_window(chain_name: str, address: str, _window: int) -> frozenset[str]:
    """Looked up once a minute, like assets."""
    return token_contracts_at(chain_name, address)
