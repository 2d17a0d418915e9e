"""A worker that dies before or after any word to a node, and any change of a row: the next one goes on, once."""

from collections.abc import Callable
from itertools import count
from typing import Any

import pytest

from chains import ledger
from chains.clients.endpoints import Endpoint
from tests.live.conftest import forget_nodes
from tests.live.money_out.treasury import Treasury


class Death(BaseException):
    """The process ends here; nobody catches that."""


def dying(act: Callable[..., Any], at: int, *, after: bool) -> Callable[..., Any]:
    """The same, until it is called so often; then it dies instead, or once it is done."""
    calls = count(1)

    def act_or_die(*given: Any, **named: Any) -> Any:
        is_last = next(calls) == at
        if is_last and not after:
            raise Death
        result = act(*given, **named)
        if is_last:
            raise Death
        return result

    return act_or_die


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize(
    ("place", "name", "least"), [(Endpoint, "ask", 6), (ledger, "advance", 5)], ids=["node", "row"]
)
def test_it_lands_once_wherever_a_worker_dies(  # noqa: PLR0913, PLR0917 - the matrix has its dimensions
    treasury: Treasury,
    monkeypatch: pytest.MonkeyPatch,
    place: Any,
    name: str,
    least: int,
    after: bool,
) -> None:
    for at in count(1):
        transfer = treasury.order()
        with monkeypatch.context() as patched:
            patched.setattr(place, name, dying(getattr(place, name), at, after=after))
            try:
                treasury.finish(transfer)
            except Death:
                died = True
            else:
                died = False
        forget_nodes()
        treasury.advance(transfer)
        assert treasury.finish(transfer).status == "paid", f"died at {at}"
        assert (treasury.landed(), treasury.used_nonces()) == ([25_000_000] * at, list(range(at))), f"died at {at}"
        assert len(treasury.attempts(transfer)) == 1
        if not died:
            assert at > least, f"only {at - 1} places were tried"
            return
