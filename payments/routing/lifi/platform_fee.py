"""The operator's own fee in a call of LI.FI's: what the call that is signed gives it, whatever the answer says."""

from django.conf import settings

from chains.calldata.lifi_fees import fee_shares
from core.money import BaseUnits
from payments.routing.lifi.checks import CheckedDeposit, CheckedQuote
from payments.routing.lifi.terms import Terms

_BPS = 10_000


def asked_bps(terms: Terms) -> int:
    """The share of the input that is asked for. Why none on Solana: it would be a transfer beside the deposit, and
    nothing but the deposit is signed there.
    """
    return 0 if terms.is_solana or not terms.integrator else int(settings.PLATFORM_FEE_BPS)


def platform_fee(found: CheckedQuote | CheckedDeposit, terms: Terms) -> BaseUnits:
    """What the call takes for the operator, in base units of what the payer gives. Source: docs/adr/0051.

    One contract names the integrator's part. The other gives several wallets their amounts: the operator's is the
    largest that is not above the share which was asked for, since LI.FI's own fee is another figure beside it.
    """
    bps = asked_bps(terms)
    if bps <= 0 or isinstance(found, CheckedDeposit):
        return BaseUnits(0)
    most = -(-found.quote.from_amount * bps // _BPS)
    shares = [one for one in fee_shares(found.call) if one.asset == terms.source_token]
    named = [one.base_units for one in shares if one.is_integrators]
    unnamed = [one.base_units for one in shares if one.is_integrators is None and one.base_units <= most]
    return BaseUnits(sum(named) + max(unnamed, default=0))
