"""How the adapter judges an answer, and the honest ones of every kind."""

import json
from collections.abc import Callable
from decimal import Decimal
from typing import Any

from payments.routing.base import RouteRequest
from payments.routing.lifi.checks import CheckedQuote, checked
from payments.routing.lifi.faults import LifiRefused
from payments.routing.lifi.quote import read_quote
from tests.payments.lifi.honest import (
    ARBITRUM_USDT,
    BASE_USDC,
    BNB_USDC,
    BNB_USDT,
    SLIPPAGE_BPS,
    Answer,
    bridge,
    native,
    request_for,
    swap,
    terms_for,
)


def judge(body: Any, request: RouteRequest) -> CheckedQuote:
    """As the adapter does: JSON with exact numbers, then every gate."""
    read = json.loads(json.dumps(body), parse_float=Decimal)
    return checked(read_quote(read), terms_for(request), SLIPPAGE_BPS)


def refusal(body: Any, request: RouteRequest) -> str:
    """The code with which an answer is refused; empty where it is not."""
    try:
        judge(body, request)
    except LifiRefused as refused:
        return str(refused.code)
    return ""


HONEST: dict[str, Callable[[], Answer]] = {
    "swap of a token": swap,
    "swap of a token in two steps": lambda: swap(swapping=True),
    "swap of the native coin": lambda: Answer(request=request_for(native("base"))),
    "swap of the native coin in two steps": lambda: Answer(request=request_for(native("base")), swapping=True),
    "swap into the native coin": lambda: Answer(request=request_for(BASE_USDC, native("base"))),
    "swap into the native coin in two steps": lambda: Answer(
        request=request_for(BASE_USDC, native("base")), swapping=True
    ),
    "swap of 18 decimals": lambda: Answer(request=request_for(BNB_USDT, BNB_USDC)),
    "bridge": bridge,
    "bridge after a swap": lambda: Answer(request=request_for(native("arbitrum")), swapping=True),
    "bridge of a token after a swap": lambda: Answer(request=request_for(ARBITRUM_USDT), swapping=True),
    "bridge to 18 decimals after a swap": lambda: Answer(
        request=request_for(native("arbitrum"), BNB_USDC), swapping=True
    ),
}
