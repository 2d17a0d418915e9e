"""What each caller must be answered at each door: ``None`` means let in."""

from core.modes import Mode
from merchants.scopes import KeyScope
from tests.authorization.doors import SCOPES, Door, names_a_resource
from tests.authorization.stage import CALLERS

Refusal = tuple[int, str]

NO_KEY = (401, "missing_api_key")
UNKNOWN = (401, "invalid_api_key")
OVER = (401, "revoked_api_key")
NOT_FOUND = (404, "not_found")
NO_TOKEN = (401, "checkout_token_invalid")
WRONG_KIND = (401, "secret_key_required")
NOT_ALLOWED = (403, "insufficient_scope")
FROM_ELSEWHERE = (403, "address_not_allowed")
WRONG_KIND_FOR_A_PAGE = (401, "publishable_key_required")

_UNUSABLE: dict[str, Refusal] = {
    "another scheme": NO_KEY,
    "a scheme without a key": NO_KEY,
    "a malformed key": UNKNOWN,
    "the stored digest": UNKNOWN,
    "an unknown test secret": UNKNOWN,
    "an unknown live secret": UNKNOWN,
    "an unknown publishable": UNKNOWN,
    **{f"{by} {kind}": OVER for by in ("revoked", "expired") for kind in ("secret", "publishable", "restricted")},
}
"""Credentials that no door takes, wherever one is asked for."""

_NO_CREDENTIAL = (
    *("nobody", "session cookie only", "own checkout token", "checkout token of another intent"),
    *("expired checkout token", "forged checkout token", "own secret as checkout token"),
)
"""Callers without an ``Authorization`` header."""
_PUBLISHABLE = (
    *("own publishable", "own publishable of the wrong mode"),
    *("a stranger's publishable", "a stranger's publishable of the other mode"),
)
_FOREIGN_SECRETS = ("own secret of the wrong mode", "a stranger's secret", "a stranger's secret of the other mode")
_FOREIGN_RESTRICTED = ("own restricted of the wrong mode", "a stranger's restricted")
_ELSEWHERE = ("own secret elsewhere", "restricted elsewhere")
_RESTRICTED_TO = {
    **{f"restricted to {scope}": {scope} for scope in KeyScope},
    **{f"restricted to all but {scope}": set(KeyScope) - {scope} for scope in KeyScope},
}
_LIVE_WHEN_ROWS_ARE_TEST = ("own secret of the wrong mode", "a stranger's secret of the other mode")
_LIVE_WHEN_ROWS_ARE_LIVE = ("own secret", "a stranger's secret")


def _secret_key(operation: str) -> dict[str, Refusal | None]:
    foreign = NOT_FOUND if names_a_resource(operation) else None
    return {
        **dict.fromkeys(_NO_CREDENTIAL, NO_KEY),
        **_UNUSABLE,
        **dict.fromkeys(_PUBLISHABLE, WRONG_KIND),
        **dict.fromkeys(_FOREIGN_SECRETS, foreign),
        **dict.fromkeys(_ELSEWHERE, FROM_ELSEWHERE),
        **_restricted(operation, foreign),
        "own secret": None,
    }


def _restricted(operation: str, foreign: Refusal | None) -> dict[str, Refusal | None]:
    """Only the one scope opens an operation, and it opens the key's own merchant and mode alone."""
    needed = SCOPES.get(operation)
    own = {caller: None if needed in scopes else NOT_ALLOWED for caller, scopes in _RESTRICTED_TO.items()}
    return {**own, **dict.fromkeys(_FOREIGN_RESTRICTED, foreign if needed else NOT_ALLOWED)}


def _test_secret_key(operation: str, mode: Mode) -> dict[str, Refusal | None]:
    live = _LIVE_WHEN_ROWS_ARE_TEST if mode == Mode.TEST else _LIVE_WHEN_ROWS_ARE_LIVE
    row = _secret_key(operation) | dict.fromkeys(live, NOT_FOUND)
    if operation not in SCOPES:
        return row
    mine = [caller for caller, scopes in _RESTRICTED_TO.items() if SCOPES[operation] in scopes]
    mine_are_live = (*mine, "a stranger's restricted")
    return row | dict.fromkeys(mine_are_live if mode == Mode.LIVE else ("own restricted of the wrong mode",), NOT_FOUND)


def _checkout_session(mode: Mode) -> dict[str, Refusal | None]:
    return {
        **dict.fromkeys(_NO_CREDENTIAL, NO_TOKEN),
        **_UNUSABLE,
        **dict.fromkeys(("own secret", *_FOREIGN_SECRETS, *_ELSEWHERE), WRONG_KIND_FOR_A_PAGE),
        **dict.fromkeys((*_RESTRICTED_TO, *_FOREIGN_RESTRICTED), WRONG_KIND_FOR_A_PAGE),
        **dict.fromkeys(_PUBLISHABLE, NOT_FOUND),
        "own publishable": None if mode == Mode.TEST else (403, "origin_not_allowed"),
        "own checkout token": None,
    }


def expected(operation: str, door: Door, mode: Mode) -> dict[str, Refusal | None]:
    """The whole row of the matrix for rows of one mode."""
    match door:
        case Door.NOBODY_IS_ASKED | Door.WALLETS_SIGNATURE:
            return dict.fromkeys(CALLERS)
        case Door.WHERE_SOLANA_IS:
            return dict.fromkeys(CALLERS, NOT_FOUND)
        case Door.SECRET_KEY | Door.ANY_KEY:
            restricted = (*_RESTRICTED_TO, *_FOREIGN_RESTRICTED) if door == Door.ANY_KEY else ()
            return _secret_key(operation) | dict.fromkeys(restricted)
        case Door.TEST_SECRET_KEY:
            return _test_secret_key(operation, mode)
        case Door.CHECKOUT_TOKEN:
            return {**dict.fromkeys(CALLERS, NO_TOKEN), "own checkout token": None}
        case Door.CHECKOUT_SESSION:
            return _checkout_session(mode)
