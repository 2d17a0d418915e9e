"""Measures a time that a busy machine only makes longer."""

from collections.abc import Callable


def shortest(once: Callable[[], float], goal: float, *, rounds: int, most: int) -> float:
    """The shortest of ``rounds``; of more, up to ``most``, while none is within the goal."""
    best = min(once() for _ in range(rounds))
    for _ in range(most - rounds):
        if best <= goal:
            break
        best = min(best, once())
    return best
