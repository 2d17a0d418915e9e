"""What the token list refuses."""

from collections.abc import Sequence

from core.errors import InvalidParameter


class UnknownChain(InvalidParameter):
    """The list was asked for a chain that the service does not know.

    Why not an empty list: a misspelt chain would look like a chain without tokens.
    """

    message = "chain: is not a chain this service knows. See details.allowed."

    def __init__(self, allowed: Sequence[str]) -> None:
        super().__init__(details={"parameter": "chain", "allowed": list(allowed)})
