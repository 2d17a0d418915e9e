"""Fixed prices of test mode: no source is asked, and every run of a test gives the same figures."""

from decimal import Decimal

# Units: dollars for one whole token. The symbol in upper case.
SIMULATED_USD_PRICES = {
    "USDC": Decimal("1"),
    "USDC.E": Decimal("1"),
    "USDT": Decimal("1"),
    "PYUSD": Decimal("1"),
    "DAI": Decimal("1"),
    "ETH": Decimal("2500"),
    "WETH": Decimal("2500"),
    "POL": Decimal("0.5"),
    "WPOL": Decimal("0.5"),
    "BNB": Decimal("600"),
    "WBNB": Decimal("600"),
    "SOL": Decimal("150"),
    "WSOL": Decimal("150"),
}
