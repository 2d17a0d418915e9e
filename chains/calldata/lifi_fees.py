"""Who is given what by LI.FI's two fee contracts: the steps of a call that take a fee, read in full. Pure.

Source: https://github.com/lifinance/contracts, src/Periphery/FeeForwarder.sol (2.0.0) and FeeCollector.sol (1.0.1).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from chains.calldata.abi import AbiType, CalldataError, ListOf, read_arguments
from chains.calldata.lifi import LifiCall, SwapStep

_SELECTOR: Final = 4
_SHARES: Final = ListOf(("address", "uint256"))
_NATIVE: Final = "0x" + 40 * "0"
_FORWARD_TOKEN, _FORWARD_NATIVE = "332d746b", "0e8ae67f"
_COLLECT_TOKEN, _COLLECT_NATIVE = "eedd56e1", "e0cbc5f2"
_FORMS: Final[dict[str, tuple[AbiType, ...]]] = {
    _FORWARD_TOKEN: ("address", _SHARES),
    _FORWARD_NATIVE: (_SHARES,),
    _COLLECT_TOKEN: ("address", "uint256", "uint256", "address"),
    _COLLECT_NATIVE: ("uint256", "uint256", "address"),
}


@dataclass(frozen=True, kw_only=True, slots=True)
class FeeShare:
    """What one recipient is given, in base units of ``asset``; addresses in lower case.

    ``is_integrators``: whether it is the integrator's, where the call itself says so; None where it does not.
    """

    asset: str
    recipient: str
    base_units: int
    is_integrators: bool | None


def fee_shares(call: LifiCall) -> list[FeeShare]:
    """Every share of a fee that a call pays out on its way; what is not in its one form is none."""
    return [share for step in call.steps for share in _shares_of(step)]


def _shares_of(step: SwapStep) -> Sequence[FeeShare]:
    selector, encoded = step.calldata[:_SELECTOR].hex(), step.calldata[_SELECTOR:]
    if selector not in _FORMS:
        return ()
    try:
        given: Any = read_arguments(_FORMS[selector], encoded)
    except CalldataError:
        return ()
    asset, arguments = (given[0], given[1:]) if selector in {_FORWARD_TOKEN, _COLLECT_TOKEN} else (_NATIVE, given)
    if selector in {_FORWARD_TOKEN, _FORWARD_NATIVE}:
        return [
            FeeShare(asset=asset, recipient=recipient, base_units=units, is_integrators=None)
            for recipient, units in arguments[0]
        ]
    of_integrator, of_lifi, integrator = arguments
    return [
        FeeShare(asset=asset, recipient=integrator, base_units=of_integrator, is_integrators=True),
        FeeShare(asset=asset, recipient="", base_units=of_lifi, is_integrators=False),
    ]
