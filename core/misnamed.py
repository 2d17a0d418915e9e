"""Query parameters that others call by another name: refused with the right one, where a list would have ignored them.

Why only these: a list that ignores ``cursor`` answers its first page for ever, and one that ignores ``intent_id``
answers with everything. What resembles nothing, such as ``utm_source``, means nothing here and stays ignored.
"""

from collections.abc import Iterable, Mapping
from typing import Final

from core.errors import InvalidParameter

CURSORS: Final = ("starting_after", "ending_before")
PAGING: Final = ("limit", *CURSORS)
ONWARD: Final = PAGING[:2]
"""Of a list that is read in its own order, from its beginning on."""
MISNAMED: Final[Mapping[str, str]] = {
    **dict.fromkeys(("cursor", "next_cursor", "next", "next_page", "after", "after_id"), "starting_after"),
    **dict.fromkeys(("page", "page_token", "pageToken", "offset", "skip", "startingAfter"), "starting_after"),
    **dict.fromkeys(("before", "before_id", "previous", "prev", "endingBefore"), "ending_before"),
    **dict.fromkeys(("per_page", "perPage", "page_size", "pageSize", "max_results", "maxResults"), "limit"),
    **dict.fromkeys(("size", "count", "take", "first"), "limit"),
    **dict.fromkeys(("intent", "intent_id", "payment_intent", "paymentIntentId"), "payment_intent_id"),
    **dict.fromkeys(("state", "statuses", "status[]"), "status"),
    **dict.fromkeys(("since", "from", "created_after", "created_from", "created_gt", "created[gte]"), "created_gte"),
    **dict.fromkeys(("until", "to", "created_before", "created_to", "created_lte", "created[lt]"), "created_lt"),
    **dict.fromkeys(("email", "customer"), "customer_email"),
    **dict.fromkeys(("query", "search"), "q"),
}
"""What it is called elsewhere, and here."""


def refuse_misnamed(query: Mapping[str, str], known: Iterable[str]) -> None:
    """Refuse a parameter that is known here by another name. Raises: InvalidParameter.

    ``known``: what this list takes.
    """
    names = frozenset(known)
    for name in query.keys() - names:
        right = "starting_after" if name in PAGING else MISNAMED.get(name)
        if right in names:
            message = f"{name}: is not known here. Send {right} instead."
            raise InvalidParameter(message, details={"parameter": name, "right_name": right})


def refuse_paging(query: Mapping[str, str]) -> None:
    """The same of a list that is always given whole: there is no next page to ask for. Raises: InvalidParameter.

    Why not ``limit``: who sends it gets what he wants and more, and does not come back for the rest for ever.
    """
    for name in query:
        if MISNAMED.get(name, name) in CURSORS:
            message = f"{name}: is not known here. This list is not paged: it is always whole."
            raise InvalidParameter(message, details={"parameter": name})
