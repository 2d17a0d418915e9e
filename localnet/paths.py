"""Changing one field deep inside a provider's answer, named by its path."""

from typing import Any

GONE = object()
"""Stands for: leave this field out."""


def put(tree: Any, path: str, value: object) -> None:
    """Set what is at ``a.0.b``, or leave it out; a callable is given what is there."""
    *way, last = (int(step) if step.isdigit() else step for step in path.split("."))
    for step in way:
        tree = tree[step]
    if value is GONE:
        del tree[last]
    else:
        tree[last] = value(tree[last]) if callable(value) else value
