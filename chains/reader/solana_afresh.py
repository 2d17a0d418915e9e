"""Reading Solana by another way than its readers do: every transaction of an account within some slots, by one node.

Why another: nothing that was listed, named or opened before is believed, and what arrived is read from the balances.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from functools import partial

from chains.clients.outcomes import CannotSay
from chains.clients.registry import SOLANA
from chains.clients.solana_accounts import read_token_program
from chains.clients.solana_endpoint import CONFIRMED, SolanaNode
from chains.clients.solana_shown import NewerVersion, Shown, growth, read_shown
from chains.instructions.programs import token_account
from chains.reader.afresh import Landed, Place, Wanted
from chains.reader.base import Opened
from chains.reader.solana import Passage, list_page
from chains.registry import SOLANA_NATIVE_ADDRESS

MOST_PAGES = 200
"""Lists of one account, from the newest slot down to the first that is wanted."""
Accounts = dict[str, Place]
"""The account that stands for each place."""


def landed_in_accounts(chain: str, first: int, last: int, wanted: Wanted) -> list[Landed]:
    """Everything in these slots that is wanted. No transaction may be open. Raises: ChainUnavailable."""
    return SOLANA.pool(chain).ask(partial(_landed, first=first, last=last, wanted=wanted))


def _landed(node: SolanaNode, first: int, last: int, wanted: Wanted) -> list[Landed]:
    accounts = dict(_accounts(node, wanted.places))
    listed = [name for account in accounts for name in _listed(node, account, first, last)]
    found = [_opened(node, name, accounts) for name in dict.fromkeys([*listed, *sorted(wanted.named)])]
    return [one for one in found if one is not None and first <= one.opened.block_number <= last]


def _accounts(node: SolanaNode, places: Iterable[Place]) -> Iterator[tuple[str, Place]]:
    """Why by the node: which program keeps a token is the chain's own word."""
    for token, address in sorted(places):
        program = "" if token == SOLANA_NATIVE_ADDRESS else read_token_program(node, token)
        if program is not None:
            yield (token_account(address, token, program) if program else address), (token, address)


def _listed(node: SolanaNode, account: str, first: int, last: int) -> Iterator[str]:
    """Raises: CannotSay where there are more than can be listed."""
    before = ""
    for _ in range(MOST_PAGES):
        page = list_page(node, Passage(account=account, read_to=first - 1), before, CONFIRMED, 0)
        yield from (one.signature for one in page if first <= one.slot <= last)
        if not page or page[-1].slot < first:
            return
        before = page[-1].signature
    raise CannotSay("more transactions than can be listed")


def _opened(node: SolanaNode, signature: str, accounts: Accounts) -> Landed | None:
    try:
        shown = read_shown(node, signature)
    except NewerVersion:
        return None
    if shown is None:
        return None
    opened = Opened(tx_hash=signature, block_number=shown.slot, block_hash="", marks=tuple(shown.keys))
    return Landed(opened=opened, units=_arrived(shown, accounts), has_calls=False)


def _arrived(shown: Shown, accounts: Accounts) -> Counter[Place]:
    """By how much each account grew."""
    units: Counter[Place] = Counter()
    for place, key in enumerate(shown.keys):
        where = accounts.get(key)
        if where is not None and not shown.failed and (grown := growth(shown, place, *where)) > 0:
            units[where] += grown
    return units
