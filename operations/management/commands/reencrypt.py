"""``manage.py reencrypt``: everything that is stored sealed comes under the first key, so that the others can go."""

from argparse import ArgumentParser
from collections import Counter
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from core.secrets import key_names
from operations.reseal import count_keys, reseal
from operations.sealed import ADVICE, KINDS

LEFT = 1


class Command(BaseCommand):
    """Prints what each key seals, and ends with 0 only where the first one seals all of it."""

    help = "Seal under the first of ENCRYPTION_KEYS what another key sealed, and print what is left under each."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Whether anything is changed."""
        parser.add_argument("--check", action="store_true", help="change nothing, only count")

    def handle(self, *_: object, **options: Any) -> None:
        """Seal, count, and end with the exit code. Raises: CommandError where another key is needed still."""
        if not options["check"]:
            for kind in KINDS:
                self.stdout.write(f"{kind.name}: {reseal(kind)} sealed again")
        counts = {kind.name: count_keys(kind) for kind in KINDS}
        named = key_names()
        for number, name in enumerate(named, start=1):
            self.stdout.write(f"key {number} of ENCRYPTION_KEYS ({name}): {_listed(counts, name)}")
        unknown = sorted({name for count in counts.values() for name in count} - set(named))
        for name in unknown:
            self.stdout.write(f"no key of ENCRYPTION_KEYS ({name or 'sealed by Fernet'}): {_listed(counts, name)}")
        if unknown:
            raise CommandError(f"What no key opens was left as it is. {ADVICE}", returncode=LEFT)
        needed = [
            number for number, name in enumerate(named[1:], start=2) if any(count[name] for count in counts.values())
        ]
        if needed:
            raise CommandError(f"Needed still: key {', '.join(map(str, needed))}.", returncode=LEFT)
        self.stdout.write("Only key 1 is needed.")


def _listed(counts: dict[str, Counter[str]], name: str) -> str:
    """How much of each kind the key of this name seals."""
    return ", ".join(f"{count[name]} {kind}" for kind, count in counts.items() if count[name]) or "nothing"
