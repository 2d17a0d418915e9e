"""What a bar measures: one figure, and whether it reaches its goal."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Figure:
    """One line of the table: which bar, what was measured, the value, the goal, and its unit."""

    bar: str
    what: str
    value: str
    goal: str
    unit: str
    reached: bool


def at_most(bar: str, what: str, value: float, goal: float, unit: str) -> Figure:
    """A figure that must not be larger than its goal."""
    return Figure(bar=bar, what=what, value=f"{value:,.4g}", goal=f"≤ {goal:,.4g}", unit=unit, reached=value <= goal)


def exactly(bar: str, what: str, value: float, goal: float, unit: str) -> Figure:
    """A figure that must be its goal."""
    return Figure(bar=bar, what=what, value=f"{value:,.10g}", goal=f"{goal:,.10g}", unit=unit, reached=value == goal)
