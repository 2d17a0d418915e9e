"""Famous symbols, and who may carry them: fakes copy a symbol, or write it with letters that only look the same.

One source's word never makes such a token verified. Pure.
"""

import unicodedata
from functools import cache

from tokens.sources.bundled import bundled_tokens

_FAMOUS = (
    *("USDC", "USDT", "DAI", "PYUSD", "ETH", "WETH", "BTC", "WBTC", "CBBTC"),
    *("SOL", "WSOL", "BNB", "WBNB", "POL", "WPOL", "MATIC"),
)
_KNOWN_ELSEWHERE = {
    ("ethereum", "WBTC"): "0x2260FAC5E5542a773Aa44fBCfeDf7C193bc2C599",
    ("ethereum", "CBBTC"): "0xcbB7C0000aB88B473b1f5aFd9ef808440eed33Bf",
    ("ethereum", "POL"): "0x455e53CBB86018Ac2B8092FdCd39d8444aFFC3F6",
    ("base", "DAI"): "0x50c5725949A6F0c72E6C4a641F24049A917DB0Cb",
    ("base", "CBBTC"): "0xcbB7C0000aB88B473b1f5aFd9ef808440eed33Bf",
    ("arbitrum", "DAI"): "0xDA10009cBd5D07dd0CeCc66161FC93D7c9000da1",
    ("arbitrum", "WBTC"): "0x2f2a2543B76A4166549F7aaB2e75Bef0aefC5B0f",
    ("arbitrum", "CBBTC"): "0xcbB7C0000aB88B473b1f5aFd9ef808440eed33Bf",
    ("optimism", "DAI"): "0xDA10009cBd5D07dd0CeCc66161FC93D7c9000da1",
    ("optimism", "WBTC"): "0x68f180fcCe6836688e9084f035309E29Bf0A2095",
    ("polygon", "DAI"): "0x8f3Cf7ad23Cd3CaDbD9735AFf958023239c6A063",
    ("polygon", "WBTC"): "0x1BFD67037B42Cf73acF2047067bd4F2C47D9BfD6",
}
"""Famous tokens that are not in the committed list. Source: https://tokens.uniswap.org, default list 22.21.0."""
_LOOK_THE_SAME = str.maketrans("015$L|₮", "OISSIIT")
"""Digits, signs and letters of the ASCII range, after upper case, that are taken for one another."""
_FAMOUS_FORMS = frozenset(symbol.translate(_LOOK_THE_SAME) for symbol in _FAMOUS)


def needs_two_words(chain: str, address: str, symbol: str) -> bool:
    """Whether one source's word is too little: the symbol is famous, or cannot be told from a famous one."""
    forms = _forms(symbol)
    if forms is None:
        return True
    if forms.isdisjoint(_FAMOUS_FORMS):
        return False
    return not any(place == chain and address in holders for (place, _), holders in _known().items())


def is_impostor(chain: str, address: str, symbol: str) -> bool:
    """Whether another token is known to carry this famous symbol on this chain; nobody's word helps then."""
    forms = _forms(symbol) or frozenset()
    known = {holder for form in forms for holder in _known().get((chain, form), frozenset())}
    return bool(known) and address not in known


def _forms(symbol: str) -> frozenset[str] | None:
    """What the symbol may be read as, in one alphabet; None where that cannot be said."""
    plain = unicodedata.normalize("NFKD", symbol).upper()
    letters = "".join(char for char in plain if not unicodedata.combining(char))
    if not letters.replace("₮", "").isascii():
        return None
    return frozenset(
        "".join(char for char in text.translate(_LOOK_THE_SAME) if char.isalnum())
        for text in (letters, letters.replace("$", ""))
    )


@cache
def _known() -> dict[tuple[str, str], frozenset[str]]:
    """Who carries a famous symbol on a chain."""
    listed = [(token.chain, token.symbol.upper(), token.address) for token in bundled_tokens()]
    elsewhere = [(chain, symbol, address) for (chain, symbol), address in _KNOWN_ELSEWHERE.items()]
    found: dict[tuple[str, str], frozenset[str]] = {}
    for chain, symbol, address in listed + elsewhere:
        if symbol in _FAMOUS:
            key = chain, symbol.translate(_LOOK_THE_SAME)
            found[key] = found.get(key, frozenset()) | {address}
    return found
