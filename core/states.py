"""State machines as data. The engine is pure: it knows no table and no request."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from core.errors import Conflict


class InvalidTransition(Conflict):
    """The trigger does not exist in this status; details name the status and what is possible."""

    code = "invalid_transition"

    def __init__(self, machine: str, status: str, trigger: str, allowed: Iterable[str]) -> None:
        super().__init__(
            f"A {machine} that is {status} cannot {trigger.replace('_', ' ')}.",
            details={"status": status, "trigger": trigger, "allowed": sorted(allowed)},
        )


@dataclass(frozen=True, kw_only=True)
class Transition:
    """One row of a machine's table: from any of ``sources`` by ``trigger`` to ``target``, announcing ``event``."""

    trigger: str
    sources: frozenset[str]
    target: str
    event: str | None = None


def row(trigger: str, sources: Iterable[str], target: str, event: str | None = None) -> Transition:
    """Write one table row compactly."""
    return Transition(trigger=trigger, sources=frozenset(sources), target=target, event=event)


@dataclass(frozen=True, kw_only=True)
class Machine:
    """A whole table. ``initial_event`` is announced at creation; ``terminal`` statuses end polling."""

    name: str
    initial: str
    terminal: frozenset[str]
    transitions: tuple[Transition, ...]
    initial_event: str | None = None
    _by_key: Mapping[tuple[str, str], Transition] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        by_key: dict[tuple[str, str], Transition] = {}
        for transition in self.transitions:
            for source in transition.sources:
                if (source, transition.trigger) in by_key:
                    raise ValueError(f"{self.name}: two rows for {source} and {transition.trigger}")
                by_key[source, transition.trigger] = transition
        object.__setattr__(self, "_by_key", by_key)

    def find(self, status: str, trigger: str) -> Transition:
        """The row for this status and trigger. Raises: InvalidTransition when the table has none."""
        transition = self._by_key.get((status, trigger))
        if transition is None:
            raise InvalidTransition(self.name, status, trigger, self.triggers_from(status))
        return transition

    def allows(self, status: str, trigger: str) -> bool:
        """Whether the table has a row for this status and trigger."""
        return (status, trigger) in self._by_key

    def triggers_from(self, status: str) -> set[str]:
        """Every trigger that works in this status."""
        return {trigger for source, trigger in self._by_key if source == status}

    def sources_of(self, trigger: str) -> list[str]:
        """Every status from which this trigger works, in the table's order."""
        return [status for status in self.statuses if (status, trigger) in self._by_key]

    @property
    def statuses(self) -> list[str]:
        """Every status the table names, the initial one first."""
        seen = dict.fromkeys([self.initial])
        for transition in self.transitions:
            seen.update(dict.fromkeys(sorted(transition.sources)))
            seen[transition.target] = None
        return list(seen)
