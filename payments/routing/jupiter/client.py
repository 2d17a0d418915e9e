"""The questions asked of Jupiter, each a single GET within its limits."""

from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache

from django.conf import settings

from chains.instructions.programs import WRAPPED_SOL
from chains.instructions.terms import PlatformFee
from core.outbound.providers import ProviderAnswer, ProviderSession, ProviderUnreachable
from payments.routing.gates import OfferError
from payments.routing.jupiter.answers import BuildAnswer, BuildQuestion, build_answer
from payments.routing.jupiter.refusals import bounded, refusal_of

NAME = "jupiter"
BUILD_PATH, PRICE_PATH = "/swap/v2/build", "/price/v3"
FEWER_ACCOUNTS = 50
"""Of 64: what is asked for when a transaction came out too large. Source: docs/routing.md, Jupiter."""
HIGHEST_PRICE = Decimal(10**9)


class JupiterRefused(Exception):
    """Jupiter cannot serve this; ``code`` says why, ``answer_text`` is its answer, bounded."""

    def __init__(self, code: str, answer_text: str = "") -> None:
        self.code, self.answer_text = code, answer_text
        super().__init__(code)


@dataclass(frozen=True, kw_only=True, slots=True)
class BuildRequest:
    """One question for instructions: what goes in, for whom, and how SOL is treated."""

    question: BuildQuestion
    taker: str
    wraps_sol: bool
    fee: PlatformFee
    most_accounts: int | None = None

    def parameters(self) -> dict[str, str]:
        """The query of the URL."""
        asked = {
            "inputMint": self.question.input_mint,
            "outputMint": self.question.output_mint,
            "amount": str(self.question.amount),
            "taker": self.taker,
            "slippageBps": str(self.question.slippage_bps),
            "wrapAndUnwrapSol": "true" if self.wraps_sol else "false",
        }
        if self.fee.bps:
            asked |= {"platformFeeBps": str(self.fee.bps), "feeAccount": self.fee.account}
        return asked if self.most_accounts is None else asked | {"maxAccounts": str(self.most_accounts)}


def is_configured() -> bool:
    """Whether the operator named an address for Jupiter."""
    return bool(settings.JUPITER_URL)


def build(request: BuildRequest) -> tuple[BuildAnswer, str]:
    """Ask for instructions; the answer, and its text to keep. Raises: JupiterRefused, TransactionRefused."""
    answer = _get(BUILD_PATH, request.parameters())
    refused = refusal_of(answer)
    if refused is not None:
        raise JupiterRefused(refused, bounded(answer.body))
    return build_answer(answer.body, request.question), bounded(answer.body)


def sol_usd_price() -> Decimal:
    """What Jupiter says one SOL costs: good enough to say what a network fee is worth, and for nothing else.

    Raises: JupiterRefused where it does not say.
    """
    answer = _get(PRICE_PATH, {"ids": WRAPPED_SOL})
    entry = answer.body.get(WRAPPED_SOL) if answer.is_success and isinstance(answer.body, dict) else None
    price = entry.get("usdPrice") if isinstance(entry, dict) else None
    if isinstance(price, int | Decimal) and not isinstance(price, bool) and 0 < price < HIGHEST_PRICE:
        return Decimal(price)
    raise JupiterRefused(OfferError.PRICE_UNAVAILABLE, bounded(answer.body))


def forget() -> None:
    """Start anew: no pause, no fault is remembered."""
    _session.cache_clear()


def _get(path: str, parameters: dict[str, str]) -> ProviderAnswer:
    try:
        return _session(settings.JUPITER_URL, settings.JUPITER_API_KEY).get(path, parameters)
    except ProviderUnreachable as error:
        raise JupiterRefused(OfferError.PROVIDER_UNAVAILABLE, error.reason) from error


@lru_cache(maxsize=8)
def _session(url: str, key: str) -> ProviderSession:
    """One for all threads: the limits are those of the operator's whole organisation."""
    return ProviderSession(NAME, url, {"x-api-key": key} if key else {}, (PRICE_PATH, {"ids": WRAPPED_SOL}))
