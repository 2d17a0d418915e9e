"""What can go wrong at a blockchain: a bad address, a silent node, a transfer refused for good."""

from core.errors import InvalidRequest, ServiceError


class InvalidAddress(InvalidRequest):
    """The text is not an address of this chain.

    ``reason`` is one word for programs. Doors that know which field was meant raise their own code from this.
    """

    message = "This is not an address of that chain."

    def __init__(self, message: str, *, chain_family: str, reason: str) -> None:
        self.chain_family, self.reason = chain_family, reason
        super().__init__(message, details={"chain_family": chain_family, "reason": reason})


class UnpayableAddress(InvalidAddress):
    """Well formed, but money sent there would be lost. Source: docs/guides/tokens.md, Addresses that are refused."""

    message = "Money sent to this address would be lost."


class ChainUnavailable(ServiceError):
    """No node gave a usable answer; asking again later may work."""

    code = "upstream_unavailable"
    http_status = 503
    message = "The blockchain cannot be reached right now. Nothing was changed; try again shortly."
    reason = "no node answers"
    """For logs."""

    def __init__(self, chain_name: str) -> None:
        self.chain_name = chain_name
        super().__init__(details={"chain": chain_name, "retryable": True})


class QuestionUnanswered(ChainUnavailable):
    """Nodes were asked, and none of them can say; ``reason`` is what one of them said. About others they may."""

    def __init__(self, chain_name: str, reason: str) -> None:
        self.reason = reason
        super().__init__(chain_name)


class TransferRejected(Exception):
    """The chain refuses this transfer for good; sending it again cannot help."""

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__(reason)
