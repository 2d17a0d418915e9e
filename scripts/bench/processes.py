"""What a process and its descendants take of the machine: memory and the processor's time."""

import os
from collections.abc import Callable
from pathlib import Path


def memory_of(pid: int) -> int:
    """What a process and its descendants take together, shared pages counted once, in KiB."""
    return sum_over(pid, _pss)


def processor_seconds_of(pid: int) -> float:
    """The processor's time that a process, its descendants, and those of them that ended have used so far."""
    return sum_over(pid, _ticks) / os.sysconf("SC_CLK_TCK")


def parent_of(pid: int) -> int:
    """The process that started this one."""
    return int(_fields(Path("/proc", str(pid)))[1])


def sum_over(pid: int, measure: Callable[[Path], int]) -> int:
    """What is measured of a process and its descendants, by their folders in /proc."""
    wanted, total = [pid], 0
    while wanted:
        process = Path("/proc", str(wanted.pop()))
        try:
            total += measure(process)
            for task in (process / "task").iterdir():
                wanted += [int(found) for found in (task / "children").read_text().split()]
        except (FileNotFoundError, ProcessLookupError):  # it ended meanwhile
            continue
    return total


def _pss(process: Path) -> int:
    rollup = (process / "smaps_rollup").read_text()
    return int(next(line.split()[1] for line in rollup.splitlines() if line.startswith("Pss:")))


def _ticks(process: Path) -> int:
    """User's and system's time, its own and that of children that ended."""
    return sum(int(field) for field in _fields(process)[11:15])


def _fields(process: Path) -> list[str]:
    """What follows the name. Source: https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html."""
    return (process / "stat").read_text().rpartition(")")[2].split()
